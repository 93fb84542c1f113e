/** @file
 * See merge_cells.h. */
#include "cli/merge/merge_cells.h"

#include <string.h>

#include "cli/session/csv_write.h"

void
pp_merge_cells_header(FILE *out, const struct pp_merge_columns *columns)
{
    for (size_t i = 0; i < columns->columns; i++) {
        const char *name = columns->column[i].name;
        if (i)
            (void)fputc(',', out);
        pp_csv_write(out, name, strlen(name), !*name);
    }
    pp_csv_end_row(out);
}

/* Is the cell of one run better than that of the runs before it? */
static bool
is_better(enum pp_merge_rule rule, const struct pp_cell *cell, const struct pp_cell *best)
{
    double value = 0;
    double old = 0;
    if (!cell->present || !best->present)
        return cell->present;
    switch (rule) {
    case PP_MERGE_BOTTLENECK:
        return pp_cell_is(best, "under-used");
    case PP_MERGE_LEAST:
        return pp_cell_number(cell, &value) && pp_cell_number(best, &old) && value < old;
    case PP_MERGE_MOST:
        return pp_cell_number(cell, &value) && pp_cell_number(best, &old) && value > old;
    case PP_MERGE_FIRST:
    case PP_MERGE_ANY:
    case PP_MERGE_DIFFER:
        break;
    }
    return false;
}

/* Find the cell of a column in the rows that agree. */
static struct pp_cell
choose(const struct pp_merge_column *column, const struct pp_merge_run *run, size_t runs,
       enum pp_merge_file file, const struct pp_run_set *agree)
{
    struct pp_cell best = pp_merge_cell(&run[0].table[file].row, column->at[0]);
    for (size_t r = 1; r < runs && column->rule != PP_MERGE_FIRST; r++) {
        if (column->at[r] == SIZE_MAX || !pp_run_set_has(agree, r))
            continue;
        struct pp_cell cell = pp_merge_cell(&run[r].table[file].row, column->at[r]);
        if (is_better(column->rule, &cell, &best))
            best = cell;
        if (column->rule == PP_MERGE_ANY && best.present)
            break;
    }
    return best;
}

void
pp_merge_cells_row(FILE *out, struct pp_merge_columns *columns, const struct pp_merge_run *run,
                   enum pp_merge_file file, const struct pp_run_set *agree, int differ)
{
    for (size_t i = 0; i < columns->columns; i++) {
        struct pp_merge_column *column = &columns->column[i];
        if (i)
            (void)fputc(',', out);
        if (column->rule == PP_MERGE_DIFFER) {
            if (differ >= 0)
                (void)fprintf(out, "%d", differ);
            continue;
        }
        struct pp_cell cell = choose(column, run, columns->runs, file, agree);
        column->has_empty |= !cell.present;
        pp_csv_write(out, cell.text, cell.len, cell.present && !cell.len);
    }
    pp_csv_end_row(out);
}
