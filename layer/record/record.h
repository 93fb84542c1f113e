/** @file
 * Command buffers while they record. Each holds an action list of passes and brackets, which every submission
 * flattens into its batch. The application synchronises a command buffer, its pool and all that belongs to
 * them, as Vulkan demands. Therefore recording takes no lock. See also query_pool.h (query slots) and
 * submit.c (submissions).
 *
 * What recording costs on the CPU: snapshots of counters of the recording thread at the ends of each bracket.
 * Submissions put them into batches. */
#ifndef PP_LAYER_RECORD_RECORD_H
#define PP_LAYER_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/base/cmdbuf.h"
#include "layer/record/indirect.h"

/** Vertices of all draws of a vkCmdDrawMultiEXT. */
uint64_t pp_vk_multi_vertices(uint32_t count, const VkMultiDrawInfoEXT *info, uint32_t stride);

/** Indices of all draws of a vkCmdDrawMultiIndexedEXT. */
uint64_t pp_vk_multi_indices(uint32_t count, const VkMultiDrawIndexedInfoEXT *info, uint32_t stride);

/** Note that a buffer, with the secondaries that it executes, is submitted now. */
void pp_vk_record_runs(struct pp_cmdbuf *cb);

/** Intern the names of calls, once. */
void pp_vk_record_init(struct pp_session *session);

/** Forget the command pools that a device still has. */
void pp_vk_record_finish(struct pp_vk_device *dev);

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
