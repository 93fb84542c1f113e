/** @file
 * draws.csv: one row for each draw, dispatch, clear, copy or blit (level draw); the columns of
 * docs/formats/session.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/csv_file.h"
#include "core/report/csv_write.h"
#include "core/report/text_cells.h"
#include "counters/util/array_size.h"

#define TEXT_MAX 2048
/* Columns that can be empty, by number. */
enum column {
    CALL = 4,
    STACK,
    VERTICES,
    INSTANCES,
    GROUPS,
    GPU_START,
    GPU_TIME,
};

/* From frame to gpu_time_ns. */
#define FIXED_CELLS (GPU_TIME + 1U)

/* Rendered cells, with the commas between them, that are kept because the next row probably has the same. */
struct kept_cells {
    char *bytes; /* at least KEPT_BYTES bytes long */
    size_t length;
    size_t cap;
};

/* The size of one copy: a copy of this constant size takes four instructions. */
#define KEPT_BYTES 64U

struct draws {
    struct pp_csv csv;
    struct pp_cells strings; /* by pp_string_id */
    struct pp_cells labels;  /* whole paths by pp_label_id */
    const struct pp_writer_place *at;
    struct pp_session *session;
    bool plain;              /* counters are whole numbers, none is hidden */
    struct kept_cells place; /* frame and pass of the row before */
    uint32_t place_pass;     /* that pass */
    bool placed;             /* the place belongs to the frame being written */
    struct kept_cells call;  /* call of the row before */
    struct kept_cells names; /* pipeline and label of the row before */
    struct pp_action names_of;
    uint32_t name_column; /* number of the column of pipelines; labels have the next one */
};

static void
draws_end(void *self)
{
    struct draws *draws = self;
    if (!draws)
        return;
    pp_csv_file_end(draws->at, &draws->csv);
    pp_cells_finish(&draws->strings);
    pp_cells_finish(&draws->labels);
    free(draws->place.bytes);
    free(draws->call.bytes);
    free(draws->names.bytes);
    free(draws);
}

static int
draws_begin(const struct pp_writer_place *place, void **ret_self)
{
    static const char *const column[] = {
        "frame",    "pass",      "draw",   "draw_id",      "call",        "stack",
        "vertices", "instances", "groups", "gpu_start_ns", "gpu_time_ns", "bound_by",
    };
    static const struct pp_csv_header header = {
        .name = "draws.csv",
        .column = column,
        .columns = PP_ARRAY_SIZE(column),
        .metrics = true,
        .last = {"id:by_place", "pipeline", "label"}, /* texts may hold commas */
    };
    const struct pp_session *session = place->session;
    struct draws *draws = calloc(1, sizeof(*draws));
    if (!draws)
        return -ENOMEM;
    draws->at = place;
    draws->session = place->session;
    draws->plain = !session->rows.formulas;
    for (uint32_t i = 0; i < session->rows.columns; i++)
        draws->plain &= !session->rows.column[i].hidden && session->rows.column[i].number == PP_NUMBER_U64;
    int rc = pp_csv_file_begin(place, &header, &draws->csv);
    if (rc) {
        draws_end(draws);
        return rc;
    }
    if (draws->csv.empty && draws->csv.empty->columns > 2)
        draws->name_column = draws->csv.empty->columns - 2;
    *ret_self = draws;
    return 0;
}

static inline char *
put_argument(char *to, bool known, uint64_t value, struct pp_empty *empty, enum column column)
{
    *to++ = ',';
    if (known)
        return pp_put_number(to, value);
    pp_empty_note(empty, column, PP_WHY_ARGUMENT);
    return to;
}

/* Vertices and instances of what has them, thread groups of a dispatch; the rest stays empty. With commas. */
static char *
put_arguments(char *to, const struct pp_action *action, struct pp_empty *empty)
{
    bool draws = action->kind == PP_ACTION_DRAW && action->indirect != 1;
    bool groups = (action->kind == PP_ACTION_DISPATCH || action->kind == PP_ACTION_MESH_TASKS ||
                   action->kind == PP_ACTION_TRACE_RAYS) &&
                  !action->indirect;
    to = put_argument(to, draws && action->indirect != PP_INDIRECT_VERTICES, action->vertices, empty,
                      VERTICES);
    to = put_argument(to, draws && action->indirect != PP_INDIRECT_INSTANCES, action->instances, empty,
                      INSTANCES);
    return put_argument(to, groups, action->groups, empty, GROUPS);
}

static char *
put_value(char *to, struct pp_value value, struct pp_empty *empty, enum column column)
{
    *to++ = ',';
    if (pp_status_has_value(value.status))
        return pp_put_number(to, value.value);
    pp_empty_note(empty, column, (enum pp_why)value.status);
    return to;
}

static void
write_string(struct draws *draws, pp_string_id id)
{
    if (!pp_cells_write(&draws->strings, id, &draws->csv))
        pp_cells_add(&draws->strings, id, pp_session_text(draws->session, id), &draws->csv);
}

static void
write_label(struct draws *draws, pp_label_id id)
{
    char path[TEXT_MAX];
    if (pp_cells_write(&draws->labels, id, &draws->csv))
        return;
    pp_session_label_path(draws->session, id, path, sizeof(path));
    pp_cells_add(&draws->labels, id, path, &draws->csv);
}

/* Keep what was appended since a place in the buffer, so that later rows can repeat the cells. @return
 * false: no memory, or the file has failed. */
static bool
keep_cells(struct kept_cells *kept, struct pp_csv *csv, size_t from)
{
    size_t length = csv->len - from;
    size_t cap = length < KEPT_BYTES ? KEPT_BYTES : length;
    if (!csv->error && (!kept->bytes || cap > kept->cap)) {
        char *bigger = realloc(kept->bytes, cap);
        if (bigger) {
            kept->bytes = bigger;
            kept->cap = cap;
        } else {
            csv->error = -ENOMEM;
        }
    }
    if (csv->error)
        return false;
    memcpy(kept->bytes, csv->buffer + from, length);
    kept->length = length;
    csv->len = from;
    csv->cells = 0;
    return true;
}

static char *
put_kept(char *to, const struct kept_cells *kept)
{
    if (kept->length <= KEPT_BYTES)
        memcpy(to, kept->bytes, KEPT_BYTES);
    else
        memcpy(to, kept->bytes, kept->length);
    return to + kept->length;
}

/* At the begin of a row: are the cells for its frame and pass already rendered? */
static bool
find_place(struct draws *draws, const struct pp_frame_row *frame, const struct pp_action_row *row)
{
    struct pp_csv *csv = &draws->csv;
    if (draws->placed && draws->place_pass == row->pass)
        return true;
    size_t from = csv->len;
    if (frame->is_frame)
        pp_csv_u64(csv, frame->frame);
    else
        pp_csv_empty(csv, PP_WHY_NO_FRAME); /* the row's first cell, here too */
    pp_csv_u64(csv, frame->first_pass + row->pass);
    draws->placed = keep_cells(&draws->place, csv, from);
    draws->place_pass = row->pass;
    return draws->placed;
}

/* Are the cells for call, label and pipeline already rendered? Neighbouring actions often share them. */
static bool
find_names(struct draws *draws, const struct pp_action *action)
{
    const struct pp_action *last = &draws->names_of;
    struct pp_csv *csv = &draws->csv;
    if (draws->names.bytes && last->call == action->call && last->label == action->label &&
        last->pipeline == action->pipeline)
        return true;
    size_t from = csv->len;
    if (!action->call)
        pp_empty_note(csv->empty, CALL, PP_WHY_NO_NAME);
    if (!action->pipeline)
        pp_empty_note(csv->empty, draws->name_column, PP_WHY_NO_PIPELINE);
    if (!pp_label_kept(action->label))
        pp_empty_note(csv->empty, draws->name_column + 1, PP_WHY_NO_LABEL);
    write_string(draws, action->call);
    if (!keep_cells(&draws->call, csv, from))
        return false;
    write_string(draws, action->pipeline);
    write_label(draws, action->label);
    draws->names_of = *action;
    return keep_cells(&draws->names, csv, from);
}

/* Stack, arguments, times. */
static char *
put_figures(char *to, const struct pp_action_row *row, struct pp_empty *empty)
{
    *to++ = ',';
    if (row->stack)
        to = pp_put_number(to, row->stack);
    else
        pp_empty_note(empty, STACK, PP_WHY_STACK);
    to = put_arguments(to, row->action, empty);
    to = put_value(to, row->gpu_start_ns, empty, GPU_START);
    return put_value(to, row->gpu_time_ns, empty, GPU_TIME);
}

static void
write_counters(struct draws *draws, const struct pp_action_row *row)
{
    uint32_t columns = draws->session->rows.columns;
    if (!row->clean || !draws->plain) {
        pp_csv_counters(&draws->csv, draws->session, row->counter);
        return;
    }
    char *to = pp_csv_reserve(&draws->csv, columns * (1 + (size_t)PP_NUMBER_ROOM));
    if (!to)
        return;
    for (uint32_t i = 0; i < columns; i++) {
        *to++ = ',';
        to = pp_put_number(to, row->counter[i].value);
    }
    pp_csv_advance(&draws->csv, to, columns);
}

/* The last cells of a row: id:by_place, pipeline and label. */
static void
write_names(struct draws *draws, bool by_place)
{
    struct pp_csv *csv = &draws->csv;
    char *to = pp_csv_reserve(csv, draws->names.length + KEPT_BYTES + 2 + PP_NUMBER_ROOM);
    if (!to)
        return;
    *to++ = ',';
    *to++ = by_place ? '1' : '0';
    *to++ = ',';
    pp_csv_advance(csv, put_kept(to, &draws->names), 3);
}

static int
write_action(struct draws *draws, const struct pp_frame_row *frame, uint32_t number)
{
    const struct pp_action_row *row = &frame->action[number];
    struct pp_csv *csv = &draws->csv;
    if (!find_place(draws, frame, row) || !find_names(draws, row->action))
        return csv->error;
    size_t texts = draws->place.length + draws->call.length + KEPT_BYTES;
    char *to = pp_csv_reserve(csv, texts + FIXED_CELLS * (1 + (size_t)PP_NUMBER_ROOM));
    if (!to)
        return csv->error;
    to = put_kept(to, &draws->place);
    *to++ = ',';
    to = pp_put_number(to, frame->first_action + number);
    *to++ = ',';
    to = pp_put_id(to, row->id);
    *to++ = ',';
    to = put_kept(to, &draws->call);
    pp_csv_advance(csv, put_figures(to, row, csv->empty), FIXED_CELLS);
    pp_csv_text_or(csv, row->bound_by ? row->bound_by : "", PP_WHY_NO_MODEL);
    write_counters(draws, row);
    pp_csv_metrics(csv, draws->session, row->counter);
    write_names(draws, row->by_place);
    return pp_csv_row(csv);
}

static int
draws_frame(void *self, const struct pp_frame_row *frame)
{
    struct draws *draws = self;
    int rc = 0;
    draws->placed = false;
    draws->csv.behind = frame->behind;
    for (uint32_t i = 0; i < frame->actions && rc == 0; i++)
        rc = write_action(draws, frame, i);
    return rc;
}

static int
draws_flush(void *self)
{
    return pp_csv_flush(&((struct draws *)self)->csv);
}

static uint64_t
draws_size(const void *self)
{
    return pp_csv_size(&((const struct draws *)self)->csv);
}

static bool
draws_wanted(const struct pp_config *config)
{
    return config->level == PP_LEVEL_DRAW;
}

const struct pp_writer_ops pp_writer_draws = {
    .takes_drafts = true,
    .wanted = draws_wanted,
    .begin = draws_begin,
    .frame = draws_frame,
    .flush = draws_flush,
    .size = draws_size,
    .end = draws_end,
};
