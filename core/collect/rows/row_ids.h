/** @file
 * The ids of a frame's rows, saved so that the same rows can be made again later (--keep-slower-than): ids
 * depend on the frames before. Collector thread only. See also stable_id.h. */
#ifndef PP_CORE_COLLECT_ROWS_ROW_IDS_H
#define PP_CORE_COLLECT_ROWS_ROW_IDS_H

#include <stddef.h>

#include "core/model/row.h"

/** Saved ids. All zero: none. */
struct pp_row_ids {
    uint64_t *id;      /**< of the passes, then of the actions; owned */
    uint8_t *by_place; /**< as in pp_pass_row, likewise; in the memory of id */
    size_t count;
};

/** Save the ids of all passes and actions. @retval 0, -ENOMEM: none are saved. */
__attribute__((warn_unused_result)) int pp_row_ids_save(struct pp_row_ids *ids,
                                                        const struct pp_frame_row *frame);

/** Give saved ids to rows that were made from the same batches. */
void pp_row_ids_restore(const struct pp_row_ids *ids, struct pp_frame_row *frame);

/** Free the ids. The struct is all zero afterwards. */
void pp_row_ids_finish(struct pp_row_ids *ids);

#endif
