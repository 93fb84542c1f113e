/** @file
 * See csv_cursor.h. */
#include "cli/merge/csv_cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "counters/util/grow_array.h"

#define MAX_CELLS     4096U
#define MAX_CELL_SIZE ((size_t)1 << 20)
#define MAX_ROW_SIZE  ((size_t)16 << 20)
#define BUFFER_SIZE   ((size_t)64 << 10)

/* A row that is being read. Cells hold offsets in the text until it is complete. */
struct reading {
    struct pp_csv_row *row;
    size_t used;   /* bytes of row->text */
    size_t begin;  /* of the open cell in row->text */
    bool quoted;   /* inside quotes */
    bool escape;   /* the last byte was a quote inside quotes: its end, or half of "" */
    bool was_text; /* the open cell had quotes: it is there even if it is empty */
    bool nul;
};

int
pp_csv_cursor_open(struct pp_csv_cursor *ret, int dir_fd, const char *name)
{
    *ret = (struct pp_csv_cursor){.fd = pp_open_regular(dir_fd, name, O_RDONLY)};
    if (ret->fd < 0) {
        int rc = ret->fd;
        ret->fd = -1;
        return rc;
    }
    ret->buffer = malloc(BUFFER_SIZE);
    if (ret->buffer)
        return 0;
    pp_csv_cursor_close(ret);
    return -ENOMEM;
}

/* Read more of the file. @retval 1 There is a byte. @retval 0 The end. @retval -errno. */
static int
fill(struct pp_csv_cursor *cursor)
{
    cursor->base += cursor->len;
    cursor->at = cursor->len = 0;
    ssize_t got = -1;
    do
        got = pread(cursor->fd, cursor->buffer, BUFFER_SIZE, (off_t)cursor->base);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    cursor->len = (size_t)got;
    return got > 0;
}

static int
add_byte(struct reading *reading, char byte)
{
    struct pp_csv_row *row = reading->row;
    int rc = reading->used >= MAX_ROW_SIZE || reading->used - reading->begin > MAX_CELL_SIZE ? -EFBIG : 0;
    rc = rc ? rc : pp_grow_array(&row->text, &row->text_cap, reading->used + 1, 1);
    if (rc)
        return rc;
    row->text[reading->used++] = byte;
    return 0;
}

/* End the open cell, and begin the next one. */
static int
end_cell(struct reading *reading)
{
    struct pp_csv_row *row = reading->row;
    size_t len = reading->used - reading->begin;
    int rc = row->cells == MAX_CELLS
                 ? -EFBIG
                 : pp_grow_array(&row->cell, &row->cell_cap, row->cells + 1, sizeof(*row->cell));
    rc = rc ? rc : add_byte(reading, '\0');
    if (rc)
        return rc;
    row->cell[row->cells++] = (struct pp_cell){.len = len, .present = len || reading->was_text};
    reading->begin = reading->used;
    reading->was_text = reading->quoted = reading->escape = false;
    return 0;
}

/* Read a byte of a row. @retval 1 The row is complete. @retval 0. @retval -errno. */
static int
take(struct reading *reading, char byte)
{
    reading->nul |= byte == '\0';
    if (reading->quoted && !reading->escape) {
        reading->escape = byte == '"';
        return reading->escape ? 0 : add_byte(reading, byte);
    }
    if (byte == '"') {
        bool is_quote = reading->escape;
        reading->quoted = reading->was_text = true;
        reading->escape = false;
        return is_quote ? add_byte(reading, '"') : 0;
    }
    if (byte == ',')
        return end_cell(reading);
    if (byte == '\n') {
        int rc = end_cell(reading);
        return rc ? rc : 1;
    }
    reading->quoted = reading->escape = false;
    return byte == '\r' ? 0 : add_byte(reading, byte);
}

/* Let the cells point to their texts, which do not move any more. */
static void
place_texts(struct pp_csv_row *row)
{
    const char *text = row->text;
    for (size_t i = 0; i < row->cells; i++) {
        row->cell[i].text = text;
        text += row->cell[i].len + 1;
    }
}

/* Read one row, which may be damaged. @retval 1, 0, -errno As for pp_csv_cursor_next(). */
static int
read_row(struct pp_csv_cursor *cursor, struct reading *reading)
{
    struct pp_csv_row *row = reading->row;
    int rc = 0;
    row->cells = 0;
    row->offset = cursor->base + cursor->at;
    while (rc == 0) {
        if (cursor->at == cursor->len && (rc = fill(cursor)) <= 0)
            return rc;
        rc = take(reading, cursor->buffer[cursor->at++]);
    }
    row->end = cursor->base + cursor->at;
    if (rc > 0)
        place_texts(row);
    return rc;
}

/* Is the row an empty line? */
static bool
is_blank(const struct pp_csv_row *row)
{
    return row->cells == 1 && !row->cell[0].present;
}

int
pp_csv_cursor_next(struct pp_csv_cursor *cursor, struct pp_csv_row *row)
{
    for (;;) {
        struct reading reading = {.row = row};
        int rc = read_row(cursor, &reading);
        if (rc <= 0)
            row->cells = 0;
        if (rc <= 0 || (!reading.nul && !is_blank(row)))
            return rc;
        cursor->damaged += reading.nul;
    }
}

void
pp_csv_cursor_seek(struct pp_csv_cursor *cursor, uint64_t offset)
{
    if (offset >= cursor->base && offset - cursor->base <= cursor->len) {
        cursor->at = (size_t)(offset - cursor->base);
        return;
    }
    cursor->base = offset;
    cursor->at = cursor->len = 0;
}

void
pp_csv_cursor_close(struct pp_csv_cursor *cursor)
{
    if (cursor->fd >= 0)
        close(cursor->fd);
    free(cursor->buffer);
    *cursor = (struct pp_csv_cursor){.fd = -1};
}

void
pp_csv_row_finish(struct pp_csv_row *row)
{
    free(row->text);
    free(row->cell);
    *row = (struct pp_csv_row){.cells = 0};
}
