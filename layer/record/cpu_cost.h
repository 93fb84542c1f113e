/** @file
 * CPU cost of recording a pass or an action, on the recording thread (counter source "cpu"). The cost is
 * measured while a command buffer records. The first submission of that recording puts it into its batch;
 * later submissions have no recording cost. A pass that executes secondaries has no cost, because the
 * secondaries were recorded elsewhere. Without the source "cpu", nothing is measured. See also
 * core/events/device_counters.h. */
#ifndef PP_LAYER_RECORD_CPU_COST_H
#define PP_LAYER_RECORD_CPU_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/base/cmdbuf.h"

struct pp_batch;
struct pp_cmdbuf;

/** Begin to measure a recording. */
void pp_vk_cpu_cost_begin(struct pp_cmdbuf *cb);

/** Read the counters of this thread at a bracket's begin (@p end 0) or end (1). */
void pp_vk_cpu_cost_take(struct pp_cmdbuf *cb, uint32_t bracket, unsigned end);

/** Put the snapshots of the command buffer's bracket @p from into @p bracket of a batch. @param repeated An
 * earlier submission has taken them: the bracket only gets this reason for its empty cells. */
void pp_vk_cpu_cost_put(const struct pp_cmdbuf *cb, uint32_t from, struct pp_batch *batch, uint32_t bracket,
                        bool repeated);

/** Free the memory of @p cpu. */
void pp_vk_cpu_cost_free(struct pp_vk_cpu_cost *cpu);

#endif
