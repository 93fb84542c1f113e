/** @file
 * Recorded passes in the batch: as a new pass, or merged into another. Only flatten.c includes this file. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_PASS_H
#define PP_LAYER_SUBMIT_FLATTEN_PASS_H

#include "layer/submit/flatten_private.h"

/** Add the counts of a recorded pass to a pass of the batch. */
void pp_flatten_pass_count(struct pp_pass *to, const struct pp_pass *from);

/** Add a pass to the batch. @param label The pass's label path. @return NULL: no memory. */
struct pp_pass *pp_flatten_pass_new(struct pp_flatten_run *flat, const struct pp_pass *from,
                                    pp_label_id label, uint8_t want);

/** Status of a bracket's statistics if no query counts for the bracket. */
uint8_t pp_flatten_pass_wanted(const struct pp_cmdbuf *cb, const struct pp_pass *pass);

/** Add a command buffer's part of a bracket. Counters of a bracket are the sum of its parts, if all parts
 * were measured for the same events, all in passes or all in actions. */
void pp_flatten_pass_perf(struct pp_flatten_run *flat, struct pp_result_slot *slot,
                          const struct pp_cmdbuf *cb);

/** Add a recorded pass as a new pass, or to the suspended pass that it resumes. */
int pp_flatten_pass_emit(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_pass *from,
                         uint32_t base, uint32_t *map, uint32_t *ret_pass);

/** Merge a recorded pass into another. */
void pp_flatten_pass_merge(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb,
                           const struct pp_pass *from, uint32_t *map, uint32_t to_pass);

#endif
