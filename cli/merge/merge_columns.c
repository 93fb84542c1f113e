/** @file
 * See merge_run.h. */
#include "cli/merge/merge_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_write.h"
#include "counters/util/grow_array.h"

/* Most columns of a file that cli/session/csv_read.h reads. */
#define PP_MERGE_COLUMNS 4096U

/* Name of the column that counts the runs whose row is not merged. */
#define PP_MERGE_DIFFER_COLUMN "runs:differ"

/* What must be equal in rows of the same work; PIPELINE* is compared, too. */
static const char *const counts[PP_MERGE_FILES][12] = {
    [PP_MERGE_FRAMES] = {"api", "device", "surface", "level", "passes", "draws", "dispatches", "copies"},
    [PP_MERGE_PASSES] = {"kind", "width", "height", "layers", "samples", "draws", "dispatches", "copies",
                         "attachments", "label"},
    [PP_MERGE_DRAWS] = {"call", "vertices", "instances", "groups", "pipeline", "label"},
};
#define PIPELINE "pipeline:"

static bool
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static enum pp_merge_rule
rule_of(const char *name, enum pp_merge_file file, bool of_first)
{
    if (begins(name, "metric:"))
        return PP_MERGE_ANY;
    if (begins(name, "estimate:"))
        return PP_MERGE_MOST;
    if (begins(name, "serialize:"))
        return PP_MERGE_LEAST;
    if (strcmp(name, "bound_by") == 0 && file != PP_MERGE_FRAMES)
        return PP_MERGE_BOTTLENECK;
    return of_first ? PP_MERGE_FIRST : PP_MERGE_ANY;
}

/* Has the list this name, or was it left out? */
static bool
has(const struct pp_merge_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->columns; i++)
        if (columns->column[i].name && strcmp(columns->column[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < columns->left_outs; i++)
        if (strcmp(columns->left_out[i], name) == 0)
            return true;
    return false;
}

/* Note a column that does not fit. */
static int
leave_out(struct pp_merge_columns *columns, const char *name)
{
    if (columns->left_outs == PP_MERGE_COLUMNS)
        return 0;
    int rc = pp_grow_array(&columns->left_out, &columns->left_out_cap, columns->left_outs + 1,
                           sizeof(*columns->left_out));
    if (rc == 0)
        columns->left_out[columns->left_outs++] = name;
    return rc;
}

static void
add(struct pp_merge_columns *columns, const char *name, enum pp_merge_rule rule)
{
    columns->column[columns->columns++] = (struct pp_merge_column){.name = name, .rule = rule};
}

/* Is this column of the first run right of the counters? */
static bool
is_behind_counters(const char *name)
{
    return begins(name, "metric:") || strcmp(name, "id:by_place") == 0 || strcmp(name, "app") == 0;
}

/* Add the columns that only other runs have. */
static int
add_of_others(const struct pp_merge_run *run, size_t runs, enum pp_merge_file file,
              struct pp_merge_columns *ret)
{
    /* what follows: the rest of the first run's columns, and one more */
    const size_t rest = run[0].table[file].columns - ret->columns + 1;
    int rc = 0;
    for (size_t r = 1; r < runs && rc == 0; r++) {
        const struct pp_merge_table *table = &run[r].table[file];
        for (size_t i = 0; i < table->columns && !run[r].left_out && rc == 0; i++) {
            const char *name = table->column[i];
            bool of_first = pp_merge_column_of(&run[0].table[file], name) != SIZE_MAX;
            /* user counters may appear at any time; those of the first run count */
            if (!strchr(name, ':') || begins(name, "app:") || of_first || has(ret, name))
                continue;
            if (ret->columns + rest >= PP_MERGE_COLUMNS)
                rc = leave_out(ret, name);
            else
                add(ret, name, rule_of(name, file, false));
        }
    }
    add(ret, PP_MERGE_DIFFER_COLUMN, PP_MERGE_DIFFER);
    return rc;
}

/* Find where each run has the columns. */
static int
place_columns(const struct pp_merge_run *run, size_t runs, enum pp_merge_file file,
              struct pp_merge_columns *ret)
{
    ret->memory = calloc(ret->columns * runs + 1, sizeof(*ret->memory));
    if (!ret->memory)
        return -ENOMEM;
    for (size_t c = 0; c < ret->columns; c++) {
        ret->column[c].at = ret->memory + c * runs;
        for (size_t r = 0; r < runs; r++)
            ret->column[c].at[r] =
                run[r].left_out ? SIZE_MAX : pp_merge_column_of(&run[r].table[file], ret->column[c].name);
    }
    return 0;
}

static bool
is_count(const char *name, enum pp_merge_file file)
{
    bool count = begins(name, PIPELINE);
    for (size_t i = 0; i < 12 && counts[file][i] && !count; i++)
        count = strcmp(counts[file][i], name) == 0;
    return count;
}

/* Find the columns of a run that are compared with the first run's. */
static int
place_compared(const struct pp_merge_run *run, size_t r, enum pp_merge_file file,
               struct pp_merge_columns *ret)
{
    const struct pp_merge_table *first = &run[0].table[file];
    ret->compared[r] = calloc(first->columns + 1, sizeof(*ret->compared[r]));
    if (!ret->compared[r])
        return -ENOMEM;
    for (size_t i = 0; i < first->columns; i++) {
        const char *name = first->column[i];
        size_t at = is_count(name, file) ? pp_merge_column_of(&run[r].table[file], name) : SIZE_MAX;
        if (at != SIZE_MAX)
            ret->compared[r][ret->compared_len[r]++] = (struct pp_merge_compared){
                .name = name, .first = i, .run = at, .may_lack = begins(name, PIPELINE)};
    }
    return 0;
}

int
pp_merge_columns_make(const struct pp_merge_run *run, size_t runs, enum pp_merge_file file,
                      struct pp_merge_columns *ret)
{
    const struct pp_merge_table *first = &run[0].table[file];
    size_t most = 1;
    if (first->columns >= PP_MERGE_COLUMNS)
        return -EFBIG;
    for (size_t r = 0; r < runs; r++)
        most += run[r].table[file].columns;
    *ret = (struct pp_merge_columns){.runs = runs};
    ret->column = calloc(most, sizeof(*ret->column));
    ret->compared = calloc(runs + 1, sizeof(struct pp_merge_compared *));
    ret->compared_len = calloc(runs + 1, sizeof(*ret->compared_len));
    if (!ret->column || !ret->compared || !ret->compared_len)
        return -ENOMEM;
    bool added = false;
    int rc = 0;
    for (size_t i = 0; i <= first->columns; i++) {
        if (!added && (i == first->columns || is_behind_counters(first->column[i]))) {
            rc = add_of_others(run, runs, file, ret);
            added = true;
        }
        if (i < first->columns)
            add(ret, first->column[i], rule_of(first->column[i], file, true));
    }
    rc = rc ? rc : place_columns(run, runs, file, ret);
    for (size_t r = 1; r < runs && rc == 0; r++)
        rc = place_compared(run, r, file, ret);
    return rc;
}

struct pp_cell
pp_merge_cell(const struct pp_csv_row *row, size_t at)
{
    return at < row->cells ? row->cell[at] : (struct pp_cell){.text = "", .len = 0, .present = false};
}

const struct pp_merge_compared *
pp_merge_columns_differ(const struct pp_merge_columns *columns, size_t run, const struct pp_csv_row *first,
                        const struct pp_csv_row *other)
{
    for (size_t i = 0; i < columns->compared_len[run]; i++) {
        const struct pp_merge_compared *compared = &columns->compared[run][i];
        struct pp_cell a = pp_merge_cell(first, compared->first);
        struct pp_cell b = pp_merge_cell(other, compared->run);
        bool one_lacks = a.present != b.present;
        bool same = one_lacks ? compared->may_lack
                              : !a.present || (a.len == b.len && memcmp(a.text, b.text, a.len) == 0);
        if (!same)
            return compared;
    }
    return NULL;
}

void
pp_merge_columns_finish(struct pp_merge_columns *columns)
{
    for (size_t r = 0; columns->compared && r < columns->runs; r++)
        free(columns->compared[r]);
    free(columns->compared);
    free(columns->compared_len);
    free(columns->left_out);
    free(columns->column);
    free(columns->memory);
    *columns = (struct pp_merge_columns){.runs = 0};
}

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
