/** @file
 * See csv_read.h. Plain rows are split where they lie (csv_split.h). libcsv reads the header and all other
 * rows, so it decides what those mean. */
#include "cli/session/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/csv_split.h"
#include "cli/session/read_watch.h"
#include "counters/util/fd.h"

#define MAX_CELLS     PP_CSV_COLUMNS_MOST
#define MAX_CELL_SIZE ((size_t)1 << 20)
#define MAX_ROW_SIZE  ((size_t)16 << 20)
#define READ_SIZE     ((size_t)256 << 10)

/* One file or text being read. */
struct pp_csv_file {
    struct pp_csv_reader reader;
    int fd;           /* -1: the text is in memory */
    const char *rest; /* of a text in memory: what was not read yet */
    size_t rest_len;
    char *block;    /* what was read: READ_SIZE bytes, and those that pp_csv_split() may read */
    size_t at;      /* where the next row begins in block */
    size_t len;     /* bytes in block */
    uint64_t begin; /* where block begins in the file */
    uint64_t left;  /* bytes of the part of the file that were not read yet */
    struct csv_parser parser;
    bool row_ended; /* libcsv has seen the end of a row */
    char *text;     /* cells of a row that libcsv reads, each with its NUL */
    size_t used, cap;
    size_t *offset; /* of each cell in text; SIZE_MAX: absent */
    size_t *len_of; /* of each cell */
    struct pp_cell *cell;
    size_t cells;  /* of the row so far */
    size_t header; /* cells of the header; 0: not seen yet */
    bool stop;
    bool nul; /* the file has a NUL byte somewhere */
    int error;
};

static void
fail(struct pp_csv_file *p, int error)
{
    p->error = error;
    p->stop = true;
}

static void
on_cell(void *bytes, size_t len, void *data)
{
    struct pp_csv_file *p = data;
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
    p->len_of[p->cells] = len;
    p->offset[p->cells++] = p->used;
    p->used += len + 1;
}

/* Does a cell of the row hold a NUL byte? passprobe writes no NUL bytes: a crash left blocks that never
 * reached the disk.
 */
static bool
is_damaged(const struct pp_csv_file *p, size_t cells)
{
    for (size_t i = 0; p->nul && i < cells; i++)
        if (memchr(p->cell[i].text, '\0', p->cell[i].len))
            return true;
    return false;
}

static void
end_row(struct pp_csv_file *p, size_t cells)
{
    bool more = true;
    if (p->header && p->reader.rows)
        ++*p->reader.rows;
    if (!is_damaged(p, cells))
        more = p->header ? p->reader.row(p->reader.data, p->cell, cells)
                         : p->reader.header(p->reader.data, p->cell, cells);
    else if (!p->header)
        fail(p, -EINVAL);
    else if (p->reader.damaged)
        ++*p->reader.damaged;
    if (!more)
        p->stop = true;
}

static void
on_row(int terminator, void *data)
{
    struct pp_csv_file *p = data;
    (void)terminator;
    p->row_ended = true;
    if (p->stop)
        return;
    size_t cells = p->header ? p->header : p->cells;
    for (size_t i = 0; i < cells; i++) {
        bool present = i < p->cells && p->offset[i] != SIZE_MAX;
        p->cell[i] = (struct pp_cell){.text = present ? p->text + p->offset[i] : "",
                                      .len = present ? p->len_of[i] : 0,
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

/* Let libcsv read bytes of a row. */
static int
feed(struct pp_csv_file *p, const char *text, size_t len)
{
    if (csv_parse(&p->parser, text, len, on_cell, on_row, p) == len)
        return p->error;
    if (csv_error(&p->parser) == CSV_ENOMEM && errno == ENOMEM)
        return -ENOMEM;
    return csv_error(&p->parser) == CSV_ENOMEM || csv_error(&p->parser) == CSV_ETOOBIG ? -EMSGSIZE : -EINVAL;
}

/* Read bytes of the file, or copy them from memory. @return How many; 0: the text has ended; -errno. */
static ssize_t
take(struct pp_csv_file *p, char *to, size_t most)
{
    ssize_t got = -1;
    most = most < p->left ? most : (size_t)p->left;
    if (p->fd < 0) {
        size_t len = most < p->rest_len ? most : p->rest_len;
        if (len)
            memcpy(to, p->rest, len);
        p->rest += len;
        p->rest_len -= len;
        return (ssize_t)len;
    }
    do
        got = pp_read_watched(p->fd, to, most);
    while (got < 0 && errno == EINTR);
    p->left -= got > 0 ? (uint64_t)got : 0;
    return got < 0 ? -errno : got;
}

/* Put more of the text into the block, behind what is left there. @retval 1 There is more. @retval 0 The text
 * has ended. @retval -errno */
static int
fill(struct pp_csv_file *p)
{
    memmove(p->block, p->block + p->at, p->len - p->at);
    p->len -= p->at;
    p->begin += p->at;
    p->at = 0;
    ssize_t got = take(p, p->block + p->len, READ_SIZE - p->len);
    if (got <= 0)
        return (int)got;
    p->nul = p->nul || memchr(p->block + p->len, '\0', (size_t)got);
    p->len += (size_t)got;
    return 1;
}

/* Length of a text up to its first line end, that byte included. */
static size_t
line_length(const char *text, size_t len)
{
    size_t end = 0;
    while (end < len && text[end] != '\n' && text[end] != '\r')
        end++;
    return end < len ? end + 1 : len;
}

/* Let libcsv read a row, line by line until the row ends. @retval 1, 0, -errno As fill(). */
static int
read_other_row(struct pp_csv_file *p)
{
    int rc = 1;
    for (p->row_ended = false; rc > 0 && !p->row_ended;) {
        if (p->at == p->len) {
            rc = fill(p);
            continue;
        }
        size_t len = line_length(p->block + p->at, p->len - p->at);
        int fed = feed(p, p->block + p->at, len);
        p->at += len;
        rc = fed ? fed : rc;
    }
    return rc;
}

/* Read the next row. @retval 1, 0, -errno As fill(). */
static int
read_row(struct pp_csv_file *p)
{
    size_t size = 0;
    while (p->at < p->len && (p->block[p->at] == '\n' || p->block[p->at] == '\r'))
        p->at++;
    if (p->reader.place)
        *p->reader.place = p->begin + p->at;
    enum pp_csv_row_kind kind =
        p->header ? pp_csv_split(p->block + p->at, p->len - p->at, p->cell, p->header, &size) : PP_CSV_OTHER;
    if (kind == PP_CSV_PLAIN) {
        p->at += size;
        end_row(p, p->header);
        return 1;
    }
    if (kind == PP_CSV_OTHER || (p->at == 0 && p->len == READ_SIZE))
        return read_other_row(p);
    return fill(p);
}

static int
begin(struct pp_csv_file *p, const struct pp_csv_reader *reader)
{
    *p = (struct pp_csv_file){.reader = *reader, .fd = -1, .left = UINT64_MAX};
    p->offset = calloc(MAX_CELLS, sizeof(*p->offset));
    p->len_of = calloc(MAX_CELLS, sizeof(*p->len_of));
    p->cell = calloc(MAX_CELLS, sizeof(*p->cell));
    p->block = calloc(READ_SIZE + PP_CSV_SPLIT_BEHIND, 1);
    if (!p->offset || !p->len_of || !p->cell || !p->block || csv_init(&p->parser, CSV_EMPTY_IS_NULL)) {
        free(p->offset);
        free(p->len_of);
        free(p->cell);
        free(p->block);
        return -ENOMEM;
    }
    csv_set_realloc_func(&p->parser, bounded_realloc);
    csv_set_blk_size(&p->parser,
                     65536); /* with the default of 128 bytes, the time for a long cell grows quadratically */
    return 0;
}

/* A last row without line break is unfinished: csv_fini() is not called. */
static void
end(struct pp_csv_file *p)
{
    csv_free(&p->parser);
    free(p->text);
    free(p->offset);
    free(p->len_of);
    free(p->cell);
    free(p->block);
    if (p->fd >= 0)
        close(p->fd);
}

int
pp_csv_file_step(struct pp_csv_file *file)
{
    int rc = file->stop ? 0 : read_row(file);
    rc = rc >= 0 && file->error ? file->error : rc;
    return rc == 0 && file->header == 0 ? -ENODATA : rc;
}

int
pp_csv_file_header(struct pp_csv_file *file)
{
    int rc = 1;
    while (rc > 0 && !file->header)
        rc = pp_csv_file_step(file);
    return rc < 0 ? rc : 0;
}

int
pp_csv_file_part(struct pp_csv_file *file, uint64_t from, uint64_t to)
{
    int rc = 1;
    if (lseek(file->fd, (off_t)from, SEEK_SET) < 0)
        return -errno;
    file->begin = from;
    file->left = to - from;
    file->at = file->len = 0;
    while (rc > 0)
        rc = pp_csv_file_step(file);
    return rc;
}

static int
read_all(struct pp_csv_file *p)
{
    int rc = 1;
    while (rc > 0)
        rc = pp_csv_file_step(p);
    end(p);
    return rc;
}

int
pp_csv_read_text(const char *text, size_t len, const struct pp_csv_reader *reader)
{
    struct pp_csv_file p;
    int rc = begin(&p, reader);
    if (rc)
        return rc;
    p.rest = text;
    p.rest_len = len;
    return read_all(&p);
}

/* Open a file. @param p Not yet used. */
static int
open_file(struct pp_csv_file *p, int dir_fd, const char *name, const struct pp_csv_reader *reader)
{
    int fd = pp_open_regular(dir_fd, name, O_RDONLY);
    if (fd < 0)
        return fd;
    int rc = begin(p, reader);
    if (rc)
        close(fd);
    else
        p->fd = fd;
    return rc;
}

int
pp_csv_read(int dir_fd, const char *name, const struct pp_csv_reader *reader)
{
    struct pp_csv_file p;
    int rc = open_file(&p, dir_fd, name, reader);
    return rc ? rc : read_all(&p);
}

int
pp_csv_file_open(int dir_fd, const char *name, const struct pp_csv_reader *reader, struct pp_csv_file **ret)
{
    struct pp_csv_file *file = calloc(1, sizeof(*file));
    int rc = file ? open_file(file, dir_fd, name, reader) : -ENOMEM;
    if (rc)
        free(file);
    else
        *ret = file;
    return rc;
}

void
pp_csv_file_close(struct pp_csv_file *file)
{
    if (file)
        end(file);
    free(file);
}

/* Read a number of at most 15 digits, as most cells are: 123 or 1.5. Its digits and the power of ten are
 * doubles without error, so their quotient is the double that is nearest. Source: Clinger, "How to read
 * floating point numbers accurately", 1990. @return false: the cell is another kind of number. */
static bool
few_digits(const struct pp_cell *cell, double *ret)
{
    static const double power[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t value = 0;
    size_t point = cell->len, len = cell->len;
    if (len == 0 || len > 16)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned char)cell->text[i] - (unsigned)'0';
        if (digit <= 9)
            value = 10 * value + digit;
        else if (cell->text[i] == '.' && point == len && i > 0 && i + 1 < len)
            point = i;
        else
            return false;
    }
    if (point == len && len > 15)
        return false;
    if (point < len && FLT_EVAL_METHOD != 0) /* quotients with more digits would be rounded twice */
        return false;
    *ret = point < len ? (double)value / power[len - 1 - point] : (double)value;
    return true;
}

bool
pp_cell_number(const struct pp_cell *cell, double *ret)
{
    char *stop = NULL;
    if (!cell->present || cell->len == 0)
        return false;
    if (few_digits(cell, ret))
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
