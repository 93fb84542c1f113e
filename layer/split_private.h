/** @file
 * Room: what split.c, split_state.c and the generated commands of vk_split.c share. */
#ifndef PP_LAYER_SPLIT_PRIVATE_H
#define PP_LAYER_SPLIT_PRIVATE_H

#include <stddef.h>

#include "layer/record.h"
#include "layer/split.h"

/** Sets a state again. @param state As noted. */
typedef void (*pp_split_repeat)(const struct pp_vk_device_next *real, VkCommandBuffer to, const void *state);

/** States noted at once in a command buffer: beyond, it is not taken apart, since each part repeats them. */
#define PP_SPLIT_STATES      512U
#define PP_SPLIT_STATES_TEXT "512"

/** Words that say which state a command sets: two calls of a command with the same ones set the same. */
#define PP_SPLIT_KEYS 6U

/** Lists of notes by what they set. */
#define PP_SPLIT_BUCKETS 64U

/** Is what is set known, so that it can be repeated? */
enum pp_split_known {
    PP_SPLIT_KNOWN,
    PP_SPLIT_FORGOTTEN, /**< something is set that could not be noted */
    PP_SPLIT_MANY,      /**< more than PP_SPLIT_STATES */
};

/** A label that is open. Regions may span command buffers, but drivers (Mesa 22.3.6) crash at the end of one
 * that began in another: each part opens and closes its own. */
struct pp_split_label {
    bool marker; /**< of VK_EXT_debug_marker */
    float color[4];
    uint32_t name; /**< where it begins in pp_split.name */
};

struct pp_split_note;

/** Of one command buffer; the thread's that records. */
struct pp_split {
    struct pp_cmdbuf *cb;
    struct pp_split_part *part;
    uint32_t parts, part_cap;
    uint32_t allocated; /**< parts that have a handle */
    VkCommandBufferUsageFlags usage;
    bool worked; /**< the open part holds more than state */
    enum pp_split_known known;
    int32_t opened;  /**< what must end in the open part */
    VkResult failed; /**< of a part that was ended */
    /* split_state.c */
    struct pp_split_note *first, *last; /**< in the order in which they were set */
    struct pp_split_note *bucket[PP_SPLIT_BUCKETS];
    uint32_t notes;
    char *room; /**< for what the note that is being written points to */
    struct pp_split_label *label;
    uint32_t labels, label_cap; /**< innermost last */
    char *name;                 /**< of all labels, one behind the other */
    uint32_t names, name_cap;   /**< bytes */
};

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

/** Which state a command sets. */
struct pp_split_key {
    uint64_t word[PP_SPLIT_KEYS];
    uint32_t words;
    bool unique; /**< nothing that is known of it says that a later call replaces it */
};

/**
 * Room to note a state that is being set, in place of what the same command set there before.
 *
 * @param repeat Also names the command.
 * @param size   Of the state.
 * @param behind Bytes of what it points to: a sum of pp_split_room(), one for each pp_split_copy().
 * @return NULL: @p split is, or states are not known any more.
 */
void *pp_split_note(struct pp_split *split, pp_split_repeat repeat, const struct pp_split_key *key,
                    size_t size, size_t behind);

/** What so many bytes take behind a state. */
static inline size_t
pp_split_room(size_t bytes)
{
    return (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/** Copy what a noted state points to, behind it. @return NULL if @p bytes is 0. */
void *pp_split_copy(struct pp_split *split, const void *from, size_t bytes);

/** Forget what is noted, and open labels. */
void pp_split_state_clear(struct pp_split *split);

/** The same, and free all of it. */
void pp_split_state_finish(struct pp_split *split);

/** Set again all that is noted. */
void pp_split_state_repeat(const struct pp_split *split, const struct pp_vk_device_next *real,
                           VkCommandBuffer to);

/** Close all labels that are open in the part that ends, or open them in the one that begins. */
void pp_split_labels(const struct pp_split *split, const struct pp_vk_device_next *real, VkCommandBuffer to,
                     bool begin);

/** A state was set that could not be noted: no more parts until the next recording. NULL is fine. */
void pp_split_forget(struct pp_split *split);

/** A command that does something. @p opened Things that must end in the same part: 1 begins, -1 ends. */
void pp_split_worked(struct pp_split *split, int opened);

VKAPI_ATTR void VKAPI_CALL pp_split_CmdPushDescriptorSetKHR(VkCommandBuffer commandBuffer,
                                                            VkPipelineBindPoint pipelineBindPoint,
                                                            VkPipelineLayout layout, uint32_t set,
                                                            uint32_t descriptorWriteCount,
                                                            const VkWriteDescriptorSet *pDescriptorWrites);
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
