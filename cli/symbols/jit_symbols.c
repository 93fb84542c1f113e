/** @file
 * See jit_symbols.h. A later name replaces an earlier one of the same addresses. A line of a map is "START
 * SIZE NAME", with two hexadecimal numbers. Sources: linux/tools/perf/Documentation/jit-interface.txt and
 * linux/tools/perf/Documentation/jitdump-specification.txt. */
#include "cli/symbols/jit_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/symbols/call_stacks.h"
#include "counters/util/fd.h"

/* Addresses that the functions of a file are given to, at most: in a forged file, each function may have all
 * addresses. Reading ends there. */
#define NAMED_MOST (UINT64_C(1) << 26)

#define MAX_BYTES  ((off_t)256 << 20)

/* Read a whole file. Only a regular file that belongs to this user or to root is read, and only if it was
 * written while the session was recorded.
 *
 * @param ret Its bytes with a NUL after them, owned by the caller; NULL: it is no file to read.
 * @retval 0, -ENOMEM. */
static int
jit_file_read(const char *path, const struct pp_jit_time *time, char **ret, size_t *ret_len)
{
    struct stat st;
    *ret = NULL;
    *ret_len = 0;
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
    *ret = text;
    *ret_len = used;
    return ours && !text ? -ENOMEM : 0;
}

/* A function. Its texts are in the file. */
struct function {
    uint64_t number; /* in the file */
    uint64_t start, size;
    const char *name;              /* NULL: no function */
    const char *lines, *lines_end; /* entries of its lines; NULL: none */
    uint64_t moved;                /* its address, less the one that its lines have */
};

/* An address in no module. */
struct jit_address {
    uint64_t at;
    size_t address;
    struct function function; /* the last one there */
};

static int
by_address(const void *a, const void *b)
{
    const struct jit_address *x = a;
    const struct jit_address *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The addresses in no module that have no symbols yet, by `at`, ascending. @return NULL: no memory. */
static struct jit_address *
unnamed(const struct pp_call_stacks *s, size_t *ret_len)
{
    struct jit_address *jit = calloc(s->addresses + 1, sizeof(*jit));
    *ret_len = 0;
    if (!jit)
        return NULL;
    for (size_t i = 0; i < s->addresses; i++)
        if (s->address[i].module == PP_SAVED_NO_MODULE && !s->address[i].symbols)
            jit[(*ret_len)++] = (struct jit_address){.at = s->address[i].offset, .address = i};
    qsort(jit, *ret_len, sizeof(*jit), by_address);
    return jit;
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
        jit[low].function.name = end + 1;
}

int
pp_perf_map_apply(struct pp_call_stacks *s, char *text)
{
    size_t len = 0;
    struct jit_address *jit = unnamed(s, &len);
    uint64_t named = 0;
    int rc = 0;
    if (!jit)
        return -ENOMEM;
    for (char *line = text; line && named < NAMED_MOST;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        apply_line(line, jit, len, &named);
        line = next;
    }
    for (size_t i = 0; rc == 0 && i < len; i++) {
        const struct pp_symbol symbol = {.function = jit[i].function.name, .file = ""};
        if (symbol.function)
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
    int rc = jit_file_read(path, time, &text, &len);
    if (rc == 0 && text)
        rc = pp_perf_map_apply(stacks, text);
    free(text);
    return rc;
}

#define MAGIC        UINT32_C(0x4a695444)
#define HEAD_BYTES   40U
#define RECORD_BYTES 16U /* begin of each record: id, bytes, time */
#define LOAD_BYTES   40U /* process, thread, address of the code in memory, address, size, number */
#define MOVE_BYTES                                                                                           \
    48U                 /* process, thread, address of the code in memory, old and new address, size, number \
                         */
#define LINES_BYTES 16U /* address of the function, number of entries */
#define LINE_BYTES  16U /* address, line, discriminator; the name of a source file follows */

/* Functions that may move later. Each takes about 130 bytes. */
#define FUNCTIONS_MOST (1U << 20)
/* Bytes of lines that are looked at: each address may have to look at all lines of its function. */
#define LINE_BYTES_MOST (UINT64_C(1) << 30)

enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_LINES = 2 };

/* A file being read. */
struct dump {
    struct jit_address *jit; /* by `at`, ascending */
    size_t len;
    void *functions; /* tree of struct function, by number */
    size_t functions_len;
    uint64_t named;       /* addresses that functions were given to */
    uint64_t line_bytes;  /* that were looked at */
    struct function next; /* has the lines of the next function */
};

static uint64_t
u64_at(const char *bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static uint32_t
u32_at(const char *bytes)
{
    uint32_t value = 0;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static int
by_number(const void *a, const void *b)
{
    const struct function *x = a;
    const struct function *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Give a function to the addresses in its range. */
static void
place(struct dump *d, const struct function *function)
{
    size_t low = 0, high = d->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->jit[middle].at < function->start)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < d->len && d->jit[low].at - function->start < function->size; low++, d->named++)
        d->jit[low].function = *function;
}

/* Remember a function by its number, for a later move. @return false: no memory. */
static bool
remember(struct dump *d, const struct function *function)
{
    struct function *const *old = tfind(function, &d->functions, by_number);
    if (old)
        **old = *function;
    if (old || d->functions_len == FUNCTIONS_MOST)
        return true;
    struct function *copy = malloc(sizeof(*copy));
    if (!copy)
        return false;
    *copy = *function;
    bool known = tsearch(copy, &d->functions, by_number) != NULL;
    if (!known)
        free(copy);
    d->functions_len += known;
    return known;
}

/* Read a record. @param body After its begin. @retval 0, -ENOMEM, -EINVAL. */
static int
read_record(struct dump *d, uint32_t id, const char *body, size_t len)
{
    struct function function = d->next;
    if (id == CODE_LINES && len >= LINES_BYTES) {
        d->next =
            (struct function){.start = u64_at(body), .lines = body + LINES_BYTES, .lines_end = body + len};
        return 0;
    }
    if (id == CODE_LOAD && len > LOAD_BYTES && memchr(body + LOAD_BYTES, '\0', len - LOAD_BYTES)) {
        if (function.start != u64_at(body + 16))
            function = (struct function){.start = u64_at(body + 16)};
        function.size = u64_at(body + 24);
        function.number = u64_at(body + 32);
        function.name = body + LOAD_BYTES;
        d->next = (struct function){.start = 0};
    } else if (id == CODE_MOVE && len >= MOVE_BYTES) {
        const struct function wanted = {.number = u64_at(body + 40)};
        struct function *const *known = tfind(&wanted, &d->functions, by_number);
        if (!known)
            return 0;
        function = **known;
        function.moved += u64_at(body + 24) - function.start;
        function.start = u64_at(body + 24);
        function.size = u64_at(body + 32);
    } else {
        return id == CODE_LOAD || id == CODE_MOVE || id == CODE_LINES ? -EINVAL : 0;
    }
    place(d, &function);
    return remember(d, &function) ? 0 : -ENOMEM;
}

/* Read all records; a wrong one ends the reading. @retval 0, -ENOMEM. */
static int
read_records(struct dump *d, const char *bytes, size_t len)
{
    if (len < HEAD_BYTES || u32_at(bytes) != MAGIC || u32_at(bytes + 8) < HEAD_BYTES)
        return 0;
    size_t at = u32_at(bytes + 8);
    int rc = 0;
    while (rc == 0 && at <= len && len - at >= RECORD_BYTES && d->named < NAMED_MOST) {
        size_t record = u32_at(bytes + at + 4);
        if (record < RECORD_BYTES || record > len - at)
            break;
        rc = read_record(d, u32_at(bytes + at), bytes + at + RECORD_BYTES, record - RECORD_BYTES);
        at += record;
    }
    return rc == -ENOMEM ? rc : 0;
}

/* Find the line of an address: the last entry that is not above it. */
static void
find_line(struct dump *d, const struct jit_address *jit, struct pp_symbol *symbol)
{
    const struct function *function = &jit->function;
    const char *file = "";
    for (const char *at = function->lines; at && (size_t)(function->lines_end - at) > LINE_BYTES;) {
        const char *name = at + LINE_BYTES;
        const char *end = memchr(name, '\0', (size_t)(function->lines_end - name));
        d->line_bytes += end ? (size_t)(end - at) : 0;
        if (!end || u64_at(at) > jit->at - function->moved || d->line_bytes > LINE_BYTES_MOST)
            break;
        file = strcmp(name, "\xff") == 0 ? file : name; /* the file of the entry before */
        symbol->line = u32_at(at + 8) <= INT32_MAX ? u32_at(at + 8) : 0;
        symbol->file = file;
        at = end + 1;
    }
}

int
pp_jit_dump_apply(struct pp_call_stacks *s, const char *bytes, size_t len)
{
    struct dump d = {.len = 0};
    d.jit = unnamed(s, &d.len);
    if (!d.jit)
        return -ENOMEM;
    int rc = d.len ? read_records(&d, bytes, len) : 0;
    for (size_t i = 0; rc == 0 && i < d.len; i++) {
        struct pp_symbol symbol = {.function = d.jit[i].function.name, .file = ""};
        if (!symbol.function)
            continue;
        find_line(&d, &d.jit[i], &symbol);
        rc = pp_symbols_add(s, d.jit[i].address, &symbol);
    }
    tdestroy(d.functions, free);
    free(d.jit);
    return rc;
}

int
pp_jit_dump_read(struct pp_call_stacks *stacks, const char *folder, long pid, const struct pp_jit_time *time)
{
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t len = 0;
    snprintf(path, sizeof(path), "%s/jit-%ld.dump", folder, pid);
    int rc = jit_file_read(path, time, &bytes, &len);
    if (rc == 0 && bytes)
        rc = pp_jit_dump_apply(stacks, bytes, len);
    free(bytes);
    return rc;
}
