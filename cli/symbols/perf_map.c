/** @file
 * See perf_map.h. A line is "START SIZE NAME", with two hexadecimal numbers; a later line replaces an earlier
 * one. Source: linux/tools/perf/Documentation/jit-interface.txt. */
#include "cli/symbols/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/symbols/symbol_table.h"
#include "counters/util/fd.h"

#define MAX_BYTES ((off_t)256 << 20)

/* An address in no module. */
struct jit_address {
    uint64_t at;
    size_t address;
    const char *name; /* in the text; NULL: none */
};

static int
by_address(const void *a, const void *b)
{
    const struct jit_address *x = a;
    const struct jit_address *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Give a line's name to the addresses in its range. */
static void
apply_line(char *line, struct jit_address *jit, size_t len)
{
    char *end = NULL;
    errno = 0;
    uint64_t start = strtoull(line, &end, 16);
    if (errno || *end != ' ')
        return;
    char *at = end + 1;
    uint64_t size = strtoull(at, &end, 16);
    if (errno || end == at || *end != ' ' || !end[1])
        return;
    size_t low = 0, high = len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (jit[middle].at < start)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < len && jit[low].at - start < size; low++)
        jit[low].name = end + 1;
}

int
pp_perf_map_apply(struct pp_call_stacks *s, char *text)
{
    struct jit_address *jit = calloc(s->addresses + 1, sizeof(*jit));
    size_t len = 0;
    int rc = 0;
    if (!jit)
        return -ENOMEM;
    for (size_t i = 0; i < s->addresses; i++)
        if (s->address[i].module == PP_SAVED_NO_MODULE && !s->address[i].symbols)
            jit[len++] = (struct jit_address){.at = s->address[i].offset, .address = i};
    qsort(jit, len, sizeof(*jit), by_address);
    for (char *line = text; line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        apply_line(line, jit, len);
        line = next;
    }
    for (size_t i = 0; rc == 0 && i < len; i++) {
        const struct pp_symbol symbol = {.function = jit[i].name, .file = ""};
        if (jit[i].name)
            rc = pp_symbols_add(s, jit[i].address, &symbol);
    }
    free(jit);
    return rc;
}

/* Read a file as text. @param ret_text Owned by the caller; NULL: it is not one to read. */
static int
read_text(const char *path, const struct pp_map_time *time, char **ret_text)
{
    struct stat st;
    *ret_text = NULL;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    bool ours = fstat(fd, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) &&
                (double)st.st_mtim.tv_sec >= time->from_s && (double)st.st_mtim.tv_sec <= time->to_s &&
                st.st_size <= MAX_BYTES;
    char *text = ours ? malloc((size_t)st.st_size + 1) : NULL;
    size_t used = 0;
    for (ssize_t got = 1; text && got > 0 && used<(size_t)st.st_size; used += got> 0 ? (size_t)got : 0)
        got = read(fd, text + used, (size_t)st.st_size - used);
    close(fd);
    if (text)
        text[used] = '\0';
    *ret_text = text;
    return ours && !text ? -ENOMEM : 0;
}

int
pp_perf_map_read(struct pp_call_stacks *stacks, const char *folder, long pid, const struct pp_map_time *time)
{
    char path[PATH_MAX];
    char *text = NULL;
    snprintf(path, sizeof(path), "%s/perf-%ld.map", folder, pid);
    int rc = read_text(path, time, &text);
    if (rc == 0 && text)
        rc = pp_perf_map_apply(stacks, text);
    free(text);
    return rc;
}
