/** @file
 * passes.csv: one row for each pass; the columns of docs/formats/session.md. */
#include <errno.h>
#include <stdlib.h>

#include "core/report/csv_file.h"
#include "core/report/text_cells.h"
#include "counters/util/array_size.h"

#define TEXT_MAX 2048

struct passes {
    struct pp_csv csv;
    const struct pp_writer_place *place;
    struct pp_session *session;
};

static void
passes_end(void *self)
{
    struct passes *passes = self;
    if (!passes)
        return;
    pp_csv_file_end(passes->place, &passes->csv);
    free(passes);
}

static int
passes_begin(const struct pp_writer_place *place, void **ret_self)
{
    static const char *const column[] = {
        "frame",        "pass",        "pass_id",  "level", "kind",         "width",
        "height",       "layers",      "samples",  "draws", "dispatches",   "copies",
        "gpu_start_ns", "gpu_time_ns", "bound_by", "stack", "submit_stack",
    };
    static const struct pp_csv_header header = {
        .name = "passes.csv",
        .column = column,
        .columns = PP_ARRAY_SIZE(column),
        .metrics = true,
        .last = {"id:by_place", "queue", "attachments", "name", "label"},
    };
    struct passes *passes = calloc(1, sizeof(*passes));
    if (!passes)
        return -ENOMEM;
    passes->place = place;
    passes->session = place->session;
    int rc = pp_csv_file_begin(place, &header, &passes->csv);
    if (rc) {
        passes_end(passes);
        return rc;
    }
    *ret_self = passes;
    return 0;
}

static void
write_size(struct pp_csv *csv, const struct pp_render_target *render_target)
{
    static const struct pp_render_target none;
    const struct pp_render_target *of = render_target ? render_target : &none;
    pp_csv_number_or(csv, of->width, PP_WHY_NO_TARGET);
    pp_csv_number_or(csv, of->height, PP_WHY_NO_TARGET);
    pp_csv_number_or(csv, of->layers, PP_WHY_NO_TARGET);
    pp_csv_number_or(csv, of->samples, PP_WHY_NO_TARGET);
}

/* Texts are at the right, because they may hold commas. */
static void
write_texts(struct passes *passes, const struct pp_render_target *render_target,
            const struct pp_pass_row *row)
{
    struct pp_csv *csv = &passes->csv;
    char text[TEXT_MAX] = "";
    pp_csv_text_or(csv, pp_session_text(passes->session, row->queue), PP_WHY_NO_NAME);
    if (render_target)
        pp_render_target_attachments_text(render_target, row, text, sizeof(text));
    pp_csv_text_or(csv, text, PP_WHY_NO_TARGET);
    pp_pass_name_text(render_target, row->kind, text, sizeof(text));
    pp_csv_text_or(csv, text, PP_WHY_NO_NAME);
    pp_session_label_path(passes->session, row->label, text, sizeof(text));
    pp_csv_text_or(csv, text, PP_WHY_NO_LABEL);
}

static int
write_pass(struct passes *passes, const struct pp_frame_row *frame, uint32_t number)
{
    const struct pp_pass_row *row = &frame->pass[number];
    struct pp_csv *csv = &passes->csv;
    const struct pp_render_target *render_target =
        pp_session_render_target_get(passes->session, row->render_target);
    if (frame->is_frame)
        pp_csv_u64(csv, frame->frame);
    else
        pp_csv_empty(csv, PP_WHY_NO_FRAME);
    pp_csv_u64(csv, frame->first_pass + row->number);
    pp_csv_id(csv, row->id);
    pp_csv_text(csv, pp_level_name((enum pp_level)frame->level));
    pp_csv_text(csv, pp_pass_kind_name(row->kind));
    write_size(csv, render_target);
    const uint32_t count[] = {row->draws, row->dispatches, row->copies};
    for (size_t i = 0; i < PP_ARRAY_SIZE(count); i++) {
        if (row->partial)
            pp_csv_empty(csv, PP_WHY_INCOMPLETE);
        else
            pp_csv_u64(csv, count[i]);
    }
    pp_csv_value(csv, row->gpu_start_ns);
    pp_csv_value(csv, row->gpu_time_ns);
    pp_csv_text_or(csv, row->bound_by ? row->bound_by : "", PP_WHY_NO_MODEL);
    pp_csv_number_or(csv, row->stack, PP_WHY_STACK);
    pp_csv_number_or(csv, row->submit_stack, PP_WHY_STACK);
    pp_csv_counters(csv, passes->session, row->counter);
    pp_csv_metrics(csv, passes->session, row->counter);
    pp_csv_u64(csv, row->by_place);
    write_texts(passes, render_target, row);
    return pp_csv_row(csv);
}

static int
passes_frame(void *self, const struct pp_frame_row *frame)
{
    struct passes *passes = self;
    int rc = 0;
    for (uint32_t i = 0; i < frame->passes && rc == 0; i++)
        rc = write_pass(passes, frame, i);
    return rc;
}

static int
passes_flush(void *self)
{
    return pp_csv_flush(&((struct passes *)self)->csv);
}

static uint64_t
passes_size(const void *self)
{
    return pp_csv_size(&((const struct passes *)self)->csv);
}

const struct pp_writer_ops pp_writer_passes = {
    .takes_drafts = true,
    .begin = passes_begin,
    .frame = passes_frame,
    .flush = passes_flush,
    .size = passes_size,
    .end = passes_end,
};
