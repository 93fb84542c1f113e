/** @file
 * Command buffers while they record. Each holds an action list of passes and brackets, which every submission
 * flattens into its batch. The application synchronises a command buffer, its pool and all that belongs to
 * them, as Vulkan demands. Therefore recording takes no lock. See also query_pool.h (query slots) and
 * submit.c (submissions). */
#ifndef PP_LAYER_RECORD_RECORD_H
#define PP_LAYER_RECORD_RECORD_H

#include "layer/base/cmdbuf.h"
#include "layer/record/cpu_cost.h"
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

#endif
