/** @file
 * See row_reader.h. */
#include "cli/session/row_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

const struct pp_cell *
pp_row_reader_cell(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    static const struct pp_cell absent = {.text = "", .len = 0, .present = false};
    return r->at[column] == SIZE_MAX ? &absent : &cell[r->at[column]];
}

double
pp_row_reader_number(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    return r->at[column] == SIZE_MAX ? (double)NAN : pp_cell_value(&cell[r->at[column]]);
}

/* Does a column hold numbers only? */
static bool
is_number_column(const struct pp_row_reader *r, const struct pp_cell *cell)
{
    enum pp_column_kind kind = pp_column_kind(cell->text);
    return kind == PP_COLUMN_WHOLE || kind == PP_COLUMN_REAL ||
           (kind == PP_COLUMN_PLACE && r->rec && r->rec->of_schema_2);
}

void
pp_row_reader_columns(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    memset(r->number, 0, sizeof(r->number));
    for (size_t i = 0; i < cells && i < PP_CSV_COLUMNS_MOST; i++)
        if (is_number_column(r, &cell[i]))
            r->number[i / 64] |= UINT64_C(1) << i % 64;
    pp_columns_find_all(cell, cells, r->at);
}

/* Is a cell a number, or absent? Most are a few digits. */
static bool
is_number(const struct pp_cell *cell)
{
    size_t i = 0;
    double value = 0;
    while (i < cell->len && i < 16 && cell->text[i] >= '0' && cell->text[i] <= '9')
        i++;
    return i == cell->len || pp_cell_number(cell, &value);
}

void
pp_row_reader_check(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    for (size_t word = 0; word * 64 < cells && word < PP_ARRAY_SIZE(r->number); word++) {
        for (uint64_t left = r->number[word]; left; left &= left - 1) {
            size_t i = word * 64 + (size_t)__builtin_ctzll(left);
            if (i >= cells || is_number(&cell[i]))
                continue;
            struct pp_saved_wrong *wrong = &r->rec->wrong;
            if (wrong->cells++)
                continue;
            wrong->file = r->file;
            wrong->line = *r->rows + 1;
            wrong->column = i + 1;
        }
    }
}

void
pp_saved_add_stack(struct pp_saved_calls *calls, const struct pp_cell *cell)
{
    double id = 0;
    if (calls->stacks == PP_SAVED_STACKS || !pp_cell_number(cell, &id) || !(id > 0 && id < UINT32_MAX))
        return;
    for (uint32_t i = 0; i < calls->stacks; i++)
        if (calls->stack[i] == (uint32_t)id)
            return;
    calls->stack[calls->stacks++] = (uint32_t)id;
}

size_t
pp_saved_level_of(const struct pp_cell *cell)
{
    return pp_cell_is(cell, "draw")   ? PP_SAVED_DRAW
           : pp_cell_is(cell, "pass") ? PP_SAVED_PASS
                                      : PP_SAVED_FRAME;
}

const char *
pp_saved_verdict_name(enum pp_verdict verdict)
{
    static const char *const name[PP_VERDICT_COUNT] = {
        [PP_VERDICT_CPU] = "cpu",   [PP_VERDICT_GPU] = "gpu",     [PP_VERDICT_PRESENT] = "present",
        [PP_VERDICT_SYNC] = "sync", [PP_VERDICT_SLEEP] = "sleep", [PP_VERDICT_NONE] = "unknown"};
    return name[verdict];
}

enum pp_verdict
pp_saved_verdict_of(const struct pp_cell *cell)
{
    for (size_t i = 0; i < PP_VERDICT_NONE; i++)
        if (pp_cell_is(cell, pp_saved_verdict_name((enum pp_verdict)i)))
            return (enum pp_verdict)i;
    return PP_VERDICT_NONE;
}

/* Boyer and Moore's majority vote: a value of more than half of the rows is the last one that is left. */
void
pp_saved_usual_add(struct pp_usual_count *usual, double value)
{
    if (isnan(value))
        return;
    usual->rows++;
    if (!usual->votes)
        usual->value = value;
    if (value < usual->value || value > usual->value)
        usual->votes--;
    else
        usual->votes++;
}

void
pp_saved_sum_add(struct pp_saved_sum *sum, const struct pp_cell *cell)
{
    double value = 0;
    if (!pp_cell_number(cell, &value))
        return;
    sum->sum += value;
    sum->rows++;
}

int
pp_saved_rows(const struct pp_saved_session *rec, const char *name, const char *text, size_t len,
              const struct pp_csv_reader *reader)
{
    return name ? pp_csv_read(rec->dir_fd, name, reader) : pp_csv_read_text(text, len, reader);
}
