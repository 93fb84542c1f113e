/** @file
 * See frame_table.h. */
#include "cli/analysis/frame_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/stats/stats.h"

static const char *const cell_name[PP_FRAME_CELLS] = {
    [PP_CELL_CPU_START] = "cpu_start_ns",
    [PP_CELL_FRAME_TIME] = "frame_time_ns",
    [PP_CELL_CPU_BUSY] = "cpu_busy_ns",
    [PP_CELL_CPU_WAIT] = "cpu_wait_ns",
    [PP_CELL_CPU_SYNC] = "cpu_sync_ns",
    [PP_CELL_CPU_ACQUIRE] = "cpu_acquire_ns",
    [PP_CELL_GPU_START] = "gpu_start_ns",
    [PP_CELL_GPU_TIME] = "gpu_time_ns",
    [PP_CELL_GPU_BUSY] = "gpu_busy_ns",
    [PP_CELL_DRAWS] = "draws",
    [PP_CELL_DISPATCHES] = "dispatches",
    [PP_CELL_COPIES] = "copies",
    [PP_CELL_PIPELINES] = "pipelines_created",
    [PP_CELL_PIPELINE_TIME] = "pipeline_create_ns",
    [PP_CELL_TASK_CLOCK] = "cpu:task-clock_ns",
    [PP_CELL_RUN_DELAY] = "cpu:run-delay_ns",
    [PP_CELL_PAGE_FAULTS] = "cpu:page-faults",
    [PP_CELL_MAJOR_FAULTS] = "cpu:major-faults",
    [PP_CELL_PREEMPTED] = "cpu:involuntary-switches",
    [PP_CELL_FRAGMENTS] = "pipeline:fragment_shader_invocations",
};

struct table_reading {
    bool every; /* as for pp_frame_table_read_cells() */
    struct pp_row_reader r;
    struct pp_frame_table *table;
    size_t at[PP_FRAME_CELLS + PP_FRAME_EXTRAS]; /* column of the file, SIZE_MAX: it has none */
    size_t wanted;                               /* rows */
};

/* Is this a user counter or the clock of a GPU, or any counter that no cell of its own has? */
static bool
is_extra(const struct pp_cell *cell, bool every)
{
    static const char hwmon[] = "hwmon:", hertz[] = "_hz";
    for (size_t c = 0; c < PP_FRAME_CELLS; c++)
        if (strcmp(cell->text, cell_name[c]) == 0)
            return false;
    if (every)
        return strchr(cell->text, ':') != NULL;
    if (strncmp(cell->text, "app:", strlen("app:")) == 0)
        return true;
    return cell->len > strlen(hwmon) + strlen(hertz) && strncmp(cell->text, hwmon, strlen(hwmon)) == 0 &&
           strcmp(cell->text + cell->len - strlen(hertz), hertz) == 0;
}

int
pp_frame_table_make(const struct pp_saved_session *rec, struct pp_frame_table *ret)
{
    uint32_t *at = calloc(rec->frames + 1, sizeof(*at));
    *ret = (struct pp_frame_table){.row = rec->frame, .len = rec->frames, .at = at};
    return at ? 0 : -ENOMEM;
}

/* Find the columns of all cells, and make memory for the rows that are wanted. */
static bool
cells_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    struct pp_frame_table *table = t->table;
    size_t most = t->every ? PP_FRAME_EXTRAS : PP_FRAME_EXTRAS_FEW;
    pp_row_reader_columns(&t->r, cell, cells);
    pp_columns_find(cell, cells, cell_name, PP_FRAME_CELLS, t->at);
    for (size_t i = 0; i < cells && table->extras < most; i++) {
        if (!is_extra(&cell[i], t->every))
            continue;
        table->extra[table->extras] = strdup(cell[i].text);
        if (!table->extra[table->extras]) {
            t->r.error = -ENOMEM;
            return false;
        }
        t->at[PP_FRAME_CELLS + table->extras++] = i;
    }
    table->value = calloc(t->wanted * (PP_FRAME_CELLS + table->extras) + 1, sizeof(*table->value));
    t->r.error = table->value ? 0 : -ENOMEM;
    return t->r.error == 0;
}

static int
by_number(const void *a, const void *b)
{
    const struct pp_saved_frame *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Keep the cells of a row that is wanted, once. */
static bool
cells_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    struct pp_frame_table *table = t->table;
    size_t columns = PP_FRAME_CELLS + table->extras;
    struct pp_saved_frame key = {.number = 0}, *row = NULL;
    (void)cells;
    if (table->len && pp_cell_number(pp_row_reader_cell(&t->r, cell, COL_FRAME), &key.number))
        row = bsearch(&key, table->row, table->len, sizeof(key), by_number);
    if (!row || table->at[row - table->row] != PP_FRAME_WANTED)
        return true;
    double *value = &table->value[table->cells++ * columns];
    table->at[row - table->row] = table->cells;
    for (size_t c = 0; c < columns; c++)
        value[c] = t->at[c] == SIZE_MAX ? (double)NAN : pp_cell_value(&cell[t->at[c]]);
    return true;
}

int
pp_frame_table_read_cells(const struct pp_saved_session *rec, bool every, struct pp_frame_table *table)
{
    /* the reader's functions for rows only look at the session */
    struct table_reading t = {
        .r.rec = (struct pp_saved_session *)(uintptr_t)rec, .table = table, .every = every};
    const struct pp_csv_reader reader = {.header = cells_header, .row = cells_row, .data = &t};
    double *number = calloc(table->len + 1, sizeof(*number));
    if (!number)
        return -ENOMEM;
    for (size_t i = 0; i < table->len; i++)
        if (table->at[i] == PP_FRAME_WANTED)
            number[t.wanted++] = table->row[i].number;
    int rc = pp_row_blocks_read(&rec->frame_blocks, rec->dir_fd, pp_saved_frames_file(rec->dir_fd), number,
                                t.wanted, &reader);
    free(number);
    for (size_t i = 0; i < table->len; i++) /* those that are not in the file any more */
        table->at[i] = table->at[i] == PP_FRAME_WANTED ? 0 : table->at[i];
    return rc ? rc : t.r.error;
}

void
pp_frame_table_finish(struct pp_frame_table *table)
{
    for (size_t i = 0; i < table->extras; i++)
        free(table->extra[i]);
    free(table->at);
    free(table->value);
    *table = (struct pp_frame_table){.len = 0};
}

double
pp_frame_cell(const struct pp_frame_table *table, const struct pp_saved_frame *row, size_t column)
{
    if (column == PP_CELL_FRAME_TIME)
        return row->time_ns;
    uint32_t at = table->at[row - table->row];
    return at ? table->value[(at - 1) * (PP_FRAME_CELLS + table->extras) + column] : (double)NAN;
}

const char *
pp_frame_cell_name(const struct pp_frame_table *table, size_t column)
{
    return column < PP_FRAME_CELLS ? cell_name[column] : table->extra[column - PP_FRAME_CELLS];
}

/* The median of fewer values means nothing. */
#define FEW_NEIGHBOURS 10U

/* The four limits that a slow frame exceeds. The first: times the neighbours' median. */
#define SLOW_FACTOR 1.75
/* The second: standard deviations of the logarithm of their times; 1 of 300,000 normal values exceeds it. */
#define SLOW_SIGMAS 4.5
/* The second limit is at most this many times the median: times with two peaks have a large deviation. */
#define SLOW_FACTOR_MOST 8.0
/* Where the second limit is above this many times the median, it is at most this many times what all but a
 * few neighbours do not exceed. */
#define SLOW_FACTOR_WIDE 6.0
#define SLOW_OVER_FEW    2.0
#define SLOW_FEW         4U
/* The third: times what nine tenths of them do not reach, because a common time is no stutter. */
#define SLOW_OVER_P90 1.5
/* The fourth: above the median. A person can notice it. */
#define SLOW_LEAST_NS 2e6

/* The median distance from the median of a normal distribution, in standard deviations, is 1 / this. */
#define MAD_TO_SIGMA 1.4826

int
pp_frame_series_make(const struct pp_saved_session *rec, const struct pp_frame_table *table, size_t surface,
                     size_t level, double also, struct pp_frame_series *ret)
{
    *ret = (struct pp_frame_series){.table = table};
    ret->row = calloc(table->len + 1, sizeof(*ret->row));
    if (!ret->row)
        return -ENOMEM;
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_saved_frame *row = &table->row[i];
        bool wanted = row->number >= also && row->number <= also;
        if (!row->outside && row->surface == surface && row->level == level &&
            (wanted || !pp_saved_is_first(rec, row->number)))
            ret->row[ret->len++] = (uint32_t)i;
    }
    return 0;
}

void
pp_frame_series_finish(struct pp_frame_series *series)
{
    free(series->row);
    *series = (struct pp_frame_series){.len = 0};
}

void
pp_baseline_neighbours(const struct pp_frame_series *series, size_t block, size_t *ret_from, size_t *ret_to)
{
    size_t to = (block + 3) * PP_BASELINE_BLOCK;
    *ret_from = block > 2 ? (block - 2) * PP_BASELINE_BLOCK : 0;
    *ret_to = to < series->len ? to : series->len;
}

static double
cell(const struct pp_frame_series *series, size_t i, size_t column)
{
    return pp_frame_cell(series->table, &series->table->row[series->row[i]], column);
}

/* The median distance of sorted values from @p middle. @param value Overwritten. */
static double
spread(double *value, size_t n, double middle)
{
    for (size_t i = 0; i < n; i++)
        value[i] = fabs(value[i] - middle);
    pp_stats_sort(value, n);
    return pp_median(value, n);
}

struct pp_baseline
pp_baseline_of_block(const struct pp_frame_series *series, size_t block)
{
    double value[PP_NEIGHBOURS_MAX];
    size_t from = 0, to = 0, n = 0;
    pp_baseline_neighbours(series, block, &from, &to);
    for (size_t i = from; i < to; i++) {
        double time = cell(series, i, PP_CELL_FRAME_TIME);
        if (time > 0)
            value[n++] = time;
    }
    return pp_baseline_of_times(value, n);
}

struct pp_baseline
pp_baseline_of_times(double *value, size_t n)
{
    if (n < FEW_NEIGHBOURS)
        return (struct pp_baseline){
            .usual_ns = (double)NAN, .slow_ns = (double)NAN, .common_ns = (double)NAN};
    pp_stats_sort(value, n);
    double usual = pp_median(value, n);
    double common = pp_quantile7(value, n, 0.9);
    double few = SLOW_OVER_FEW * value[n - 1 - SLOW_FEW];
    for (size_t i = 0; i < n; i++)
        value[i] = log(value[i]);
    double spread_factor = exp(SLOW_SIGMAS * MAD_TO_SIGMA * spread(value, n, log(usual)));
    double spread_ns = usual * fmin(SLOW_FACTOR_MOST, spread_factor);
    spread_ns = spread_factor > SLOW_FACTOR_WIDE ? fmin(few, spread_ns) : spread_ns;
    const double limit[] = {[PP_SLOW_FACTOR] = usual * SLOW_FACTOR,
                            [PP_SLOW_SPREAD] = spread_ns,
                            [PP_SLOW_COMMON] = SLOW_OVER_P90 * common,
                            [PP_SLOW_LEAST] = usual + SLOW_LEAST_NS};
    struct pp_baseline ret = {.usual_ns = usual, .slow_ns = limit[0], .common_ns = common};
    for (size_t i = 1; i < sizeof(limit) / sizeof(*limit); i++)
        if (limit[i] > ret.slow_ns) {
            ret.slow_ns = limit[i];
            ret.rule = (enum pp_slow_rule)i;
        }
    return ret;
}

double
pp_baseline_usual_by(const struct pp_frame_series *series, size_t i,
                     double (*of)(const void *data, const struct pp_saved_frame *row), const void *data,
                     double *ret_spread)
{
    double value[PP_NEIGHBOURS_MAX];
    size_t from = 0, to = 0, n = 0;
    pp_baseline_neighbours(series, i / PP_BASELINE_BLOCK, &from, &to);
    for (size_t j = from; j < to; j++) {
        double number = of(data, &series->table->row[series->row[j]]);
        if (j != i && !isnan(number))
            value[n++] = number;
    }
    if (n < FEW_NEIGHBOURS)
        return (double)NAN;
    pp_stats_sort(value, n);
    double median = pp_median(value, n);
    if (ret_spread)
        *ret_spread = spread(value, n, median);
    return median;
}

/* A column of a table. */
struct column_of {
    const struct pp_frame_table *table;
    size_t column;
};

static double
cell_of_row(const void *data, const struct pp_saved_frame *row)
{
    const struct column_of *of = data;
    return pp_frame_cell(of->table, row, of->column);
}

double
pp_baseline_usual(const struct pp_frame_series *series, size_t i, size_t column, double *ret_spread)
{
    return pp_baseline_usual_by(series, i, cell_of_row, &(const struct column_of){series->table, column},
                                ret_spread);
}

double
pp_baseline_usual_like(const struct pp_frame_series *series, size_t i, size_t column, size_t like,
                       size_t *ret_frames)
{
    double value[PP_NEIGHBOURS_MAX];
    const double wanted = cell(series, i, like);
    size_t from = 0, to = 0, n = 0;
    pp_baseline_neighbours(series, i / PP_BASELINE_BLOCK, &from, &to);
    for (size_t j = from; j < to; j++) {
        double number = cell(series, j, column), off = fabs(cell(series, j, like) - wanted);
        if (j != i && !isnan(number) && off <= fmax(PP_LIKE_SHARE * wanted, PP_LIKE_NS))
            value[n++] = number;
    }
    *ret_frames = n;
    pp_stats_sort(value, n);
    return n ? pp_median(value, n) : (double)NAN;
}
