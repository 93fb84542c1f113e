/** @file
 * The results of a command buffer in a readback: where those of its queries are, and which brackets get them.
 * Only flatten.c includes this file. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_RESULTS_H
#define PP_LAYER_SUBMIT_FLATTEN_RESULTS_H

#include "layer/submit/flatten_private.h"

/** Add all queries of a command buffer. */
int pp_flatten_results_add(struct pp_flatten_run *flat, struct pp_cmdbuf *cb,
                           struct pp_flatten_bases *ret_bases);

/** Note the result slots of all statistics queries of a command buffer, and the brackets whose statistics are
 * incomplete. @param map From
 * the command buffer's brackets to the batch's; NULL: they are the same. */
int pp_flatten_results_statistics(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb,
                                  const uint32_t *map, const struct pp_flatten_bases *bases);

/** Bracket of a command buffer's only pass, for counters of the whole command buffer. PP_NO_BRACKET: there is
 * not exactly one pass. */
uint32_t pp_flatten_results_only_bracket(const struct pp_cmdbuf *cb, const uint32_t *map);

/** List the brackets that have a CPU cost of recording. @param map NULL: numbers are the batch's. */
int pp_flatten_results_costs(struct pp_flatten *scratch, struct pp_cmdbuf *cb, const uint32_t *map);

/** Write the CPU costs into the batch. */
void pp_flatten_results_put_costs(const struct pp_flatten *scratch, struct pp_batch *batch);

/** Note which brackets are whole parts of a command buffer. @param map NULL: numbers are the batch's. */
int pp_flatten_results_parts(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb,
                             const uint32_t *map);

#endif
