/** @file
 * Private interface between the files split*.c and the generated commands of vk_split.c. */
#ifndef PP_LAYER_SERIALIZE_SPLIT_PRIVATE_H
#define PP_LAYER_SERIALIZE_SPLIT_PRIVATE_H

#include <stddef.h>

#include "layer/base/cmdbuf.h"
#include "layer/base/map.h"
#include "layer/serialize/split.h"

/** Data of a device that records in parts. */
struct pp_split_device {
    struct pp_vk_device_next real;
    bool draws;            /**< render passes are split, too */
    pthread_mutex_t lock;  /**< guards changes of `passes` */
    struct pp_map passes;  /**< VkRenderPass -> struct pp_split_pass */
    _Atomic(bool) unknown; /**< the application has a command that is not in the tables of the layer */
};

/** Sets a state again. @param state The noted state. */
typedef void (*pp_split_repeat)(const struct pp_vk_device_next *real, VkCommandBuffer to, const void *state);

/** Most states noted in a command buffer. With more states the command buffer is not split, because each part
 * repeats all of them. */
#define PP_SPLIT_STATES 512U

/** Words that name the state that a command sets: two calls of a command with the same words set the same
 * state. */
#define PP_SPLIT_KEYS 6U

/** Lists of notes by what they set. */
#define PP_SPLIT_BUCKETS 64U

/** Is all state known, so that it can be repeated? */
enum pp_split_known {
    PP_SPLIT_KNOWN,
    PP_SPLIT_FORGOTTEN, /**< a state was set that could not be noted */
    PP_SPLIT_MANY,      /**< more than PP_SPLIT_STATES */
};

/** An open label. Regions may span command buffers, but drivers (Mesa 22.3.6) crash at the end of a region
 * that began in another buffer. Therefore each part opens and closes its own. */
struct pp_split_label {
    bool marker; /**< the label comes from VK_EXT_debug_marker */
    float color[4];
    uint32_t name; /**< offset of its name in pp_split.name */
};

/** Why actions share a part. */
enum pp_split_whole {
    PP_SPLIT_APART,
    PP_SPLIT_MEASURED, /**< caused by passprobe: not reported */
    PP_SPLIT_MEMORY,
    PP_SPLIT_SECONDARIES,
    PP_SPLIT_SUBPASSES,
    PP_SPLIT_SUSPENDED,
    PP_SPLIT_ATTACHMENTS,
    PP_SPLIT_STRUCTS,
    PP_SPLIT_OPENED,
    PP_SPLIT_WHOLES
};

/** A render pass of the application. */
struct pp_split_pass {
    VkRenderPass first, middle, last; /**< VK_NULL_HANDLE: the pass is not split */
    uint8_t why;                      /**< enum pp_split_whole */
    uint32_t last_clears;             /**< clear values that `last` needs: of resolve attachments */
    bool views;                       /**< the pass has several views: no state outlives its begin */
    uint32_t more;                    /**< further objects with this handle that the application has;
                                           guarded by the lock */
};

/** How the open render pass was begun. */
enum pp_split_how { PP_SPLIT_UNKNOWN, PP_SPLIT_OBJECT, PP_SPLIT_OBJECT2, PP_SPLIT_DYNAMIC };

/** The open render pass: how to continue it in another command buffer, and what it holds. */
struct pp_split_instance {
    uint8_t how; /**< enum pp_split_how */
    uint8_t why; /**< enum pp_split_whole: the reason why some of its draws share a part; 0: none do */
    bool cut;    /**< the pass was split */
    uint32_t first_part;
    uint32_t bracket; /**< bracket of the pass */
    uint32_t actions; /**< actions in the open part */
    uint32_t action;  /**< the first of them, in the command buffer's action list */
    VkRenderPassBeginInfo info;
    VkRenderPassAttachmentBeginInfo views;
    VkRenderPass middle, last;
    uint32_t last_clears; /**< clear values that the last one needs */
    bool views_reset;     /**< the pass has several views: set the state again in it */
    VkRenderingInfo middle_rendering, last_rendering;
    void *memory; /**< memory that the structs above point to */
    size_t memory_cap;
};

/** The parts of one command buffer; used by the recording thread. */
struct pp_split {
    struct pp_cmdbuf *cb;
    struct pp_split_part *part;
    uint32_t parts, part_cap;
    VkCommandBuffer *handle; /**< all command buffers of the parts; the first is the application's */
    uint32_t handles, handle_cap;
    uint32_t taken;       /**< number of handles in use */
    VkCommandBuffer twin; /**< used in place of the open part if the render pass continues; it gets the
                               same commands. VK_NULL_HANDLE: no pass may be split */
    struct pp_split_instance instance;
    VkCommandBufferUsageFlags usage;
    bool worked; /**< the open part holds more than state */
    enum pp_split_known known;
    int32_t opened;  /**< number of things that must end in the open part */
    VkResult failed; /**< result of a part that was ended */
    /* split_state.c */
    struct pp_split_note *first, *last; /**< list in the order in which the states were set */
    struct pp_split_note *bucket[PP_SPLIT_BUCKETS];
    uint32_t notes;
    char *copy_to; /**< memory for what the note that is being written points to */
    struct pp_split_label *label;
    uint32_t labels, label_cap; /**< innermost last */
    char *name;                 /**< names of all labels, one after the other */
    uint32_t names, name_cap;   /**< bytes */
};

/** A function of the layer that is called before the driver's. */
struct pp_split_hook {
    const char *name;
    PFN_vkVoidFunction fn;
    size_t next; /**< offset in struct pp_vk_device_next */
};

/** Generated; sorted by name. */
extern const struct pp_split_hook pp_split_hooks[];
extern const size_t pp_split_hooks_count;

/** Find the parts of a command buffer. @return NULL: no parts (a secondary, or a command buffer of the
 * layer). */
struct pp_split *pp_split_find(VkCommandBuffer handle);

/** The part that is being recorded. */
VkCommandBuffer pp_split_open_part(const struct pp_split *split);

/** The command buffer that gets the same commands as the open part; VK_NULL_HANDLE: none. @param split May be
 * NULL. */
static inline VkCommandBuffer
pp_split_twin(const struct pp_split *split)
{
    return split ? split->twin : VK_NULL_HANDLE;
}

/**
 * Begin to record another command buffer, with the state and labels of the open part.
 *
 * @return VK_NULL_HANDLE: no command buffer is available.
 */
VkCommandBuffer pp_split_new_handle(struct pp_split *split);

/** End a command buffer of pp_split_new_handle(). @return The driver's answer. */
VkResult pp_split_end(struct pp_split *split, VkCommandBuffer handle);

/** Free a command buffer of pp_split_new_handle() that is not needed: it is in no submission. */
void pp_split_drop(struct pp_split *split, VkCommandBuffer handle);

/** Make memory for one more part. @return false: no memory. */
bool pp_split_grow(struct pp_split *split);

/** Begin the next part. @param handle Its command buffer, from pp_split_new_handle(). */
void pp_split_next(struct pp_split *split, VkCommandBuffer handle);

/** Can the open part end here: does it hold nothing that must end in it, and is all state known? If not,
 * reports the reason once. */
bool pp_split_may_cut(struct pp_split *split);

/** Name of the state that a command sets. */
struct pp_split_key {
    uint64_t word[PP_SPLIT_KEYS];
    uint32_t words;
    bool unique;  /**< a later call may not replace this state */
    bool outside; /**< the state may not be set in a render pass */
};

/** Note a command that does something. @p opened Things that must end in the same part: 1 begins, -1 ends. */
void pp_split_note_command(struct pp_split *split, int opened);

/** How an attachment is stored between draws. @param store The application's store operation. */
static inline VkAttachmentStoreOp
pp_split_keep(VkAttachmentStoreOp store)
{
    return store == VK_ATTACHMENT_STORE_OP_NONE ? store : VK_ATTACHMENT_STORE_OP_STORE;
}

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

VKAPI_ATTR void VKAPI_CALL pp_split_CmdBeginRenderPass(VkCommandBuffer commandBuffer,
                                                       const VkRenderPassBeginInfo *pRenderPassBegin,
                                                       VkSubpassContents contents);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdBeginRenderPass2(VkCommandBuffer commandBuffer,
                                                        const VkRenderPassBeginInfo *pRenderPassBegin,
                                                        const VkSubpassBeginInfo *pSubpassBeginInfo);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdEndRenderPass(VkCommandBuffer commandBuffer);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdEndRenderPass2(VkCommandBuffer commandBuffer,
                                                      const VkSubpassEndInfo *pSubpassEndInfo);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdBeginRendering(VkCommandBuffer commandBuffer,
                                                      const VkRenderingInfo *pRenderingInfo);
VKAPI_ATTR void VKAPI_CALL pp_split_CmdEndRendering(VkCommandBuffer commandBuffer);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_CreateRenderPass(VkDevice device,
                                                         const VkRenderPassCreateInfo *pCreateInfo,
                                                         const VkAllocationCallbacks *pAllocator,
                                                         VkRenderPass *pRenderPass);
VKAPI_ATTR VkResult VKAPI_CALL pp_split_CreateRenderPass2(VkDevice device,
                                                          const VkRenderPassCreateInfo2 *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkRenderPass *pRenderPass);
VKAPI_ATTR void VKAPI_CALL pp_split_DestroyRenderPass(VkDevice device, VkRenderPass renderPass,
                                                      const VkAllocationCallbacks *pAllocator);

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
