/** @file
 * Room: what split.c and the generated commands of vk_split.c share. */
#ifndef PP_LAYER_SPLIT_PRIVATE_H
#define PP_LAYER_SPLIT_PRIVATE_H

#include "layer/record.h"
#include "layer/split.h"

/** Sets a state again. @param state As noted. */
typedef void (*pp_split_repeat)(const struct pp_vk_device_next *real, VkCommandBuffer to, const void *state);

/** One of our functions in front of the driver's. */
struct pp_split_hook {
    const char *name;
    PFN_vkVoidFunction fn;
    size_t next; /**< offset in struct pp_vk_device_next */
};

/** Generated; sorted by name. */
extern const struct pp_split_hook pp_split_hooks[];
extern const size_t pp_split_hooks_count;

/** Parts of a command buffer; NULL: it has none (a secondary, one of ours). */
struct pp_split *pp_split_of(VkCommandBuffer handle);

/** The part that is being recorded. */
VkCommandBuffer pp_split_now(const struct pp_split *split);

/** Room to note a state that is being set. @return NULL: @p split is, or states are not known any more. */
void *pp_split_note(struct pp_split *split, pp_split_repeat repeat, size_t size);

/** Copy what a noted state points to. @return NULL if @p bytes is 0 or memory short (then nothing is known
 * any more). */
void *pp_split_copy(struct pp_split *split, const void *from, size_t bytes);

/** The same with what descriptors point to. */
VkWriteDescriptorSet *pp_split_copy_writes(struct pp_split *split, const VkWriteDescriptorSet *from,
                                           uint32_t count);

/** A state was set that could not be noted: no more parts until the next recording. NULL is fine. */
void pp_split_forget(struct pp_split *split);

/** A command that does something. @p opened Things that must end in the same part: 1 begins, -1 ends. */
void pp_split_worked(struct pp_split *split, int opened);

VKAPI_ATTR void VKAPI_CALL pp_split_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer,
                                                               const VkDebugUtilsLabelEXT *pLabelInfo);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdDebugMarkerBeginEXT(VkCommandBuffer commandBuffer,
                                                           const VkDebugMarkerMarkerInfoEXT *pMarkerInfo);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdDebugMarkerEndEXT(VkCommandBuffer commandBuffer);

/* Not only for command buffers in recording state. */
VKAPI_ATTR VkResult VKAPI_CALL pp_split_BeginCommandBuffer(VkCommandBuffer commandBuffer,
                                                           const VkCommandBufferBeginInfo *pBeginInfo);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_EndCommandBuffer(VkCommandBuffer commandBuffer);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_ResetCommandBuffer(VkCommandBuffer commandBuffer,
                                                           VkCommandBufferResetFlags flags);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_QueueSubmit(VkQueue queue, uint32_t submitCount,
                                                    const VkSubmitInfo *pSubmits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_QueueSubmit2(VkQueue queue, uint32_t submitCount,
                                                     const VkSubmitInfo2 *pSubmits, VkFence fence);

#endif
