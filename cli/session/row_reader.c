/** @file
 * See row_reader.h. */
#include "cli/session/row_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

static const char *const column_name[PP_SAVED_COLUMNS] = {
    [COL_FRAME] = "frame",
    [COL_API] = "api",
    [COL_DEVICE] = "device",
    [COL_SURFACE] = "surface",
    [COL_LEVEL] = "level",
    [COL_CPU_START] = "cpu_start_ns",
    [COL_FRAME_TIME] = "frame_time_ns",
    [COL_CPU_BUSY] = "cpu_busy_ns",
    [COL_CPU_WAIT] = "cpu_wait_ns",
    [COL_GPU_TIME] = "gpu_time_ns",
    [COL_GPU_BUSY] = "gpu_busy_ns",
    [COL_GPU_WAIT] = "gpu_wait_ns",
    [COL_BOUND_BY] = "bound_by",
    [COL_PASS] = "pass",
    [COL_PASS_ID] = "pass_id",
    [COL_NAME] = "name",
    [COL_LABEL] = "label",
    [COL_KIND] = "kind",
    [COL_QUEUE] = "queue",
    [COL_WIDTH] = "width",
    [COL_HEIGHT] = "height",
    [COL_LAYERS] = "layers",
    [COL_SAMPLES] = "samples",
    [COL_ATTACHMENTS] = "attachments",
    [COL_DRAW] = "draw",
    [COL_DRAW_ID] = "draw_id",
    [COL_CALL] = "call",
    [COL_PIPELINE] = "pipeline",
    [COL_VERTICES] = "vertices",
    [COL_INSTANCES] = "instances",
    [COL_DRAWS] = "draws",
    [COL_DISPATCHES] = "dispatches",
    [COL_COPIES] = "copies",
    [COL_BY_PLACE] = "id:by_place",
    [COL_INCLUSIVE] = "gpu_inclusive_ns",
    [COL_EXCLUSIVE] = "gpu_exclusive_ns",
    [COL_PASSES] = "passes",
    [COL_STACK] = "stack",
    [COL_PID] = "pid",
    [COL_PIPELINES] = "pipelines_created",
    [COL_PIPELINE_TIME] = "pipeline_create_ns",
};

const struct pp_cell *
pp_row_reader_cell(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    static const struct pp_cell absent = {.text = "", .len = 0, .present = false};
    return r->at[column] == SIZE_MAX ? &absent : &cell[r->at[column]];
}

/* Does a column hold numbers only? Those of counters, whose names are source:name, and of times do. */
static bool
is_number_column(const struct pp_row_reader *r, const struct pp_cell *cell)
{
    static const enum pp_saved_column number[] = {COL_FRAME,     COL_PASS,    COL_WIDTH, COL_HEIGHT,
                                                  COL_LAYERS,    COL_SAMPLES, COL_DRAW,  COL_VERTICES,
                                                  COL_INSTANCES, COL_PASSES,  COL_DRAWS, COL_DISPATCHES,
                                                  COL_COPIES,    COL_STACK,   COL_PID,   COL_PIPELINES};
    static const char unit[] = "_ns";
    static const char *const more[] = {"depth", "groups", "submit_stack"}; /* which no reader needs */
    const size_t len = sizeof(unit) - 1;
    for (size_t i = 0; i < PP_ARRAY_SIZE(more); i++)
        if (pp_cell_is(cell, more[i]))
            return true;
    if (strchr(cell->text, ':') || (cell->len > len && strcmp(cell->text + cell->len - len, unit) == 0))
        return true;
    if (pp_cell_is(cell, column_name[COL_DEVICE]) || pp_cell_is(cell, column_name[COL_SURFACE]))
        return r->rec && r->rec->of_schema_2; /* names in schema 1 */
    for (size_t i = 0; i < PP_ARRAY_SIZE(number); i++)
        if (pp_cell_is(cell, column_name[number[i]]))
            return true;
    return false;
}

void
pp_row_reader_columns(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    memset(r->number, 0, sizeof(r->number));
    for (size_t i = 0; i < cells && i < PP_CSV_COLUMNS_MOST; i++)
        if (is_number_column(r, &cell[i]))
            r->number[i / 64] |= UINT64_C(1) << i % 64;
    for (size_t c = 0; c < PP_SAVED_COLUMNS; c++) {
        r->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;) {
            if (pp_cell_is(&cell[i], column_name[c]))
                r->at[c] = i;
        }
    }
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
