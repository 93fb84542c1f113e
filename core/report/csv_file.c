/** @file
 * CSV files of the session directory; see csv_file.h. */
#include "core/report/csv_file.h"
#include "core/report/csv_tail.h"

#include <errno.h>
#include <string.h>

#include "core/util/digits.h"
#include "counters/util/array_size.h"

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
