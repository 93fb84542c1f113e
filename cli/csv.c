/** @file
 * See csv.h. A session's draws.csv may have a gigabyte: rows are cut out of one buffer in place, and only
 * what has quotes is looked at byte by byte. */
#include "cli/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CELLS     4096U
#define MAX_CELL_SIZE ((size_t)1 << 20)
#define MAX_ROW_SIZE  ((size_t)16 << 20)
#define READ_SIZE     ((size_t)256 << 10)

/* One file being read. */
struct parse {
    const struct pp_csv_reader *reader;
    char *text;        /* what is in memory of the file; one byte more than cap */
    size_t begin, end; /* of what is not yet read of it */
    size_t looked;     /* from begin on, where no row ends */
    bool quoted;       /* is the byte there inside quotes? */
    size_t cap;
    struct pp_cell *cell;
    size_t header; /* cells of the header; 0: not seen yet */
    bool stop;
};

/* The line break that ends the row at p->begin. @return NULL: it is not in memory yet. */
static char *
row_end(struct parse *p)
{
    for (char *at = p->text + p->begin + p->looked, *end = p->text + p->end; at < end;) {
        char *line = memchr(at, '\n', (size_t)(end - at));
        char *stop = line ? line : end;
        for (char *quote = at; (quote = memchr(quote, '"', (size_t)(stop - quote))); quote++)
            p->quoted = !p->quoted;
        at = line ? line + 1 : end;
        p->looked = (size_t)(at - p->text) - p->begin;
        if (line && !p->quoted)
            return line;
    }
    return NULL;
}

/* A cell that begins with a quote, without its quotes, in place. @return Where it ends in the row. */
static char *
unquote(char *at, const char *end, struct pp_cell *cell)
{
    char *to = at;
    cell->text = at++;
    bool inside = true;
    for (; at < end && (inside || *at != ','); at++) {
        if (*at != '"')
            *to++ = *at;
        else if (inside && at + 1 < end && at[1] == '"')
            *to++ = *at++;
        else
            inside = !inside;
    }
    cell->len = (size_t)(to - cell->text);
    cell->present = true;
    *to = '\0';
    return at;
}

/* Cut the row between begin and end into cells. @return 0, -EFBIG. */
static int
cut(struct parse *p, char *at, char *end, size_t *ret_cells)
{
    size_t most = p->header ? p->header : MAX_CELLS, cells = 0;
    if (end > at && end[-1] == '\r')
        end--;
    *end = '\0';
    for (;; at++) {
        struct pp_cell surplus; /* a row that is too long: nobody's */
        struct pp_cell *cell = cells < most ? &p->cell[cells] : &surplus;
        if (cells == most && !p->header)
            return -EFBIG;
        if (*at == '"' && at < end) {
            at = unquote(at, end, cell);
        } else {
            char *comma = memchr(at, ',', (size_t)(end - at));
            cell->text = at;
            at = comma ? comma : end;
            cell->len = (size_t)(at - cell->text);
            cell->present = cell->len > 0;
        }
        if (cell->len > MAX_CELL_SIZE)
            return -EFBIG;
        cells += cells < most;
        if (at >= end)
            break;
        *at = '\0';
    }
    *ret_cells = cells;
    return 0;
}

static int
take_row(struct parse *p, char *begin, char *end)
{
    size_t cells = 0;
    if (end == begin || (end == begin + 1 && *begin == '\r'))
        return 0;
    int rc = cut(p, begin, end, &cells);
    if (rc)
        return rc;
    for (; cells < p->header; cells++)
        p->cell[cells] = (struct pp_cell){.text = "", .len = 0, .present = false};
    p->stop = p->header ? !p->reader->row(p->reader->data, p->cell, cells)
                        : !p->reader->header(p->reader->data, p->cell, cells);
    p->header = cells;
    return 0;
}

/* All whole rows that are in memory. The last one of a file is not taken without its line break: it is torn.
 */
static int
take_rows(struct parse *p)
{
    int rc = 0;
    for (char *end = NULL; rc == 0 && !p->stop && (end = row_end(p));) {
        char *begin = p->text + p->begin;
        p->begin = (size_t)(end - p->text) + 1;
        p->looked = 0;
        rc = take_row(p, begin, end);
    }
    return rc;
}

/* Room for more of the file behind what is left of it. */
static int
make_room(struct parse *p)
{
    size_t left = p->end - p->begin;
    if (p->begin)
        memmove(p->text, p->text + p->begin, left);
    p->begin = 0;
    p->end = left;
    if (left < p->cap)
        return 0;
    if (left >= MAX_ROW_SIZE)
        return -EFBIG;
    size_t cap = p->cap ? 2 * p->cap : READ_SIZE;
    char *more = realloc(p->text, cap + 1);
    if (!more)
        return -ENOMEM;
    p->text = more;
    p->cap = cap;
    return 0;
}

static int
begin(struct parse *p, const struct pp_csv_reader *reader)
{
    *p = (struct parse){.reader = reader, .cell = calloc(MAX_CELLS, sizeof(*p->cell))};
    return p->cell ? 0 : -ENOMEM;
}

static int
end(struct parse *p, int rc)
{
    free(p->text);
    free(p->cell);
    return rc == 0 && p->header == 0 ? -EINVAL : rc;
}

int
pp_csv_read_text(const char *text, size_t len, const struct pp_csv_reader *reader)
{
    struct parse p;
    int rc = begin(&p, reader);
    while (rc == 0 && !p.stop && len) {
        rc = make_room(&p);
        size_t part = rc ? 0 : p.cap - p.end < len ? p.cap - p.end : len;
        if (part)
            memcpy(p.text + p.end, text, part);
        p.end += part;
        text += part;
        len -= part;
        rc = rc ? rc : take_rows(&p);
    }
    return end(&p, rc);
}

int
pp_csv_read(const char *path, const struct pp_csv_reader *reader)
{
    struct parse p;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    int rc = begin(&p, reader);
    while (rc == 0 && !p.stop && (rc = make_room(&p)) == 0) {
        ssize_t got = read(fd, p.text + p.end, p.cap - p.end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            rc = got < 0 ? -errno : 0;
            break;
        }
        p.end += (size_t)got;
        rc = take_rows(&p);
    }
    close(fd);
    return end(&p, rc);
}

/* Most cells are whole numbers that a double holds. @return false: another kind. */
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
    if (!strchr("-0123456789.", cell->text[0]))
        return false;
    double value = strtod(cell->text, &stop); /* the command never calls setlocale(): this is the C locale */
    if (*stop || !isfinite(value))
        return false;
    *ret = value;
    return true;
}

bool
pp_cell_is(const struct pp_cell *cell, const char *text)
{
    return cell->present && strcmp(cell->text, text) == 0;
}
