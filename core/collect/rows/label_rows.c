/** @file
 * Label regions of a frame; see label_rows.h. */
#include "core/collect/rows/label_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/decode/bracket_decode.h"
#include "core/engine/session_private.h"
#include "core/engine/tracker.h"
#include "core/util/heap.h"

#define DEPTH_MAX 64U

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
    bool inside;                    /* is in regions inside this one, or in it: no time of its own */
    pp_label_id common; /* from this region outwards it is measured as part of its pass; 0: nowhere */
};

/* Make the index large enough for a label, which has no region yet. */
static int
grow_index(struct pp_label_rows *labels, pp_label_id label)
{
    uint32_t had = labels->index_cap;
    int rc = pp_array_grow(&labels->index, &labels->index_cap, (size_t)label + 1, sizeof(*labels->index));
    if (rc == 0)
        memset(labels->index + had, 0, (labels->index_cap - had) * sizeof(*labels->index));
    return rc;
}

/* Make the arrays large enough for one more region and its counters. */
static int
grow_regions(struct pp_label_rows *labels)
{
    size_t columns = labels->session->rows.columns, wanted = (size_t)labels->regions + 1;
    uint32_t had = labels->value_cap;
    int rc = pp_array_grow(&labels->region, &labels->region_cap, wanted, sizeof(*labels->region));
    rc = rc ? rc
            : pp_array_grow(&labels->values, &labels->value_cap, wanted * columns, sizeof(*labels->values));
    rc = rc ? rc : pp_array_grow(&labels->counted, &labels->counted_cap, wanted, sizeof(*labels->counted));
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
find_region(struct pp_label_rows *labels, pp_label_id label, size_t *ret_at)
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
    struct pp_label_row *region = &labels->region[labels->regions];
    memset(region, 0, sizeof(*region));
    region->label = label;
    region->depth = depth_of(session, label);
    region->gpu_start_ns = pp_value_missing(PP_DISABLED);
    region->counter = labels->values + (size_t)labels->regions * session->rows.columns;
    labels->counted[labels->regions] = false;
    for (uint32_t i = 0; i < session->rows.columns; i++)
        region->counter[i] = pp_value_ok(0);
    *ret_at = labels->regions++;
    labels->index[label] = labels->regions;
    return 0;
}

static void
add(struct pp_value *to, struct pp_value value)
{
    to->value += value.value;
    to->status = pp_status_worse(to->status, value.status);
}

static void
add_counts(struct pp_label_row *region, const struct share *share)
{
    region->passes += share->passes;
    region->draws += share->draws;
    region->dispatches += share->dispatches;
    region->copies += share->copies;
}

static void
add_measured(struct pp_label_rows *labels, size_t at, const struct share *share)
{
    const struct pp_column *column = labels->session->rows.column;
    struct pp_label_row *region = &labels->region[at];
    add(&region->gpu_inclusive_ns, share->time_ns);
    if (pp_status_has_value(share->start_ns.status) && (!pp_status_has_value(region->gpu_start_ns.status) ||
                                                        share->start_ns.value < region->gpu_start_ns.value))
        region->gpu_start_ns = share->start_ns;
    for (uint32_t i = 0; share->counter && i < labels->session->rows.columns; i++)
        region->counter[i] = labels->counted[at]
                                 ? pp_column_add(&column[i], region->counter[i], share->counter[i])
                                 : share->counter[i];
    labels->counted[at] |= share->counter != NULL;
}

static int
spread(struct pp_label_rows *labels, const struct share *share)
{
    pp_label_id label = pp_label_kept(share->label);
    bool measured = true;
    for (uint32_t depth = 0; label && depth < DEPTH_MAX; depth++) {
        size_t at = 0;
        int rc = find_region(labels, label, &at);
        if (rc)
            return rc;
        struct pp_label_row *region = &labels->region[at];
        measured = measured && label != share->common;
        add_counts(region, share);
        if (depth == 0 && !share->inside)
            add(&region->gpu_exclusive_ns, share->time_ns);
        if (measured)
            add_measured(labels, at, share);
        label = pp_session_label_parent(labels->session, label);
    }
    return 0;
}

/* Attribute a pass to a region. If all its actions are in one region, the whole pass belongs to this
 * region; otherwise each action is attributed separately. */
static int
share_pass(struct pp_label_rows *labels, const struct pp_pass_row *pass)
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
share_begin(struct pp_label_rows *labels, const struct pp_pass_row *pass, pp_label_id common)
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
share_action(struct pp_label_rows *labels, const struct pp_action_row *row, pp_label_id common)
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

/* The innermost region that both are in. @return 0: none. */
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
find_shared(struct pp_label_rows *labels, const struct pp_frame_row *frame)
{
    for (uint32_t i = 0; i < frame->passes; i++)
        labels->shared[i] = (struct pp_label_shared){.common = pp_label_kept(frame->pass[i].label)};
    for (uint32_t i = 0; i < frame->actions; i++) {
        assert(frame->action[i].pass < frame->passes);
        struct pp_label_shared *shared = &labels->shared[frame->action[i].pass];
        pp_label_id label = pp_label_kept(frame->action[i].action->label);
        shared->is = shared->is || label != pp_label_kept(frame->pass[frame->action[i].pass].label);
        shared->common = common_of(labels->session, shared->common, label);
    }
    for (uint32_t i = 0; i < frame->passes; i++)
        if (!pp_status_has_value(frame->pass[i].gpu_time_ns.status))
            labels->shared[i].common = 0;
}

static int
collect(struct pp_label_rows *labels, const struct pp_frame_row *frame)
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

/* Compute, for every region, the columns that are computed from others. */
static int
compute(struct pp_label_rows *labels)
{
    if (!labels->session->rows.formulas || labels->regions == 0)
        return 0;
    int rc =
        pp_array_grow(&labels->computed, &labels->computed_cap, labels->regions, sizeof(*labels->computed));
    if (rc)
        return rc;
    for (size_t i = 0; i < labels->regions; i++)
        labels->computed[i] = labels->region[i].counter;
    return pp_formulas_compute(labels->session, labels->computed, labels->regions);
}

int
pp_label_rows_make(struct pp_label_rows *labels, struct pp_session *session, struct pp_frame_row *frame)
{
    labels->session = session;
    labels->regions = 0;
    frame->labels = 0;
    if (frame->incomplete)
        return 0;
    int rc = collect(labels, frame);
    rc = rc ? rc : compute(labels);
    for (size_t i = 0; i < labels->regions; i++) {
        struct pp_label_row *region = &labels->region[i];
        labels->index[region->label] = 0;
        /* The region's first action may be one that was not measured. */
        if (!pp_status_has_value(region->gpu_inclusive_ns.status))
            region->gpu_start_ns = region->gpu_inclusive_ns;
    }
    frame->label = labels->region;
    frame->labels = rc ? 0 : labels->regions;
    return rc;
}

void
pp_label_rows_finish(struct pp_label_rows *labels)
{
    free(labels->region);
    free(labels->counted);
    free(labels->values);
    free(labels->computed);
    free(labels->index);
    free(labels->shared);
    memset(labels, 0, sizeof(*labels));
}
