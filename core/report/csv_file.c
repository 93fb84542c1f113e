/** @file
 * See csv_file.h. CSV files of the session directory;
 *
 * Writes a file anew with more columns; */
#include "core/report/csv_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/csv_write.h"
#include "core/util/replace_file.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/own_fd.h"

/* Bytes of a cell with a whole number, including comma and sign. */
#define COUNTER_ROOM (PP_NUMBER_ROOM + 2U)

static inline bool
lacks(const struct pp_csv *csv, const struct pp_column *column)
{
    return column->hidden || (column->single && csv->sums);
}

static void
write_header(struct pp_csv *csv, const struct pp_csv_header *header, const struct pp_session *session)
{
    for (size_t i = 0; i < header->columns; i++)
        pp_csv_column(csv, header->column[i]);
    for (uint32_t i = 0; i < session->rows.columns; i++)
        if (!lacks(csv, &session->rows.column[i]))
            pp_csv_column(csv, session->rows.column[i].name);
    for (uint32_t i = 0; header->metrics && i < session->rows.metrics; i++)
        pp_csv_column(csv, session->rows.metric[i].name);
    for (size_t i = 0; i < PP_ARRAY_SIZE(header->last) && header->last[i]; i++)
        pp_csv_column(csv, header->last[i]);
}

/* Let frames.csv be written after this file. */
static int
add_rows_file(struct pp_csv_files *files, struct pp_csv *csv)
{
    for (uint32_t i = 0; i < PP_CSV_FILES; i++)
        if (!files->rows[i]) {
            files->rows[i] = csv;
            return 0;
        }
    return -ENOSPC;
}

int
pp_csv_file_begin(const struct pp_writer_place *place, const struct pp_csv_header *header, struct pp_csv *csv)
{
    int rc = header->spare ? pp_csv_open_spare(csv, place->dir_fd, header->name, header->spare)
                           : pp_csv_open(csv, place->dir_fd, header->name);
    csv->empty = pp_empty_begin(&place->session->empty, header->name);
    csv->sums = header->sums;
    if (header->names_rows) {
        csv->before = place->files->rows;
        csv->befores = PP_CSV_FILES;
    }
    write_header(csv, header, place->session);
    rc = rc ? rc : pp_csv_row(csv);
    rc = rc ? rc : pp_csv_flush(csv);
    if (rc == 0 && !header->names_rows)
        rc = add_rows_file(place->files, csv);
    return rc ? rc : pp_csv_tail_add(&place->files->tail, csv);
}

void
pp_csv_file_end(const struct pp_writer_place *place, struct pp_csv *csv)
{
    for (uint32_t i = 0; i < PP_CSV_FILES; i++)
        if (place->files->rows[i] == csv)
            place->files->rows[i] = NULL;
    pp_csv_close(csv);
}

/* Write a signed number. @p to holds at least 1 + PP_NUMBER_ROOM bytes. @return The byte after the number. */
static inline char *
put_signed_number(char *to, int64_t value)
{
    if (value >= 0)
        return pp_put_number(to, (uint64_t)value);
    *to = '-';
    return pp_put_number(to + 1, -(uint64_t)value);
}

static void
put_real_counter(struct pp_csv *csv, uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    if (pp_value_is_real(number))
        pp_csv_f64(csv, number);
    else
        pp_csv_empty(csv, (enum pp_why)PP_REJECTED);
}

/* The buffer is tested only once for a row of whole numbers, because such rows are most of what the
 * collector writes. */
void
pp_csv_counters(struct pp_csv *csv, const struct pp_session *session, const struct pp_value *counter)
{
    const struct pp_column *column = session->rows.column;
    const struct pp_column *end = column + session->rows.columns;
    while (column < end) {
        char *to = pp_csv_reserve(csv, (size_t)(end - column) * COUNTER_ROOM);
        uint32_t cells = csv->cells;
        if (!to)
            return;
        for (; column < end && (column->hidden || column->number != PP_NUMBER_F64); column++, counter++) {
            if (lacks(csv, column))
                continue;
            if (cells++)
                *to++ = ',';
            if (!pp_status_has_value(counter->status)) {
                pp_empty_note(csv->empty, cells - 1, (enum pp_why)counter->status);
                continue;
            }
            if (column->number == PP_NUMBER_I64)
                to = put_signed_number(to, (int64_t)counter->value);
            else
                to = pp_put_number(to, counter->value);
        }
        pp_csv_advance(csv, to, cells - csv->cells);
        for (; column < end && !column->hidden && column->number == PP_NUMBER_F64; column++, counter++) {
            if (pp_status_has_value(counter->status))
                put_real_counter(csv, counter->value);
            else
                pp_csv_empty(csv, (enum pp_why)counter->status);
        }
    }
}

void
pp_csv_metrics(struct pp_csv *csv, const struct pp_session *session, const struct pp_value *counter)
{
    const struct pp_value *value = counter + session->rows.columns;
    for (uint32_t i = 0; i < session->rows.metrics; i++) {
        double number;
        memcpy(&number, &value[i].value, sizeof(number));
        bool whole = session->rows.metric[i].number == PP_NUMBER_U64;
        if (!pp_status_has_value(value[i].status) || !(whole || pp_value_is_real(number)))
            pp_csv_empty(csv, PP_WHY_FORMULA);
        else if (whole)
            pp_csv_u64(csv, value[i].value);
        else
            pp_csv_f64(csv, number);
    }
}

#define CHUNK_BYTES 16384U

static void
put(struct pp_csv *csv, const char *bytes, size_t len)
{
    char *to = len ? pp_csv_reserve(csv, len) : NULL;
    if (!to)
        return;
    memcpy(to, bytes, len);
    pp_csv_advance(csv, to + len, 0);
}

/* @return As pp_read_at(); -EBADF: the file is not passprobe's any more. */
static ssize_t
read_own(int fd, char *ret, size_t size, uint64_t at)
{
    return pp_fd_is_own_file(fd) ? pp_read_at(fd, ret, size, at) : -EBADF;
}

/* The columns' names for the first row, empty cells for the others, and the row's end. */
static int
end_wider_row(struct pp_csv *wide, bool header, const char *const *column, uint32_t columns)
{
    wide->cells = 1;
    for (uint32_t i = 0; i < columns; i++) {
        if (header)
            pp_csv_text(wide, column[i]);
        else
            pp_csv_empty(wide, PP_WHY_APP); /* noted by pp_csv_widen() */
    }
    return pp_csv_row(wide);
}

/* Write NUL as first byte until the file is whole, so that no reader takes it for a header. */
static void
hide_begin(struct pp_csv *wide)
{
    if (wide->written == 0 && wide->len > 0)
        wide->buffer[0] = '\0';
}

/* Copy all rows of a file, each with additional cells. A line break outside quotes always ends a row. */
static int
copy_wider(const struct pp_csv *csv, struct pp_csv *wide, const char *const *column, uint32_t columns,
           uint64_t *io_tail)
{
    char bytes[CHUNK_BYTES];
    bool quoted = false;
    bool header = true;
    uint64_t tail = *io_tail;
    for (uint64_t at = 0; at < csv->written;) {
        uint64_t left = csv->written - at;
        ssize_t got = read_own(csv->fd, bytes, left < sizeof(bytes) ? (size_t)left : sizeof(bytes), at);
        if (got <= 0)
            return got < 0 ? (int)got : -EIO;
        size_t from = 0;
        for (size_t i = 0; i < (size_t)got; i++) {
            if (bytes[i] == '"')
                quoted = !quoted;
            if (quoted || (bytes[i] != '\r' && bytes[i] != '\n'))
                continue;
            put(wide, bytes + from, i - from);
            hide_begin(wide);
            from = i + 1;
            int rc = bytes[i] == '\n' ? end_wider_row(wide, header, column, columns) : 0;
            if (rc)
                return rc;
            if (at + from == tail)
                *io_tail = wide->written + wide->row;
            header = header && bytes[i] == '\r';
        }
        put(wide, bytes + from, (size_t)got - from);
        at += (uint64_t)got;
    }
    return pp_csv_flush(wide);
}

/* The rows so far have empty cells in the new columns. session.json says why before the spare is whole: from
 * then on readers may take the spare. */
static void
announce_columns(const struct pp_csv *csv, const char *const *column, uint32_t columns)
{
    for (uint32_t i = 0; csv->empty && i < columns; i++) {
        pp_empty_column(csv->empty, column[i]);
        if (csv->rows > 1) /* not only the header */
            pp_empty_note(csv->empty, csv->empty->columns - 1, PP_WHY_APP);
    }
    pp_empty_report(csv->empty);
}

/* Write all wider rows into the spare. @return Their length in @p ret_written, and in @p io_tail the
 * offset of the tail. */
static int
fill_spare(const struct pp_csv *csv, const char *const *column, uint32_t columns, uint64_t *ret_written,
           uint64_t *io_tail)
{
    struct pp_csv wide = {.fd = csv->spare_fd, .spare_fd = -1};
    char first = '\0';
    int rc = read_own(csv->fd, &first, 1, 0) == 1 ? 0 : -EIO;
    rc = rc ? rc : copy_wider(csv, &wide, column, columns, io_tail);
    free(wide.buffer);
    if (rc == 0)
        announce_columns(csv, column, columns);
    rc = rc ? rc : pp_file_put(csv->spare_fd, &first, 1, 0);
    if (rc == 0)
        *ret_written = wide.written;
    return rc;
}

/* Copy the rows of the spare into the file itself. */
static int
copy_back(const struct pp_csv *csv, uint64_t bytes)
{
    char chunk[CHUNK_BYTES];
    for (uint64_t at = 0; at < bytes;) {
        uint64_t left = bytes - at;
        ssize_t got = read_own(csv->spare_fd, chunk, left < sizeof(chunk) ? (size_t)left : sizeof(chunk), at);
        int rc = got > 0 ? pp_file_put(csv->fd, chunk, (size_t)got, at) : got < 0 ? (int)got : -EIO;
        if (rc)
            return rc;
        at += (uint64_t)got;
    }
    return 0;
}

int
pp_csv_widen(struct pp_csv *csv, const char *const *column, uint32_t columns)
{
    uint64_t written = 0;
    uint64_t *from = pp_csv_tail_from(csv);
    uint64_t tail = from ? *from : UINT64_MAX;
    pp_csv_tail_cut(csv->tail);
    int rc = pp_csv_flush(csv);
    rc = rc ? rc : fill_spare(csv, column, columns, &written, &tail);
    if (rc) {
        (void)!pp_file_cut(csv->spare_fd, 0);
        return rc;
    }
    /* If the copy fails too because the disk is full, the spare is the file from now on; readers know this
     * rule. */
    if (pp_file_exchange(csv->dir_fd, csv->name, csv->fd, csv->spare, csv->spare_fd) == 0 ||
        copy_back(csv, written)) {
        int fd = csv->fd;
        csv->fd = csv->spare_fd;
        csv->spare_fd = fd;
    }
    csv->written = written;
    if (from)
        *from = tail;
    (void)!pp_file_cut(csv->spare_fd, 0);
    return 0;
}
