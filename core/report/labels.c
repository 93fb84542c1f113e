/** @file
 * labels.csv: one row for each frame and label region, with the cost of the region including and excluding
 * its inner regions; the columns of docs/formats/session.md. */
#include <errno.h>
#include <stdlib.h>

#include "core/report/csv_file.h"
#include "counters/util/array_size.h"

#define TEXT_MAX 2048

struct labels {
    struct pp_csv csv;
    const struct pp_writer_place *place;
    struct pp_session *session;
};

static void
labels_end(void *self)
{
    struct labels *labels = self;
    if (!labels)
        return;
    pp_csv_file_end(labels->place, &labels->csv);
    free(labels);
}

static int
labels_begin(const struct pp_writer_place *place, void **ret_self)
{
    static const char *const column[] = {
        "frame",
        "depth",
        "passes",
        "draws",
        "dispatches",
        "copies",
        "gpu_start_ns",
        "gpu_inclusive_ns",
        "gpu_exclusive_ns",
    };
    static const struct pp_csv_header header = {
        .name = "labels.csv",
        .column = column,
        .columns = PP_ARRAY_SIZE(column),
        .last = {"label"}, /* may hold commas */
        .sums = true,
    };
    struct labels *labels = calloc(1, sizeof(*labels));
    if (!labels)
        return -ENOMEM;
    labels->place = place;
    labels->session = place->session;
    int rc = pp_csv_file_begin(place, &header, &labels->csv);
    if (rc) {
        labels_end(labels);
        return rc;
    }
    *ret_self = labels;
    return 0;
}

/* Write how many commands of one kind a region has. At level pass, the commands of a pass that several
 * regions share count for the region in which the pass began. So 0 would be wrong where the frame has such
 * commands: they may be in a shared pass. */
static void
write_count(struct pp_csv *csv, const struct pp_frame_row *frame, uint32_t count, uint32_t of_frame)
{
    if (count == 0 && of_frame > 0 && frame->level != PP_LEVEL_DRAW)
        pp_csv_empty(csv, PP_WHY_SHARED);
    else
        pp_csv_u64(csv, count);
}

static int
write_region(struct labels *labels, const struct pp_frame_row *frame, const struct pp_label_row *region)
{
    struct pp_csv *csv = &labels->csv;
    char text[TEXT_MAX];
    if (frame->is_frame)
        pp_csv_u64(csv, frame->frame);
    else
        pp_csv_empty(csv, PP_WHY_NO_FRAME);
    pp_csv_u64(csv, region->depth);
    pp_csv_u64(csv, region->passes);
    write_count(csv, frame, region->draws, frame->draws);
    write_count(csv, frame, region->dispatches, frame->dispatches);
    write_count(csv, frame, region->copies, frame->copies);
    pp_csv_value(csv, region->gpu_start_ns);
    pp_csv_value(csv, region->gpu_inclusive_ns);
    pp_csv_value(csv, region->gpu_exclusive_ns);
    pp_csv_counters(csv, labels->session, region->counter);
    pp_session_label_path(labels->session, region->label, text, sizeof(text));
    pp_csv_text(csv, text);
    return pp_csv_row(csv);
}

static int
labels_frame(void *self, const struct pp_frame_row *frame)
{
    struct labels *labels = self;
    int rc = 0;
    for (uint32_t i = 0; i < frame->labels && rc == 0; i++)
        rc = write_region(labels, frame, &frame->label[i]);
    return rc;
}

static int
labels_flush(void *self)
{
    return pp_csv_flush(&((struct labels *)self)->csv);
}

static uint64_t
labels_size(const void *self)
{
    return pp_csv_size(&((const struct labels *)self)->csv);
}

const struct pp_writer_ops pp_writer_labels = {
    .takes_drafts = true,
    .begin = labels_begin,
    .frame = labels_frame,
    .flush = labels_flush,
    .size = labels_size,
    .end = labels_end,
};
