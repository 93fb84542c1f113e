/** @file
 * See frame_table.h. */
#include "cli/analysis/frame_table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"

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
