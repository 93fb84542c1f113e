/** @file
 * Results of counter sources that stream: they are looked up afterwards, by the GPU timestamps of a bracket.
 * Collector thread only. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_DECODE_STREAMS_H
#define PP_CORE_COLLECT_DECODE_STREAMS_H

#include <stdbool.h>

struct pp_batch;

/**
 * Look up what streaming sources counted in the brackets of a batch, and write it into the batch's rows.
 *
 * @param patient True: results that have not arrived are waited for; false: they are lost.
 * @retval 0       Done.
 * @retval -EAGAIN Call again later; results found so far are kept.
 */
__attribute__((warn_unused_result)) int pp_streams_look_up(struct pp_batch *batch, bool patient);

#endif
