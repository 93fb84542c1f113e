/** @file
 * See csv_read.h. Plain rows are split where they are (csv_read.h); all others are read byte by byte, by the
 * rules of libcsv, with which the tests compare.
 *
 * Bytes that end cells are found 64 at a time, where the processor has SSE2, else eight at a time. */
#include "cli/session/csv_read.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/archive/read_watch.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"

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
    char *text;     /* cells of a row that is not plain, each with its NUL */
    size_t text_cap;
    struct pp_cell *cell;
    size_t cell_cap;
    size_t header; /* cells of the header; 0: not seen yet */
    size_t split;  /* cells of the row before whose ends are NULs in the block */
    bool rereads;  /* rows may be read again from the block: they are put together again */
    bool nul;      /* the file has a NUL byte somewhere */
    bool stop;     /* a function of the reader wants no more rows */
};

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

/* Put more of the text into the block, after what is left there. @retval 1 There is more. @retval 0 The text
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

/* A row that is read byte by byte. Its last cell is open. */
struct other_row {
    enum { BEFORE_ROW, BEFORE_CELL, IN_CELL, BEHIND_QUOTE } state;
    bool quoted;   /* the open cell is in quotes */
    size_t blanks; /* at the end of the open cell, as far as it has been read */
    size_t used;   /* bytes of the text */
    size_t cell;   /* where the open cell begins in the text */
    size_t cells;  /* that are complete, also those that are too many */
};

static int
add_byte(struct pp_csv_file *p, struct other_row *row, char byte)
{
    if (row->used - row->cell == 2 * MAX_CELL_SIZE)
        return -EMSGSIZE;
    int rc = pp_grow_array(&p->text, &p->text_cap, row->used + 2, 1);
    if (rc == 0)
        p->text[row->used++] = byte;
    return rc;
}

/* End the open cell. The text may move while the row grows, so the cell has no pointer yet. */
static int
end_cell(struct pp_csv_file *p, struct other_row *row)
{
    size_t most = p->header ? p->header : MAX_CELLS;
    size_t len = row->used - row->cell - (p->reader.keeps_blanks && !row->quoted ? 0 : row->blanks);
    bool present = row->quoted || len;
    int rc = 0;
    row->used = row->cell;
    if (row->cells < most || !p->header) {
        if (row->cells == most || len > MAX_CELL_SIZE || row->used + len + 1 > MAX_ROW_SIZE)
            return -EMSGSIZE;
        rc = pp_grow_array(&p->cell, &p->cell_cap, row->cells + 1, sizeof(*p->cell));
        rc = rc ? rc : pp_grow_array(&p->text, &p->text_cap, row->used + len + 1, 1);
        if (rc)
            return rc;
        p->cell[row->cells] = (struct pp_cell){.text = "", .len = len, .present = present};
        row->used += present ? len + 1 : 0;
        if (present)
            p->text[row->used - 1] = '\0';
    }
    row->cells++;
    row->cell = row->used;
    row->quoted = false;
    row->blanks = 0;
    row->state = BEFORE_CELL;
    return 0;
}

/* Read a byte before a cell. @retval 1, 0, -errno As take_byte(). */
static int
take_before(struct pp_csv_file *p, struct other_row *row, char byte)
{
    bool blank = (byte == ' ' || byte == '\t') && !p->reader.keeps_blanks;
    if (blank)
        return 0;
    if (byte == '\r' || byte == '\n') {
        int rc = row->state == BEFORE_CELL ? end_cell(p, row) : 0;
        return rc ? rc : row->state == BEFORE_CELL;
    }
    if (byte == ',')
        return end_cell(p, row);
    row->state = IN_CELL;
    row->quoted = byte == '"';
    row->blanks = byte == ' ' || byte == '\t';
    return row->quoted ? 0 : add_byte(p, row, byte);
}

/* Read a byte of a row. @retval 1 The row is complete. @retval 0. @retval -errno */
static int
take_byte(struct pp_csv_file *p, struct other_row *row, char byte)
{
    bool line_end = byte == '\r' || byte == '\n', blank = byte == ' ' || byte == '\t';
    bool behind = row->state == BEHIND_QUOTE, ends = behind || !row->quoted;
    if (row->state == BEFORE_ROW || row->state == BEFORE_CELL)
        return take_before(p, row, byte);
    if (ends && (line_end || byte == ',')) {
        row->blanks += behind; /* and the quote */
        int rc = end_cell(p, row);
        return rc ? rc : line_end;
    }
    if (behind && byte == '"' && !row->blanks) { /* two quotes are one; the first one was added */
        row->state = IN_CELL;
        return 0;
    }
    if (!behind && row->quoted && byte == '"') {
        row->state = BEHIND_QUOTE;
        row->blanks = 0;
        return add_byte(p, row, byte);
    }
    if (ends && blank) {
        row->blanks++;
    } else {
        row->blanks = 0;
        if (behind && byte != '"')
            row->state = IN_CELL;
    }
    return add_byte(p, row, byte);
}

/* Read a row byte by byte. @retval 1, 0, -errno As fill(). */
static int
read_other_row(struct pp_csv_file *p)
{
    struct other_row row = {.state = BEFORE_ROW};
    int rc = 0;
    while (rc == 0) {
        if (p->at == p->len && (rc = fill(p)) <= 0)
            return rc;
        rc = take_byte(p, &row, p->block[p->at++]);
    }
    if (rc < 0)
        return rc;
    const char *text = p->text;
    size_t cells = p->header ? p->header : row.cells;
    for (size_t i = 0; i < cells; i++) {
        if (i >= row.cells)
            p->cell[i] = (struct pp_cell){.text = "", .len = 0, .present = false};
        if (!p->cell[i].present)
            continue;
        p->cell[i].text = text;
        text += p->cell[i].len + 1;
    }
    p->header = cells;
    return 1;
}

/* Put the bytes back that the NULs of the row before represent. */
static void
join(struct pp_csv_file *p)
{
    if (p->split)
        pp_csv_join(p->block, p->at, p->cell, p->split);
    p->split = 0;
}

/* Read the next row, which may be damaged. @param ret Its bytes are set. @retval 1, 0, -errno As fill(). */
static int
read_row(struct pp_csv_file *p, struct pp_csv_row *ret)
{
    enum pp_csv_row_kind kind = PP_CSV_OPEN;
    int rc = 1;
    join(p);
    while (rc > 0 && kind == PP_CSV_OPEN) {
        size_t size = 0;
        while (p->at < p->len && (p->block[p->at] == '\n' || p->block[p->at] == '\r'))
            p->at++;
        ret->begin = p->begin + p->at;
        kind = p->header ? pp_csv_split(p->block + p->at, p->len - p->at, p->cell, p->header, &size)
                         : PP_CSV_OTHER;
        if (kind == PP_CSV_OPEN && p->at == 0 && p->len == READ_SIZE)
            kind = PP_CSV_OTHER;
        if (kind == PP_CSV_OPEN)
            rc = fill(p);
        p->at += size;
    }
    p->split = kind == PP_CSV_PLAIN && p->rereads ? p->header : 0;
    if (kind == PP_CSV_OTHER)
        rc = read_other_row(p);
    ret->end = p->begin + p->at;
    return rc;
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

/* Count a row. @retval 1 It is whole. @retval 0 It is damaged. @retval -errno */
static int
note_row(struct pp_csv_file *p, bool header)
{
    bool damaged = is_damaged(p, p->header);
    if (header)
        return damaged ? -EINVAL : 1;
    if (p->reader.rows)
        ++*p->reader.rows;
    if (damaged && p->reader.damaged)
        ++*p->reader.damaged;
    return !damaged;
}

int
pp_csv_file_next(struct pp_csv_file *file, struct pp_csv_row *ret)
{
    int rc = 0;
    while (rc == 0) {
        bool header = !file->header;
        rc = read_row(file, ret);
        ret->cells = 0;
        if (rc <= 0)
            return rc == 0 && header ? -ENODATA : rc;
        rc = note_row(file, header);
    }
    ret->cell = file->cell;
    ret->cells = file->header;
    return rc;
}

/* Give all rows to the reader's functions. */
static int
give_rows(struct pp_csv_file *p)
{
    struct pp_csv_row row;
    bool header = !p->header;
    int rc = 1;
    while (!p->stop && (rc = pp_csv_file_next(p, &row)) > 0) {
        if (p->reader.place)
            *p->reader.place = row.begin;
        p->stop = !(header ? p->reader.header(p->reader.data, row.cell, row.cells)
                           : p->reader.row(p->reader.data, row.cell, row.cells));
        header = false;
    }
    return rc < 0 ? rc : 0;
}

static int
begin(struct pp_csv_file *p, const struct pp_csv_reader *reader)
{
    *p = (struct pp_csv_file){.fd = -1, .left = UINT64_MAX};
    if (reader)
        p->reader = *reader;
    p->block = calloc(READ_SIZE + PP_CSV_SPLIT_BEHIND, 1);
    return p->block ? 0 : -ENOMEM;
}

static void
end(struct pp_csv_file *p)
{
    free(p->text);
    free(p->cell);
    free(p->block);
    if (p->fd >= 0)
        close(p->fd);
}

int
pp_csv_file_seek(struct pp_csv_file *file, uint64_t to)
{
    join(file);
    file->left = UINT64_MAX;
    if (file->rereads && to >= file->begin && to - file->begin <= file->len) {
        file->at = (size_t)(to - file->begin);
        return 0;
    }
    file->rereads = true;
    file->begin = to;
    file->at = file->len = 0;
    return lseek(file->fd, (off_t)to, SEEK_SET) < 0 ? -errno : 0;
}

int
pp_csv_file_part(struct pp_csv_file *file, uint64_t from, uint64_t to)
{
    int rc = lseek(file->fd, (off_t)from, SEEK_SET) < 0 ? -errno : 0;
    file->begin = from;
    file->left = to - from;
    file->at = file->len = file->split = 0;
    return rc ? rc : give_rows(file);
}

static int
read_all(struct pp_csv_file *p)
{
    int rc = give_rows(p);
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
    if (rc) {
        free(file);
        return rc;
    }
    *ret = file;
    return 0;
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

double
pp_cell_value(const struct pp_cell *cell)
{
    double ret = 0;
    return pp_cell_number(cell, &ret) ? ret : (double)NAN;
}

bool
pp_cell_is(const struct pp_cell *cell, const char *text)
{
    return cell->present && strcmp(cell->text, text) == 0;
}

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A text in which marks are looked for: commas, quotes and line ends. */
struct scan {
    const char *text;
    size_t len;
    size_t at;      /* of the bytes that marks describes */
    uint64_t marks; /* a bit of each byte that is a mark, and was not given yet */
};

#ifdef __SSE2__

/* Bytes that marks describe, and bits for each. */
#define MARKED      ((size_t)64)
#define BITS_A_BYTE 1U

static inline uint64_t
marks_of_16(const char *text)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i comma = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')),
                  quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i line = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                  back = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(comma, quote), _mm_or_si128(line, back)));
}

static inline uint64_t
marks_of(const char *text)
{
    return marks_of_16(text) | marks_of_16(text + 16) << 16 | marks_of_16(text + 32) << 32 |
           marks_of_16(text + 48) << 48;
}

#else

#define MARKED          sizeof(uint64_t)
#define BITS_A_BYTE     8U
#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The highest bit of each byte that is zero. Source: Warren, "Hacker's Delight", section 6-1. */
static inline uint64_t
zero_bytes(uint64_t bytes)
{
    const uint64_t low = EACH_BYTE(0x7f);
    return ~(((bytes & low) + low) | bytes | low);
}

static inline uint64_t
marks_of(const char *text)
{
    uint64_t bytes = 0;
    memcpy(&bytes, text, sizeof(bytes));
    uint64_t marks = zero_bytes(bytes ^ EACH_BYTE(',')) | zero_bytes(bytes ^ EACH_BYTE('\n')) |
                     zero_bytes(bytes ^ EACH_BYTE('\r')) | zero_bytes(bytes ^ EACH_BYTE('"'));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    marks = __builtin_bswap64(marks);
#endif
    return marks;
}

#endif

static inline void
scan_from(struct scan *scan, size_t at)
{
    scan->at = at;
    scan->marks = at < scan->len ? marks_of(scan->text + at) : 0;
}

/* The place of the next mark; the text's length: there is none. */
static inline size_t
next_mark(struct scan *scan)
{
    while (!scan->marks) {
        if (scan->at + MARKED >= scan->len)
            return scan->len;
        scan_from(scan, scan->at + MARKED);
    }
    size_t mark = scan->at + (size_t)__builtin_ctzll(scan->marks) / BITS_A_BYTE;
    scan->marks &= scan->marks - 1;
    return mark < scan->len ? mark : scan->len;
}

static inline bool
is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

void
pp_csv_join(char *text, size_t end, const struct pp_cell *cell, size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        size_t begin = (size_t)((uintptr_t)cell[i].text - (uintptr_t)text), at = begin + cell[i].len;
        if (begin < end) /* not a missing cell */
            text[at] = at + 1 == end ? '\n' : begin && text[begin - 1] == '"' ? '"' : ',';
    }
}

/* Find the end of a cell in quotes, whose first quote is at @p begin. @return What the text begins with, as
 * far as this cell says. */
static enum pp_csv_row_kind
quoted_end(struct scan *scan, size_t begin, size_t *ret_end)
{
    const char *close = memchr(scan->text + begin + 1, '"', scan->len - begin - 1);
    size_t end = close ? (size_t)(close - scan->text) : scan->len;
    if (end + 1 >= scan->len)
        return PP_CSV_OPEN;
    char next = scan->text[end + 1];
    if (next != ',' && next != '\r' && next != '\n')
        return PP_CSV_OTHER;
    *ret_end = end;
    scan_from(scan, end + 1);
    return PP_CSV_PLAIN;
}

enum pp_csv_row_kind
pp_csv_split(char *text, size_t len, struct pp_cell *cell, size_t cells, size_t *ret_size)
{
    struct scan scan = {.text = text, .len = len};
    size_t begin = 0, used = 0;
    scan_from(&scan, 0);
    for (;;) {
        size_t mark = next_mark(&scan), end = mark;
        bool quoted = mark < len && text[mark] == '"';
        enum pp_csv_row_kind kind = mark < len ? PP_CSV_PLAIN : PP_CSV_OPEN;
        if (quoted)
            kind = mark == begin ? quoted_end(&scan, begin++, &end) : PP_CSV_OTHER;
        else if (end > begin && (is_blank(text[begin]) || is_blank(text[end - 1])))
            kind = PP_CSV_OTHER;
        if (kind != PP_CSV_PLAIN) {
            pp_csv_join(text, len + 1, cell, used);
            return kind;
        }
        mark = quoted ? next_mark(&scan) : mark;
        bool last = text[mark] != ',';
        if (used < cells) {
            cell[used++] = (struct pp_cell){text + begin, end - begin, quoted || end > begin};
            text[end] = '\0';
        }
        begin = mark + 1;
        if (last)
            break;
    }
    for (; used < cells; used++)
        cell[used] = (struct pp_cell){.text = "", .len = 0, .present = false};
    *ret_size = begin;
    return PP_CSV_PLAIN;
}
