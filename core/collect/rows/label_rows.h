/** @file
 * Label regions of a frame: each region's cost, including and excluding the regions inside it. Regions come
 * from debug labels and the annotate API. Collector thread only. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_ROWS_LABEL_ROWS_H
#define PP_CORE_COLLECT_ROWS_LABEL_ROWS_H

#include "core/model/row.h"

struct pp_session;

/** How a pass is divided between regions. */
struct pp_label_shared {
    bool is;
    pp_label_id common; /**< the region that all of the pass is in; 0: none, or the pass was not measured */
};

/** Memory of the regions; reused from frame to frame. Zero it first. */
struct pp_label_rows {
    struct pp_session *session; /**< of the frame that is being counted */
    struct pp_label_row *region;
    bool *counted; /**< by region: its counters hold something */
    struct pp_value *values;
    struct pp_value **computed; /**< scratch: the counters of each region */
    uint32_t regions;
    uint32_t region_cap, counted_cap, value_cap, computed_cap;
    uint32_t *index; /**< label -> region + 1; 0: not in this frame */
    uint32_t index_cap;
    struct pp_label_shared *shared; /**< by pass of the frame */
    uint32_t shared_cap;
};

/**
 * Make the label rows of a frame from its pass and action rows.
 *
 * @param frame Finished except for label and labels, which are set and stay valid until the next call.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int
pp_label_rows_make(struct pp_label_rows *labels, struct pp_session *session, struct pp_frame_row *frame);

/** Free the memory. */
void pp_label_rows_finish(struct pp_label_rows *labels);

#endif
