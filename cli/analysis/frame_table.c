/** @file
 * See frame_table.h. */
#include "cli/analysis/frame_table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

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
    bool every; /* as in struct pp_rows_from */
    struct pp_row_reader r;
    struct pp_frame_table *table;
    size_t at[PP_FRAME_CELLS + PP_FRAME_EXTRAS]; /* column of the file, SIZE_MAX: it has none */
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

static bool
table_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    pp_row_reader_columns(&t->r, cell, cells);
    return true;
}

static bool
table_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    struct pp_frame_table *table = t->table;
    double frame = 0, time_ns = (double)NAN;
    (void)cells;
    if (!pp_cell_number(pp_row_reader_cell(&t->r, cell, COL_FRAME), &frame))
        return true;
    size_t surface = pp_saved_surface_of(t->r.rec, frame);
    if (surface == PP_SAVED_NO_SURFACE)
        return true;
    t->r.error = pp_grow_large_array(&table->row, &table->cap, table->len + 1, sizeof(*table->row));
    if (t->r.error)
        return false;
    (void)!pp_cell_number(pp_row_reader_cell(&t->r, cell, COL_FRAME_TIME), &time_ns);
    table->row[table->len++] = (struct pp_table_row){
        .frame = frame,
        .time_ns = time_ns,
        .surface = (uint16_t)surface,
        .level = pp_saved_level_of(pp_row_reader_cell(&t->r, cell, COL_LEVEL)) & 0xf,
        .verdict = pp_saved_verdict_of(pp_row_reader_cell(&t->r, cell, COL_BOUND_BY)) & 0xf,
    };
    return true;
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_table_row *x = a;
    const struct pp_table_row *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Sort the rows, which nearly always are in order. qsort() would take as much memory as they have. */
static void
sort_rows(struct pp_frame_table *table)
{
    for (size_t i = 1; i < table->len; i++)
        if (by_frame(&table->row[i - 1], &table->row[i]) > 0) {
            qsort(table->row, table->len, sizeof(*table->row), by_frame);
            return;
        }
}

/* Read frames.csv by the functions for its header and rows. */
static int
read_frames(struct table_reading *t, const struct pp_rows_from *from,
            bool (*header)(void *data, const struct pp_cell *cell, size_t cells),
            bool (*row)(void *data, const struct pp_cell *cell, size_t cells))
{
    const struct pp_csv_reader reader = {.header = header, .row = row, .data = t};
    int rc = from->text ? pp_csv_read_text(from->text, from->len, &reader)
                        : pp_csv_read(from->dir_fd, pp_saved_frames_file(from->dir_fd), &reader);
    return rc ? rc : t->r.error;
}

int
pp_frame_table_read(const struct pp_saved_session *rec, const struct pp_rows_from *from,
                    struct pp_frame_table *ret)
{
    /* the reader's functions for rows only look at the session */
    struct table_reading t = {.r.rec = (struct pp_saved_session *)(uintptr_t)rec, .table = ret};
    int rc = read_frames(&t, from, table_header, table_row);
    sort_rows(ret);
    return rc;
}

/* Find the columns of all cells, and make memory for the rows that are wanted. */
static bool
cells_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    struct pp_frame_table *table = t->table;
    size_t most = t->every ? PP_FRAME_EXTRAS : PP_FRAME_EXTRAS_FEW, rows = 0;
    pp_row_reader_columns(&t->r, cell, cells);
    for (size_t c = 0; c < PP_FRAME_CELLS; c++) {
        t->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;)
            t->at[c] = pp_cell_is(&cell[i], cell_name[c]) ? i : t->at[c];
    }
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
    for (size_t i = 0; i < table->len; i++)
        rows += table->row[i].wanted;
    table->value = calloc(rows * (PP_FRAME_CELLS + table->extras) + 1, sizeof(*table->value));
    t->r.error = table->value ? 0 : -ENOMEM;
    return t->r.error == 0;
}

/* Keep the cells of a row that is wanted, once. */
static bool
cells_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct table_reading *t = data;
    struct pp_frame_table *table = t->table;
    size_t columns = PP_FRAME_CELLS + table->extras;
    struct pp_table_row key = {.frame = 0}, *row = NULL;
    (void)cells;
    if (table->len && pp_cell_number(pp_row_reader_cell(&t->r, cell, COL_FRAME), &key.frame))
        row = bsearch(&key, table->row, table->len, sizeof(key), by_frame);
    if (!row || !row->wanted || row->at)
        return true;
    double *value = &table->value[table->cells++ * columns];
    row->at = table->cells;
    for (size_t c = 0; c < columns; c++)
        if (t->at[c] == SIZE_MAX || !pp_cell_number(&cell[t->at[c]], &value[c]))
            value[c] = (double)NAN;
    return true;
}

int
pp_frame_table_read_cells(const struct pp_saved_session *rec, const struct pp_rows_from *from,
                          struct pp_frame_table *table)
{
    /* the reader's functions for rows only look at the session */
    struct table_reading t = {
        .r.rec = (struct pp_saved_session *)(uintptr_t)rec, .table = table, .every = from->every};
    return read_frames(&t, from, cells_header, cells_row);
}

void
pp_frame_table_finish(struct pp_frame_table *table)
{
    for (size_t i = 0; i < table->extras; i++)
        free(table->extra[i]);
    free(table->row);
    free(table->value);
    *table = (struct pp_frame_table){.len = 0};
}

double
pp_frame_cell(const struct pp_frame_table *table, const struct pp_table_row *row, size_t column)
{
    if (column == PP_CELL_FRAME_TIME)
        return row->time_ns;
    return row->at ? table->value[(row->at - 1) * (PP_FRAME_CELLS + table->extras) + column] : (double)NAN;
}

const char *
pp_frame_cell_name(const struct pp_frame_table *table, size_t column)
{
    return column < PP_FRAME_CELLS ? cell_name[column] : table->extra[column - PP_FRAME_CELLS];
}
