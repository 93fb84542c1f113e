/** @file
 * See csv_read.h; the parsing is libcsv's. */
#include "cli/session/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/fd.h"

#define MAX_CELLS     4096U
#define MAX_CELL_SIZE ((size_t)1 << 20)
#define MAX_ROW_SIZE  ((size_t)16 << 20)
#define READ_SIZE     ((size_t)256 << 10)

/* One file being read. */
struct parse {
    const struct pp_csv_reader *reader;
    char *text; /* the row's cells, each with its NUL */
    size_t used, cap;
    size_t *offset; /* of each cell in text; SIZE_MAX: absent */
    size_t *len;    /* of each cell */
    struct pp_cell *cell;
    size_t cells;  /* of the row so far */
    size_t header; /* cells of the header; 0: not seen yet */
    bool stop;
    bool nul; /* the file has a NUL byte somewhere */
    int error;
};

static void
fail(struct parse *p, int error)
{
    p->error = error;
    p->stop = true;
}

static void
on_cell(void *bytes, size_t len, void *data)
{
    struct parse *p = data;
    if (p->stop)
        return;
    if (p->header && p->cells >= p->header) { /* a row that is too long: the surplus cells are ignored */
        p->cells++;
        return;
    }
    if (p->cells == MAX_CELLS || len > MAX_CELL_SIZE || p->used + len + 1 > MAX_ROW_SIZE) {
        fail(p, -EMSGSIZE);
        return;
    }
    if (!bytes) {
        p->offset[p->cells++] = SIZE_MAX;
        return;
    }
    if (p->used + len + 1 > p->cap) {
        size_t cap = 2 * (p->used + len + 1);
        char *more = realloc(p->text, cap);
        if (!more) {
            fail(p, -ENOMEM);
            return;
        }
        p->text = more;
        p->cap = cap;
    }
    memcpy(p->text + p->used, bytes, len);
    p->text[p->used + len] = '\0';
    p->len[p->cells] = len;
    p->offset[p->cells++] = p->used;
    p->used += len + 1;
}

/* Does a cell of the row hold a NUL byte? passprobe writes no NUL bytes: a crash left blocks that never
 * reached the disk.
 */
static bool
is_damaged(const struct parse *p, size_t cells)
{
    for (size_t i = 0; p->nul && i < cells; i++)
        if (memchr(p->cell[i].text, '\0', p->cell[i].len))
            return true;
    return false;
}

static void
end_row(struct parse *p, size_t cells)
{
    bool more = true;
    if (p->header && p->reader->rows)
        ++*p->reader->rows;
    if (!is_damaged(p, cells))
        more = p->header ? p->reader->row(p->reader->data, p->cell, cells)
                         : p->reader->header(p->reader->data, p->cell, cells);
    else if (!p->header)
        fail(p, -EINVAL);
    else if (p->reader->damaged)
        ++*p->reader->damaged;
    if (!more)
        p->stop = true;
}

static void
on_row(int terminator, void *data)
{
    struct parse *p = data;
    (void)terminator;
    if (p->stop)
        return;
    size_t cells = p->header ? p->header : p->cells;
    for (size_t i = 0; i < cells; i++) {
        bool present = i < p->cells && p->offset[i] != SIZE_MAX;
        p->cell[i] = (struct pp_cell){.text = present ? p->text + p->offset[i] : "",
                                      .len = present ? p->len[i] : 0,
                                      .present = present};
    }
    end_row(p, cells);
    p->header = cells;
    p->cells = 0;
    p->used = 0;
}

/* Allocate libcsv's buffer, with a limit: no cell may make it grow without end. */
static void *
bounded_realloc(void *old, size_t size)
{
    errno = EMSGSIZE;
    return size > 2 * MAX_CELL_SIZE ? NULL : realloc(old, size);
}

static int
feed(struct csv_parser *parser, struct parse *p, const char *text, size_t len)
{
    p->nul = p->nul || memchr(text, '\0', len);
    if (csv_parse(parser, text, len, on_cell, on_row, p) == len)
        return p->error;
    if (csv_error(parser) == CSV_ENOMEM && errno == ENOMEM)
        return -ENOMEM;
    return csv_error(parser) == CSV_ENOMEM || csv_error(parser) == CSV_ETOOBIG ? -EMSGSIZE : -EINVAL;
}

static int
begin(struct csv_parser *parser, struct parse *p, const struct pp_csv_reader *reader)
{
    *p = (struct parse){.reader = reader};
    p->offset = calloc(MAX_CELLS, sizeof(*p->offset));
    p->len = calloc(MAX_CELLS, sizeof(*p->len));
    p->cell = calloc(MAX_CELLS, sizeof(*p->cell));
    if (!p->offset || !p->len || !p->cell || csv_init(parser, CSV_EMPTY_IS_NULL)) {
        free(p->offset);
        free(p->len);
        free(p->cell);
        return -ENOMEM;
    }
    csv_set_realloc_func(parser, bounded_realloc);
    csv_set_blk_size(parser,
                     65536); /* with the default of 128 bytes, the time for a long cell grows quadratically */
    return 0;
}

/* csv_fini() is not called: a last row without line break is unfinished. */
static int
end(struct csv_parser *parser, struct parse *p, int rc)
{
    csv_free(parser);
    free(p->text);
    free(p->offset);
    free(p->len);
    free(p->cell);
    return rc == 0 && p->header == 0 ? -ENODATA : rc;
}

int
pp_csv_read_text(const char *text, size_t len, const struct pp_csv_reader *reader)
{
    struct csv_parser parser;
    struct parse p;
    int rc = begin(&parser, &p, reader);
    if (rc)
        return rc;
    rc = feed(&parser, &p, text, len);
    return end(&parser, &p, rc);
}

int
pp_csv_read(int dir_fd, const char *name, const struct pp_csv_reader *reader)
{
    struct csv_parser parser;
    struct parse p;
    int fd = pp_open_regular(dir_fd, name, O_RDONLY);
    if (fd < 0)
        return fd;
    char *text = malloc(READ_SIZE);
    int rc = text ? begin(&parser, &p, reader) : -ENOMEM;
    if (rc) {
        free(text);
        close(fd);
        return rc;
    }
    while (rc == 0 && !p.stop) {
        ssize_t got = read(fd, text, READ_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            rc = -errno;
        if (got <= 0)
            break;
        rc = feed(&parser, &p, text, (size_t)got);
    }
    free(text);
    close(fd);
    return end(&parser, &p, rc);
}

/* Read a whole number that a double can hold, as most cells are. @return false: the cell is another kind of
 * number. */
static bool
whole_number(const struct pp_cell *cell, double *ret)
{
    uint64_t value = 0;
    if (cell->len == 0 || cell->len > 15)
        return false;
    for (size_t i = 0; i < cell->len; i++) {
        unsigned digit = (unsigned char)cell->text[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        value = 10 * value + digit;
    }
    *ret = (double)value;
    return true;
}

bool
pp_cell_number(const struct pp_cell *cell, double *ret)
{
    char *stop = NULL;
    if (!cell->present || cell->len == 0)
        return false;
    if (whole_number(cell, ret))
        return true;
    /* no hexadecimal number, "nan", "inf", blanks, ... */
    if (!strchr("-0123456789.", cell->text[0]) || cell->text[strspn(cell->text, "-+.0123456789eE")])
        return false;
    double value = strtod(cell->text, &stop); /* the command never calls setlocale(): this is the C locale */
    if (*stop || !(fabs(value) <= PP_CELL_MOST))
        return false;
    *ret = value;
    return true;
}

bool
pp_cell_is(const struct pp_cell *cell, const char *text)
{
    return cell->present && strcmp(cell->text, text) == 0;
}
