/** @file
 * draws.csv: one row a draw, dispatch, clear, copy or blit (level draw); the columns of
 * docs/session-files.md. */
#include <errno.h>
#include <stdlib.h>

#include "core/bound.h"
#include "core/derive.h"
#include "core/report/cells.h"
#include "core/report/csv.h"

#define TEXT_MAX 2048

struct draws {
    struct pp_csv csv;
    struct pp_cells strings; /* by pp_string_id */
    struct pp_cells labels;  /* whole paths by pp_label_id */
    struct pp_session *session;
};

static void
draws_end(void *self)
{
    struct draws *draws = self;
    if (!draws)
        return;
    pp_csv_close(&draws->csv);
    pp_cells_finish(&draws->strings);
    pp_cells_finish(&draws->labels);
    free(draws);
}

static int
draws_begin(struct pp_session *session, int dir_fd, void **ret_self)
{
    static const char *const column[] = {
        "frame", "pass",     "draw",      "draw_id", "call",         "label",       "pipeline",
        "stack", "vertices", "instances", "groups",  "gpu_start_ns", "gpu_time_ns", "bound_by",
    };
    struct draws *draws = calloc(1, sizeof(*draws));
    if (!draws)
        return -ENOMEM;
    draws->session = session;
    int rc = pp_csv_open(&draws->csv, dir_fd, "draws.csv");
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
        pp_csv_text(&draws->csv, column[i]);
    pp_csv_columns(&draws->csv, session);
    pp_derive_header(session->derive, &draws->csv);
    rc = rc ? rc : pp_csv_row(&draws->csv);
    rc = rc ? rc : pp_csv_flush(&draws->csv);
    if (rc) {
        draws_end(draws);
        return rc;
    }
    *ret_self = draws;
    return 0;
}

/* Vertices and instances of what has them, thread groups of a dispatch; the rest stays empty. */
static void
write_arguments(struct pp_csv *csv, const struct pp_work *work)
{
    bool draws = work->kind == PP_WORK_DRAW && work->indirect != 1;
    bool groups = (work->kind == PP_WORK_DISPATCH || work->kind == PP_WORK_MESH_TASKS ||
                   work->kind == PP_WORK_TRACE_RAYS) &&
                  !work->indirect;
    for (int i = 0; i < 2; i++) {
        if (draws && work->indirect != (i ? PP_INDIRECT_INSTANCES : PP_INDIRECT_VERTICES))
            pp_csv_u64(csv, i ? work->instances : work->vertices);
        else
            pp_csv_empty(csv);
    }
    if (groups)
        pp_csv_u64(csv, work->groups);
    else
        pp_csv_empty(csv);
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

static void
write_bound(struct draws *draws, const struct pp_bound *bound, const struct pp_value *counter)
{
    char text[TEXT_MAX];
    if (!bound) {
        pp_csv_empty(&draws->csv);
        return;
    }
    pp_bound_judge(bound, draws->session, counter, text, sizeof(text));
    pp_csv_text(&draws->csv, text);
}

static int
write_work(struct draws *draws, const struct pp_frame_row *frame, uint32_t number)
{
    const struct pp_work_row *row = &frame->work[number];
    struct pp_csv *csv = &draws->csv;
    if (frame->is_frame)
        pp_csv_u64(csv, frame->frame);
    else
        pp_csv_empty(csv);
    pp_csv_u64(csv, row->pass);
    pp_csv_u64(csv, number);
    pp_csv_id(csv, row->id);
    write_string(draws, row->work->call);
    write_label(draws, row->work->label);
    write_string(draws, row->work->pipeline);
    pp_csv_empty(csv); /* stack: no call stacks were taken */
    write_arguments(csv, row->work);
    pp_csv_value(csv, row->gpu_start_ns);
    pp_csv_value(csv, row->gpu_time_ns);
    write_bound(draws, frame->timeline->device->bound, row->counter);
    pp_csv_counters(csv, draws->session, row->counter);
    pp_derive_cells(draws->session->derive, csv, number);
    return pp_csv_row(csv);
}

static int
draws_frame(void *self, const struct pp_frame_row *frame)
{
    struct draws *draws = self;
    int rc = pp_derive_works(draws->session->derive, draws->session, frame);
    for (uint32_t i = 0; i < frame->works && rc == 0; i++)
        rc = write_work(draws, frame, i);
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
    return ((const struct draws *)self)->csv.written;
}

const struct pp_writer_ops pp_writer_draws = {
    .file = "draws.csv",
    .begin = draws_begin,
    .frame = draws_frame,
    .flush = draws_flush,
    .size = draws_size,
    .end = draws_end,
};
