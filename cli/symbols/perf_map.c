/** @file
 * See perf_map.h. A line is "START SIZE NAME", with two hexadecimal numbers; a later line replaces an earlier
 * one. Source: linux/tools/perf/Documentation/jit-interface.txt. */
#include "cli/symbols/perf_map.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/symbols/symbol_table.h"

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
apply_line(char *line, struct jit_address *jit, size_t len, uint64_t *named)
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
    for (; low < len && jit[low].at - start < size; low++, ++*named)
        jit[low].name = end + 1;
}

int
pp_perf_map_apply(struct pp_call_stacks *s, char *text)
{
    struct jit_address *jit = calloc(s->addresses + 1, sizeof(*jit));
    size_t len = 0;
    uint64_t named = 0;
    int rc = 0;
    if (!jit)
        return -ENOMEM;
    for (size_t i = 0; i < s->addresses; i++)
        if (s->address[i].module == PP_SAVED_NO_MODULE && !s->address[i].symbols)
            jit[len++] = (struct jit_address){.at = s->address[i].offset, .address = i};
    qsort(jit, len, sizeof(*jit), by_address);
    for (char *line = text; line && named < PP_JIT_NAMED_MOST;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        apply_line(line, jit, len, &named);
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

int
pp_perf_map_read(struct pp_call_stacks *stacks, const char *folder, long pid, const struct pp_jit_time *time)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof(path), "%s/perf-%ld.map", folder, pid);
    int rc = pp_jit_file_read(path, time, &text, &len);
    if (rc == 0 && text)
        rc = pp_perf_map_apply(stacks, text);
    free(text);
    return rc;
}
