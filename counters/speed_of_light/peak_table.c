/** @file
 * Reading peak tables; see peak_table.h. */
#include "counters/speed_of_light/peak_table.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/csv_cells.h"
#include "pp_texts.h"

#define MAX_BYTES   ((size_t)16 << 20)
#define MAX_COLUMNS 16

enum column { ID, QUANTITY, PEAK, UNIT, RUNS_ON, BASIS, CONFIDENCE, IGNORED, COLUMNS = IGNORED };

static const char *const column_names[COLUMNS] = {
    [ID] = "id",       [QUANTITY] = "quantity",     [PEAK] = "peak", [UNIT] = "unit", [RUNS_ON] = "runs_on",
    [BASIS] = "basis", [CONFIDENCE] = "confidence",
};

/** A table that is being read. */
struct reader {
    struct pp_csv_cells csv;
    locale_t c_locale;
    struct pp_peak_row *row;
    size_t rows, capacity;
    uint8_t column[MAX_COLUMNS]; /**< enum column, by place */
    size_t columns;
    struct pp_peak_error *error; /**< never NULL */
};

__attribute__((format(printf, 4, 5))) static void
fail(struct reader *reader, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list args;
    reader->error->line = line;
    reader->error->column = column;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
}

/* Read the cells of one row, up to MAX_COLUMNS. @retval -ENODATA There are no more rows. */
static int
read_row(struct reader *reader, struct pp_csv_cell *cell, size_t *ret_cells)
{
    size_t n = 0;
    do {
        struct pp_csv_cell next = {0};
        const char *why = NULL;
        int err = pp_csv_cells_next(&reader->csv, &next, &why);
        if (err == -EINVAL)
            return fail(reader, next.line, next.column, "%s", why), -EINVAL;
        if (err)
            return err;
        if (n == MAX_COLUMNS)
            return fail(reader, next.line, next.column, PP_FORMAT_PEAKS_COLUMNS, MAX_COLUMNS), -EINVAL;
        cell[n++] = next;
    } while (!reader->csv.row_done);
    *ret_cells = n;
    return 0;
}

static int
read_header(struct reader *reader)
{
    struct pp_csv_cell cell[MAX_COLUMNS];
    bool seen[COLUMNS] = {false};
    size_t n = 0;
    int err = read_row(reader, cell, &n);
    if (err)
        return err == -ENODATA ? fail(reader, 1, 1, PP_TEXT_PEAKS_EMPTY), -EINVAL : err;
    for (size_t i = 0; i < n; i++) {
        unsigned c = 0;
        while (c < COLUMNS && strcmp(column_names[c], cell[i].text) != 0)
            c++;
        if (c == COLUMNS && strcmp(cell[i].text, "note") != 0)
            return fail(reader, cell[i].line, cell[i].column, PP_FORMAT_PEAKS_COLUMN, cell[i].text), -EINVAL;
        if (c < COLUMNS && seen[c])
            return fail(reader, cell[i].line, cell[i].column, PP_FORMAT_PEAKS_COLUMN_TWICE, column_names[c]),
                   -EINVAL;
        if (c < COLUMNS)
            seen[c] = true;
        reader->column[i] = (uint8_t)c;
    }
    for (unsigned c = ID; c <= UNIT; c++) {
        if (!seen[c])
            return fail(reader, cell[0].line, 1, PP_FORMAT_PEAKS_COLUMN_MISSING, column_names[c]), -EINVAL;
    }
    reader->columns = n;
    return 0;
}

static const char *
skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Read one factor of a peak: a decimal number or a $Variable, whose name is terminated in place. */
static int
read_factor(struct reader *reader, const struct pp_csv_cell *cell, char **text, struct pp_peak_row *row)
{
    char *p = *text;
    uint32_t column = cell->column + (uint32_t)(p - cell->text);
    if (*p == '$') {
        size_t len = strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        size_t free_slot = 0;
        while (free_slot < PP_PEAK_FACTORS && row->factor[free_slot])
            free_slot++;
        if (!len)
            return fail(reader, cell->line, column, PP_TEXT_PEAKS_VARIABLE), -EINVAL;
        if (free_slot == PP_PEAK_FACTORS)
            return fail(reader, cell->line, column, PP_FORMAT_PEAKS_VARIABLES, PP_PEAK_FACTORS), -EINVAL;
        /* The byte of the $ becomes the terminator's. */
        memmove(p, p + 1, len);
        p[len] = '\0';
        row->factor[free_slot] = p;
        *text = p + len + 1;
        return 0;
    }
    size_t len = strspn(p, "0123456789.eE+-");
    char *end = p;
    double value = len ? strtod_l(p, &end, reader->c_locale) : 0;
    if (end != p + len || !len || !isfinite(value))
        return fail(reader, cell->line, column, PP_FORMAT_PEAKS_FACTOR, p), -EINVAL;
    row->peak *= value;
    *text = end;
    return 0;
}

static int
read_peak(struct reader *reader, const struct pp_csv_cell *cell, struct pp_peak_row *row)
{
    char *p = cell->text + (skip_blanks(cell->text) - cell->text);
    if (!strcmp(p, "max")) {
        row->kind = PP_PEAK_MAXIMUM;
        return 0;
    }
    row->peak = 1;
    for (;;) {
        int err = read_factor(reader, cell, &p, row);
        if (err)
            return err;
        p += skip_blanks(p) - p;
        if (!*p)
            break;
        if (*p != '*')
            return fail(reader, cell->line, cell->column + (uint32_t)(p - cell->text), PP_TEXT_PEAKS_JOIN),
                   -EINVAL;
        p += skip_blanks(p + 1) - p;
    }
    if (!isfinite(row->peak))
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_RANGE), -EINVAL;
    return 0;
}

static bool
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + (n - m), end);
}

static int
read_kind(struct reader *reader, const struct pp_csv_cell *unit, const struct pp_csv_cell *peak,
          struct pp_peak_row *row)
{
    if (row->kind == PP_PEAK_MAXIMUM)
        return 0;
    if (ends_with(unit->text, "/clk"))
        row->kind = PP_PEAK_PER_CLOCK;
    else if (ends_with(unit->text, "/s"))
        row->kind = PP_PEAK_PER_SECOND;
    else if (!strcmp(unit->text, "percent"))
        row->kind = PP_PEAK_PERCENT;
    if (row->kind != PP_PEAK_INFO && !(row->peak > 0))
        return fail(reader, peak->line, peak->column, PP_TEXT_PEAKS_POSITIVE), -EINVAL;
    return 0;
}

static int
check_id(struct reader *reader, const struct pp_csv_cell *cell)
{
    const char *id = cell->text;
    size_t good = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    if (!*id)
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_ID_EMPTY), -EINVAL;
    if (id[good])
        return fail(reader, cell->line, cell->column + (uint32_t)good, PP_TEXT_PEAKS_ID), -EINVAL;
    if (*id == '.' || good > 31)
        return fail(reader, cell->line, cell->column,
                    *id == '.' ? PP_TEXT_PEAKS_ID_DOT : PP_TEXT_PEAKS_ID_LONG),
               -EINVAL;
    for (size_t i = 0; i < reader->rows; i++) {
        if (!strcmp(reader->row[i].id, id))
            return fail(reader, cell->line, cell->column, PP_FORMAT_PEAKS_ID_TWICE,
                        (unsigned)reader->row[i].line, id),
                   -EINVAL;
    }
    return 0;
}

/* Check the name of a unit; an empty one is fine. */
static int
check_unit_name(struct reader *reader, const struct pp_csv_cell *cell)
{
    size_t good = strspn(cell->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (cell->text[good])
        return fail(reader, cell->line, cell->column + (uint32_t)good, PP_TEXT_PEAKS_UNIT), -EINVAL;
    if (good > 31)
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_UNIT_LONG), -EINVAL;
    return 0;
}

static int
parse_row(struct reader *reader, struct pp_csv_cell *cell, size_t cells, struct pp_peak_row *row)
{
    const struct pp_csv_cell *by[COLUMNS + 1] = {NULL};
    if (cells != reader->columns)
        return fail(reader, cell[0].line, cell[cells - 1].column, PP_FORMAT_PEAKS_CELLS, cells,
                    reader->columns),
               -EINVAL;
    for (size_t i = 0; i < cells; i++)
        by[reader->column[i]] = &cell[i];
    if (!by[ID] || !by[QUANTITY] || !by[PEAK] || !by[UNIT])
        return -EINVAL; /* read_header() has checked that */
    int err = check_id(reader, by[ID]);
    *row = (struct pp_peak_row){
        .id = by[ID]->text,
        .quantity = by[QUANTITY]->text,
        .unit = by[UNIT]->text,
        .runs_on = by[RUNS_ON] ? by[RUNS_ON]->text : "",
        .basis = by[BASIS] ? by[BASIS]->text : "",
        .confidence = by[CONFIDENCE] ? by[CONFIDENCE]->text : "",
        .line = by[ID]->line,
    };
    if (!err && by[RUNS_ON])
        err = check_unit_name(reader, by[RUNS_ON]);
    if (!err)
        err = read_peak(reader, by[PEAK], row);
    return err ? err : read_kind(reader, by[UNIT], by[PEAK], row);
}

static int
read_rows(struct reader *reader)
{
    struct pp_csv_cell cell[MAX_COLUMNS];
    struct pp_peak_row row;
    size_t n = 0;
    int err;
    while (!(err = read_row(reader, cell, &n))) {
        err = parse_row(reader, cell, n, &row);
        if (err)
            return err;
        /* The search for duplicates is quadratic: limit the number of rows. */
        if (reader->rows == reader->capacity)
            return fail(reader, row.line, 1, PP_FORMAT_PEAKS_ROWS, reader->capacity), -EINVAL;
        reader->row[reader->rows++] = row;
    }
    return err == -ENODATA ? 0 : err;
}

/* The largest number of rows in a text of this size, at most 4096: a row has at least six bytes. */
static size_t
capacity_for(size_t size)
{
    size_t capacity = size / 6 + 1;
    return capacity < 4096 ? capacity : 4096;
}

int
pp_peak_table_parse(const char *text, size_t size, struct pp_peak_table *ret, struct pp_peak_error *error)
{
    struct pp_peak_error unused;
    struct reader reader = {.error = error ? error : &unused};
    if (size > MAX_BYTES) {
        fail(&reader, 1, 1, PP_TEXT_PEAKS_LARGE);
        return -E2BIG;
    }
    reader.capacity = capacity_for(size);
    size_t rows_bytes = reader.capacity * sizeof(*reader.row);
    reader.row = malloc(rows_bytes + size + 1);
    if (!reader.row)
        return -ENOMEM;
    reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader.c_locale) {
        free(reader.row);
        return -ENOMEM;
    }
    char *bytes = (char *)reader.row + rows_bytes;
    if (size)
        memcpy(bytes, text, size);
    pp_csv_cells_init(&reader.csv, bytes, size);
    int err = read_header(&reader);
    if (!err)
        err = read_rows(&reader);
    freelocale(reader.c_locale);
    if (err) {
        free(reader.row);
        return err;
    }
    *ret = (struct pp_peak_table){.row = reader.row, .rows = reader.rows, .memory = reader.row};
    return 0;
}

void
pp_peak_table_destroy(struct pp_peak_table *table)
{
    free(table->memory);
    *table = (struct pp_peak_table){0};
}

const struct pp_peak_builtin *
pp_peak_builtin_find(const char *name)
{
    const struct pp_peak_builtin *builtin;
    for (size_t i = 0; (builtin = pp_peak_builtin(i)); i++) {
        if (!strcmp(builtin->name, name))
            return builtin;
    }
    return NULL;
}
