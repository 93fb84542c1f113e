/** @file
 * Rows into files; see csv_write.h. A write that fails half way is cut back to the last complete row. */
#include "core/report/csv_write.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"
#include "core/util/replace_file.h"
#include "counters/util/own_fd.h"
#include "counters/util/printable.h"

#define FLUSH_BYTES 131072U
#define PAGE_BYTES  4096U

int
pp_csv_open(struct pp_csv *csv, int dir_fd, const char *name)
{
    memset(csv, 0, sizeof(*csv));
    csv->spare_fd = -1;
    csv->fd = pp_file_create(dir_fd, name);
    csv->error = csv->fd < 0 ? csv->fd : 0; /* without a file, all writes are discarded */
    return csv->error;
}

int
pp_csv_open_spare(struct pp_csv *csv, int dir_fd, const char *name, const char *spare)
{
    int rc = pp_csv_open(csv, dir_fd, name);
    if (rc)
        return rc;
    csv->dir_fd = dir_fd;
    csv->name = name;
    csv->spare = spare;
    csv->spare_fd = pp_file_create(dir_fd, spare);
    csv->error = csv->spare_fd < 0 ? csv->spare_fd : 0;
    return csv->error;
}

__attribute__((cold, noinline)) static bool
grow(struct pp_csv *csv, size_t len)
{
    size_t cap = csv->cap ? csv->cap * 2 : (size_t)2 * FLUSH_BYTES;
    while (cap < csv->len + len)
        cap *= 2;
    char *bigger = realloc(csv->buffer, cap);
    if (!bigger) {
        csv->error = -ENOMEM;
        return false;
    }
    csv->buffer = bigger;
    csv->cap = cap;
    return true;
}

/* Are `len` more bytes free in the buffer? The collector mostly writes rows of draws.csv, so a cell has
 * only one test. */
static inline bool
room(struct pp_csv *csv, size_t len)
{
    return !csv->error && (csv->len + len <= csv->cap || grow(csv, len));
}

static void
put(struct pp_csv *csv, const char *bytes, size_t len)
{
    if (len == 0 || !room(csv, len))
        return;
    memcpy(csv->buffer + csv->len, bytes, len);
    csv->len += len;
}

/* Begin a cell of at most `len` bytes. @return Where to write the bytes; NULL: the file has failed. */
static inline char *
cell_room(struct pp_csv *csv, size_t len)
{
    if (!room(csv, len + 1))
        return NULL;
    if (csv->cells++)
        csv->buffer[csv->len++] = ',';
    return csv->buffer + csv->len;
}

static inline void
separate(struct pp_csv *csv)
{
    (void)cell_room(csv, 0);
}

/* Bytes of a text that can be copied as they are. */
static size_t
plain_length(const char *text)
{
    size_t len = 0;
    /* Where plain char is unsigned, bytes above ASCII are greater than the space */
    while (text[len] >= ' ' && (unsigned char)text[len] < 0x80 && text[len] != '"' && text[len] != ',')
        len++;
    return len;
}

void
pp_csv_column(struct pp_csv *csv, const char *name)
{
    pp_csv_text(csv, name);
    pp_empty_column(csv->empty, name);
}

void
pp_csv_text_or(struct pp_csv *csv, const char *text, enum pp_why why)
{
    if (*text)
        pp_csv_text(csv, text);
    else
        pp_csv_empty(csv, why);
}

void
pp_csv_text(struct pp_csv *csv, const char *text)
{
    separate(csv);
    size_t plain = plain_length(text);
    if (text[plain] == '\0') {
        put(csv, text, plain);
        return;
    }
    bool quote = strpbrk(text, ",\"\r\n") != NULL;
    if (quote)
        put(csv, "\"", 1);
    for (const char *p = text; *p;) {
        size_t len = pp_utf8_length((const unsigned char *)p);
        if (len == 0) {
            put(csv, "\xEF\xBF\xBD", 3);
            p++;
            continue;
        }
        if (*p == '"')
            put(csv, "\"", 1);
        put(csv, p, len);
        p += len;
    }
    if (quote)
        put(csv, "\"", 1);
}

void
pp_csv_u64(struct pp_csv *csv, uint64_t value)
{
    char *to = cell_room(csv, PP_NUMBER_ROOM);
    if (to)
        csv->len = (size_t)(pp_put_number(to, value) - csv->buffer);
}

void
pp_csv_number_or(struct pp_csv *csv, uint64_t value, enum pp_why why)
{
    if (value)
        pp_csv_u64(csv, value);
    else
        pp_csv_empty(csv, why);
}

void
pp_csv_f64(struct pp_csv *csv, double value)
{
    char text[64];
    separate(csv);
    int length = snprintf(text, sizeof(text), "%.15g", value);
    for (int digits = 16; digits <= 17 && strtod(text, NULL) != value; digits++)
        length = snprintf(text, sizeof(text), "%.*g", digits, value);
    bool point = false;
    for (int i = 0; i < length; i++) {
        bool plain = strchr("0123456789+-e", text[i]) != NULL;
        if (plain)
            put(csv, &text[i], 1);
        else if (!point) /* the locale's decimal point, which may be several bytes */
            put(csv, ".", 1);
        point = !plain;
    }
}

void
pp_csv_id(struct pp_csv *csv, uint64_t id)
{
    char *to = cell_room(csv, PP_ID_ROOM);
    if (to)
        csv->len = (size_t)(pp_put_id(to, id) - csv->buffer);
}

void
pp_csv_rendered(struct pp_csv *csv, const char *bytes, size_t length)
{
    char *to = cell_room(csv, length);
    if (!to)
        return;
    memcpy(to, bytes, length);
    csv->len += length;
}

void
pp_csv_value(struct pp_csv *csv, struct pp_value value)
{
    if (pp_status_has_value(value.status))
        pp_csv_u64(csv, value.value);
    else
        pp_csv_empty(csv, (enum pp_why)value.status);
}

char *
pp_csv_reserve(struct pp_csv *csv, size_t bytes)
{
    return room(csv, bytes) ? csv->buffer + csv->len : NULL;
}

void
pp_csv_advance(struct pp_csv *csv, const char *end, uint32_t cells)
{
    assert(end >= csv->buffer + csv->len && end <= csv->buffer + csv->cap);
    csv->len = (size_t)(end - csv->buffer);
    csv->cells += cells;
}

void
pp_csv_empty(struct pp_csv *csv, enum pp_why why)
{
    pp_empty_note(csv->empty, csv->cells, why);
    separate(csv);
}

/* Write some complete rows. The kernel copies page by page, and SIGKILL can take effect between two pages.
 * So a write inside one page of the file is never torn; only a row that crosses a page can be torn. (Of
 * 400 processes that were killed while they only wrote, 33 left a torn row; with all rows in one write,
 * 145.) */
static int
write_rows(struct pp_csv *csv, const char *bytes, size_t len)
{
    int rc = pp_file_put(csv->fd, bytes, len, csv->written);
    if (rc == 0)
        csv->written += len;
    else
        (void)!pp_file_cut(csv->fd,
                           csv->written); /* the torn row; else readers drop an unfinished last row */
    return rc;
}

/* The last end of a row among the first @p limit bytes of complete rows; the first one if there is none. A
 * line break inside quotes belongs to a cell. @return Bytes up to it. */
static size_t
last_row_end(const char *bytes, size_t limit, size_t len)
{
    const char *end = bytes + len;
    const char *stop = bytes + limit;
    const char *last = NULL;
    for (const char *p = bytes; p < end;) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        const char *to = quote ? quote : end;
        const char *within = to < stop ? to : stop;
        const char *found = p < within ? memrchr(p, '\n', (size_t)(within - p)) : NULL;
        last = found ? found : last;
        if (to >= stop && !last)
            last = memchr(p, '\n', (size_t)(to - p));
        if (to >= stop && last)
            break;
        const char *closing = quote ? memchr(quote + 1, '"', (size_t)(end - quote - 1)) : NULL;
        p = closing ? closing + 1 : end;
    }
    return last ? (size_t)(last - bytes) + 1 : len;
}

/* Number of bytes of complete rows for one write: up to the end of the page, or one row if it is longer.
 * If the collector is late, all waiting rows go into one write: filesystems then take a page in a third
 * of the time. (Measured on ext4 in Linux 6.18 per 4 KiB: 3.7 us in writes of 4 KiB, 1.4 us in writes of
 * 64 KiB, 1.1 us of 128 KiB, 0.9 us of 1 MiB; on tmpfs 2.8 us and 1.5 us.) */
static size_t
chunk_length(const struct pp_csv *csv, const char *bytes, size_t len)
{
    size_t room = PAGE_BYTES - csv->written % PAGE_BYTES;
    if (len <= room || csv->behind)
        return len;
    return last_row_end(bytes, room, len);
}

/* Flush the files that must be written before this one. If one of them fails, rows that name its missing
 * rows are not written.
 * @return The end of the rows in the buffer that may be written. */
static size_t
flush_befores(struct pp_csv *csv)
{
    int rc = 0;
    size_t end = 0;
    for (uint32_t i = 0; i < csv->befores && csv->row; i++) {
        int one = csv->before[i] ? pp_csv_flush(csv->before[i]) : 0;
        rc = rc ? rc : one;
    }
    if (rc == 0)
        return csv->row;
    for (uint32_t m = 0; m < csv->marks; m++) {
        bool there = true;
        for (uint32_t i = 0; i < csv->befores; i++)
            there = there && (!csv->before[i] || csv->before[i]->written >= csv->mark[m].need[i]);
        end = there ? csv->mark[m].end : end;
    }
    csv->failed_before = rc;
    return end;
}

int
pp_csv_flush(struct pp_csv *csv)
{
    size_t done = 0;
    if (!csv->error && csv->row)
        pp_csv_tail_cut(csv->tail);
    if (!csv->error && csv->row)
        pp_empty_report(csv->empty);
    size_t end = csv->error ? 0 : flush_befores(csv);
    while (!csv->error && done < end) {
        size_t len = chunk_length(csv, csv->buffer + done, end - done);
        csv->error = write_rows(csv, csv->buffer + done, len);
        done += len;
    }
    csv->error = csv->error ? csv->error : csv->failed_before;
    csv->marks = 0;
    if (!csv->error && csv->row) {
        memmove(csv->buffer, csv->buffer + csv->row, csv->len - csv->row);
        csv->len -= csv->row;
        csv->row = 0;
    }
    return csv->error;
}

/* Note which rows of the other files the row that has just ended depends on. */
static void
set_mark(struct pp_csv *csv)
{
    if (pp_array_grow(&csv->mark, &csv->mark_cap, (size_t)csv->marks + 1, sizeof(*csv->mark)))
        return;
    struct pp_csv_mark *mark = &csv->mark[csv->marks++];
    mark->end = csv->row;
    for (uint32_t i = 0; i < csv->befores; i++)
        mark->need[i] = csv->before[i] ? csv->before[i]->written + csv->before[i]->row : 0;
}

int
pp_csv_row(struct pp_csv *csv)
{
    put(csv, "\r\n", 2);
    csv->cells = 0;
    if (csv->error)
        return csv->error;
    csv->row = csv->len;
    csv->rows++;
    if (csv->befores)
        set_mark(csv);
    return csv->row >= FLUSH_BYTES ? pp_csv_flush(csv) : 0;
}

uint64_t
pp_csv_size(const struct pp_csv *csv)
{
    return csv->error ? csv->written : csv->written + csv->row; /* after an error nothing more is written */
}

void
pp_csv_close(struct pp_csv *csv)
{
    pp_csv_tail_leave(csv);
    if (csv->fd >= 0) {
        (void)!pp_csv_flush(csv); /* an error is kept in csv->error; pp_csv_close() has no way to report it */
        pp_fd_close_file(csv->fd);
    }
    if (csv->spare_fd >= 0) {
        pp_file_remove(csv->dir_fd, csv->spare, csv->spare_fd);
        pp_fd_close_file(csv->spare_fd);
    }
    free(csv->buffer);
    free(csv->mark);
    csv->mark = NULL;
    csv->fd = csv->spare_fd = -1;
    csv->buffer = NULL;
}

int
pp_csv_tail_add(struct pp_csv_tail *tail, struct pp_csv *csv)
{
    if (tail->files == PP_CSV_FILES)
        return -ENOSPC;
    tail->file[tail->files++] = csv;
    csv->tail = tail;
    return 0;
}

void
pp_csv_tail_begin(struct pp_csv_tail *tail)
{
    for (uint32_t i = 0; i < tail->files; i++)
        tail->from[i] = tail->file[i]->written + tail->file[i]->row;
    tail->there = true;
}

void
pp_csv_tail_drop(struct pp_csv_tail *tail)
{
    for (uint32_t i = 0; tail->there && i < tail->files; i++) {
        struct pp_csv *csv = tail->file[i];
        tail->stale |= csv->written > tail->from[i];
        if (csv->written > tail->from[i])
            csv->written = tail->from[i];
        csv->len = csv->row = (size_t)(tail->from[i] - csv->written);
        csv->cells = 0;
        while (csv->marks && csv->mark[csv->marks - 1].end > csv->row)
            csv->marks--;
    }
    tail->there = false;
}

void
pp_csv_tail_cut(struct pp_csv_tail *tail)
{
    if (!tail || !tail->stale)
        return;
    tail->stale = false;
    for (uint32_t i = tail->files; i-- > 0;) {
        const struct pp_csv *csv = tail->file[i];
        (void)!pp_file_cut(csv->fd, csv->written);
    }
}

void
pp_csv_tail_leave(struct pp_csv *csv)
{
    struct pp_csv_tail *tail = csv->tail;
    pp_csv_tail_cut(tail);
    for (uint32_t i = 0; tail && i < tail->files; i++)
        if (tail->file[i] == csv) {
            uint32_t behind = tail->files - i - 1;
            memmove(&tail->file[i], &tail->file[i + 1], behind * sizeof(struct pp_csv *));
            memmove(&tail->from[i], &tail->from[i + 1], behind * sizeof(tail->from[0]));
            tail->files--;
        }
    csv->tail = NULL;
}

uint64_t *
pp_csv_tail_from(const struct pp_csv *csv)
{
    struct pp_csv_tail *tail = csv->tail;
    for (uint32_t i = 0; tail && tail->there && i < tail->files; i++)
        if (tail->file[i] == csv)
            return &tail->from[i];
    return NULL;
}

/* Numbers as text, eight digits at a time. */

/* Eight decimal digits of a number below 10^8, each in its own byte, the first digit in the lowest byte.
 * The number is split in halves of four digits, then of two, then of one; the halves are computed in
 * parallel. */
static inline uint64_t
eight_digits(uint32_t number)
{
    uint64_t four = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t high = four * 5243 >> 19 & UINT64_C(0x0000007f0000007f); /* / 100, exact below 10^4 */
    uint64_t two = high | (four - 100 * high) << 16;
    uint64_t tens = two * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* / 10, exact below 100 */
    return tens | (two - 10 * tens) << 8;
}

/* Write a number below 10^8 without leading zeros. @p to holds at least 8 bytes. @return Length of the
 * number. */
static inline size_t
put_first_digits(char *to, uint32_t number)
{
    uint64_t digits = eight_digits(number);
    unsigned zeros = digits ? (unsigned)__builtin_ctzll(digits) / 8U : 7U;
    digits = htole64((digits + UINT64_C(0x3030303030303030)) >> 8 * zeros);
    memcpy(to, &digits, sizeof(digits));
    return 8U - zeros;
}

/* Put all eight digits. */
static inline size_t
put_next_digits(char *to, uint32_t number)
{
    uint64_t digits = htole64(eight_digits(number) + UINT64_C(0x3030303030303030));
    memcpy(to, &digits, sizeof(digits));
    return sizeof(digits);
}

char *
pp_put_long_number(char *to, uint64_t value)
{
    const uint64_t part = 100000000;
    if (value < part)
        return to + put_first_digits(to, (uint32_t)value);
    uint64_t high = value / part;
    size_t length;
    if (high < part) {
        length = put_first_digits(to, (uint32_t)high);
    } else {
        length = put_first_digits(to, (uint32_t)(high / part));
        length += put_next_digits(to + length, (uint32_t)(high % part));
    }
    to += length;
    return to + put_next_digits(to, (uint32_t)(value % part));
}

/* Eight hexadecimal digits in memory order, each nibble in its own byte. */
static uint64_t
hex_digits(uint32_t number)
{
    uint64_t nibble = (number | (uint64_t)number << 16) & UINT64_C(0x0000ffff0000ffff);
    nibble = (nibble | nibble << 8) & UINT64_C(0x00ff00ff00ff00ff);
    nibble = (nibble | nibble << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letter = (nibble + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    return htobe64(nibble + UINT64_C(0x3030303030303030) + letter * ('a' - '0' - 10));
}

char *
pp_put_id(char *to, uint64_t id)
{
    const uint64_t digits[] = {hex_digits((uint32_t)(id >> 32)), hex_digits((uint32_t)id)};
    memcpy(to, digits, sizeof(digits));
    return to + sizeof(digits);
}
