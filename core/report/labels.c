/** @file
 * labels.csv: one row for each frame and label region, with the cost of the region including and excluding
 * its inner regions; the columns of docs/formats/session.md. Regions come from debug labels and the annotate
 * API. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/event_selection.h"
#include "core/engine/tracker.h"
#include "core/util/array.h"
#include "core/util/csv_write.h"

#define TEXT_MAX  2048
#define DEPTH_MAX 64U

/* A region of the frame being written. */
struct region {
    pp_label_id label;
    uint32_t depth;
    uint32_t passes;
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    struct pp_value start_ns;
    struct pp_value inclusive_ns;
    struct pp_value exclusive_ns;
    struct pp_value *counter; /* inclusive; in labels.values */
    bool counted;             /* counter holds something */
};

/* How a pass is divided between regions. */
struct shared {
    bool is;
    pp_label_id common; /* the region that all of it lies in, 0: none, or the pass was not measured */
};

struct labels {
    struct pp_csv csv;
    struct pp_session *session;
    struct region *region;
    struct pp_value *values;
    size_t regions;
    uint32_t region_cap, value_cap;
    uint32_t *index; /* label -> region + 1; 0: not in this frame */
    uint32_t index_cap;
    struct shared *shared; /* by pass of the frame */
    uint32_t shared_cap;
};

/* What one pass or one action adds to its region and to those around it. */
struct share {
    pp_label_id label;
    uint32_t passes;
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    struct pp_value start_ns;
    struct pp_value time_ns;
    const struct pp_value *counter; /* NULL: counted elsewhere */
    bool inside;                    /* lies in regions inside this one, or in it: no time of its own */
    pp_label_id common; /* from this region outwards it is measured as part of its pass; 0: nowhere */
};

static void
labels_end(void *self)
{
    struct labels *labels = self;
    if (!labels)
        return;
    if (labels->session->rows_csv[1] == &labels->csv)
        labels->session->rows_csv[1] = NULL;
    pp_csv_close(&labels->csv);
    free(labels->region);
    free(labels->values);
    free(labels->index);
    free(labels->shared);
    free(labels);
}

static int
labels_begin(struct pp_session *session, int dir_fd, void **ret_self)
{
    static const char *const column[] = {
        "frame",      "label",  "depth",        "passes",           "draws",
        "dispatches", "copies", "gpu_start_ns", "gpu_inclusive_ns", "gpu_exclusive_ns",
    };
    struct labels *labels = calloc(1, sizeof(*labels));
    if (!labels)
        return -ENOMEM;
    labels->session = session;
    int rc = pp_csv_open(&labels->csv, dir_fd, "labels.csv");
    labels->csv.empty = pp_empty_begin(session, "labels.csv");
    labels->csv.sums = true;
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
        pp_csv_column(&labels->csv, column[i]);
    pp_csv_columns(&labels->csv, session);
    rc = rc ? rc : pp_csv_row(&labels->csv);
    rc = rc ? rc : pp_csv_flush(&labels->csv);
    if (rc) {
        labels_end(labels);
        return rc;
    }
    session->rows_csv[1] = &labels->csv;
    pp_csv_tail_add(session->tail, &labels->csv);
    *ret_self = labels;
    return 0;
}

/* Make the index large enough for a label, which has no region yet. */
static int
grow_index(struct labels *labels, pp_label_id label)
{
    uint32_t had = labels->index_cap;
    int rc = pp_array_grow(&labels->index, &labels->index_cap, (size_t)label + 1, sizeof(*labels->index));
    if (rc == 0)
        memset(labels->index + had, 0, (labels->index_cap - had) * sizeof(*labels->index));
    return rc;
}

/* Make the arrays large enough for one more region and its counters. */
static int
grow_regions(struct labels *labels)
{
    size_t columns = labels->session->columns, wanted = labels->regions + 1;
    uint32_t had = labels->value_cap;
    int rc = pp_array_grow(&labels->region, &labels->region_cap, wanted, sizeof(*labels->region));
    rc = rc ? rc
            : pp_array_grow(&labels->values, &labels->value_cap, wanted * columns, sizeof(*labels->values));
    for (size_t i = 0; labels->value_cap != had && i < labels->regions; i++)
        labels->region[i].counter = labels->values + i * columns;
    return rc;
}

static uint32_t
depth_of(struct pp_session *session, pp_label_id label)
{
    uint32_t depth = 0;
    for (; label && depth < DEPTH_MAX; label = pp_session_label_parent(session, label))
        depth++;
    return depth;
}

/* The label's region of this frame, made if it is new. Fails on want of memory only. */
static int
find_region(struct labels *labels, pp_label_id label, size_t *ret_at)
{
    struct pp_session *session = labels->session;
    int rc = grow_index(labels, label);
    if (rc)
        return rc;
    if (labels->index[label]) {
        *ret_at = labels->index[label] - 1;
        return 0;
    }
    rc = grow_regions(labels);
    if (rc)
        return rc;
    struct region *region = &labels->region[labels->regions];
    memset(region, 0, sizeof(*region));
    region->label = label;
    region->depth = depth_of(session, label);
    region->start_ns = pp_value_missing(PP_DISABLED);
    region->counter = labels->values + labels->regions * session->columns;
    for (uint32_t i = 0; i < session->columns; i++)
        region->counter[i] = pp_value_ok(0);
    *ret_at = labels->regions++;
    labels->index[label] = (uint32_t)labels->regions;
    return 0;
}

static void
add(struct pp_value *to, struct pp_value value)
{
    to->value += value.value;
    to->status = pp_status_worse(to->status, value.status);
}

static void
add_counts(struct region *region, const struct share *share)
{
    region->passes += share->passes;
    region->draws += share->draws;
    region->dispatches += share->dispatches;
    region->copies += share->copies;
}

static void
add_measured(const struct pp_session *session, struct region *region, const struct share *share)
{
    add(&region->inclusive_ns, share->time_ns);
    if (pp_status_has_value(share->start_ns.status) &&
        (!pp_status_has_value(region->start_ns.status) || share->start_ns.value < region->start_ns.value))
        region->start_ns = share->start_ns;
    for (uint32_t i = 0; share->counter && i < session->columns; i++)
        region->counter[i] = region->counted
                                 ? pp_counter_add(&session->column[i], region->counter[i], share->counter[i])
                                 : share->counter[i];
    region->counted |= share->counter != NULL;
}

static int
spread(struct labels *labels, const struct share *share)
{
    pp_label_id label = pp_label_kept(share->label);
    bool measured = true;
    for (uint32_t depth = 0; label && depth < DEPTH_MAX; depth++) {
        size_t at = 0;
        int rc = find_region(labels, label, &at);
        if (rc)
            return rc;
        struct region *region = &labels->region[at];
        measured = measured && label != share->common;
        add_counts(region, share);
        if (depth == 0 && !share->inside)
            add(&region->exclusive_ns, share->time_ns);
        if (measured)
            add_measured(labels->session, region, share);
        label = pp_session_label_parent(labels->session, label);
    }
    return 0;
}

/* Attribute a pass to a region. If all its actions are in one region, the whole pass belongs to this
 * region; otherwise each action is attributed separately. */
static int
share_pass(struct labels *labels, const struct pp_pass_row *pass)
{
    struct share share = {
        .label = pass->label,
        .passes = 1,
        .draws = pass->draws,
        .dispatches = pass->dispatches,
        .copies = pass->copies,
        .start_ns = pass->gpu_start_ns,
        .time_ns = pass->gpu_time_ns,
        .counter = pass->counter,
    };
    return spread(labels, &share);
}

/* For a divided pass, count its begin in the region where it began. The pass's measured values count in
 * the region around all its actions. */
static int
share_begin(struct labels *labels, const struct pp_pass_row *pass, pp_label_id common)
{
    struct share begin = {.label = pass->label,
                          .passes = 1,
                          .start_ns = pp_value_missing(PP_DISABLED),
                          .time_ns = pp_value_ok(0)};
    struct share whole = {.label = common,
                          .start_ns = pass->gpu_start_ns,
                          .time_ns = pass->gpu_time_ns,
                          .counter = pass->counter,
                          .inside = true};
    int rc = spread(labels, &begin);
    return rc ? rc : spread(labels, &whole);
}

static int
share_action(struct labels *labels, const struct pp_action_row *row, pp_label_id common)
{
    enum pp_action_kind kind = (enum pp_action_kind)row->action->kind;
    struct pp_pass counted = {0};
    pp_track_count(&counted, kind, 1);
    struct share share = {
        .label = row->action->label,
        .draws = counted.draws,
        .dispatches = counted.dispatches,
        .copies = counted.copies,
        .start_ns = row->gpu_start_ns,
        .time_ns = row->gpu_time_ns,
        .counter = row->counter,
        .common = common,
    };
    return spread(labels, &share);
}

/* The innermost region that both lie in. @return 0: none. */
static pp_label_id
common_of(struct pp_session *session, pp_label_id a, pp_label_id b)
{
    uint32_t depth_a = depth_of(session, a);
    uint32_t depth_b = depth_of(session, b);
    while (a != b && a && b) {
        pp_label_id *deeper = depth_a > depth_b ? &a : &b;
        uint32_t *depth = depth_a > depth_b ? &depth_a : &depth_b;
        *deeper = pp_session_label_parent(session, *deeper);
        *depth -= *depth > 0;
    }
    return a == b ? a : 0;
}

/* Mark passes whose actions are in several regions. If the pass was measured, also note the region around
 * all of them. */
static void
find_shared(struct labels *labels, const struct pp_frame_row *frame)
{
    for (uint32_t i = 0; i < frame->passes; i++)
        labels->shared[i] = (struct shared){.common = pp_label_kept(frame->pass[i].label)};
    for (uint32_t i = 0; i < frame->actions; i++) {
        struct shared *shared = &labels->shared[frame->action[i].pass];
        pp_label_id label = pp_label_kept(frame->action[i].action->label);
        shared->is = shared->is || label != pp_label_kept(frame->pass[frame->action[i].pass].label);
        shared->common = common_of(labels->session, shared->common, label);
    }
    for (uint32_t i = 0; i < frame->passes; i++)
        if (!pp_status_has_value(frame->pass[i].gpu_time_ns.status))
            labels->shared[i].common = 0;
}

static int
collect(struct labels *labels, const struct pp_frame_row *frame)
{
    int rc = pp_array_grow(&labels->shared, &labels->shared_cap, frame->passes, sizeof(*labels->shared));
    if (rc)
        return rc;
    find_shared(labels, frame);
    for (uint32_t i = 0; i < frame->passes && rc == 0; i++)
        rc = labels->shared[i].is ? share_begin(labels, &frame->pass[i], labels->shared[i].common)
                                  : share_pass(labels, &frame->pass[i]);
    for (uint32_t i = 0; i < frame->actions && rc == 0; i++)
        if (labels->shared[frame->action[i].pass].is)
            rc = share_action(labels, &frame->action[i], labels->shared[frame->action[i].pass].common);
    return rc;
}

/* Columns that are computed, of every region. */
static int
compute(struct labels *labels)
{
    if (!labels->session->formulas || labels->regions == 0)
        return 0;
    struct pp_value **row = calloc(labels->regions, sizeof(*row));
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < labels->regions; i++)
        row[i] = labels->region[i].counter;
    int rc = pp_counter_compute(labels->session, row, labels->regions);
    free(row);
    return rc;
}

/* Commands of one kind in a region, of those of the frame. At level pass those of a pass that other regions
 * share are counted where it began: none may mean that they are there. */
static void
write_count(struct pp_csv *csv, const struct pp_frame_row *frame, uint32_t count, uint32_t of_frame)
{
    if (count == 0 && of_frame > 0 && frame->level != PP_LEVEL_DRAW)
        pp_csv_empty(csv, PP_WHY_SHARED);
    else
        pp_csv_u64(csv, count);
}

static int
write_region(struct labels *labels, const struct pp_frame_row *frame, const struct region *region)
{
    struct pp_csv *csv = &labels->csv;
    char text[TEXT_MAX];
    if (frame->is_frame)
        pp_csv_u64(csv, frame->frame);
    else
        pp_csv_empty(csv, PP_WHY_NO_FRAME);
    pp_session_label_path(labels->session, region->label, text, sizeof(text));
    pp_csv_text(csv, text);
    pp_csv_u64(csv, region->depth);
    pp_csv_u64(csv, region->passes);
    write_count(csv, frame, region->draws, frame->draws);
    write_count(csv, frame, region->dispatches, frame->dispatches);
    write_count(csv, frame, region->copies, frame->copies);
    /* the first action may be one that was not measured */
    bool known = pp_status_has_value(region->inclusive_ns.status);
    pp_csv_value(csv, known ? region->start_ns : region->inclusive_ns);
    pp_csv_value(csv, region->inclusive_ns);
    pp_csv_value(csv, region->exclusive_ns);
    pp_csv_counters(csv, labels->session, region->counter);
    return pp_csv_row(csv);
}

static int
labels_frame(void *self, const struct pp_frame_row *frame)
{
    struct labels *labels = self;
    if (frame->incomplete) /* a sum over some actions could be mistaken for the sum over all */
        return 0;
    int rc = collect(labels, frame);
    rc = rc ? rc : compute(labels);
    for (size_t i = 0; i < labels->regions; i++) {
        if (rc == 0)
            rc = write_region(labels, frame, &labels->region[i]);
        labels->index[labels->region[i].label] = 0;
    }
    labels->regions = 0;
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
    .file = "labels.csv",
    .begin = labels_begin,
    .frame = labels_frame,
    .flush = labels_flush,
    .size = labels_size,
    .end = labels_end,
};
