/** @file
 * --serialize in Vulkan, as the rest of the layer sees it. The layer waits for each submission. Where a
 * counter source counts the whole GPU, the layer also submits each pass, and each action outside of render
 * passes, by itself; for that it records command buffers in parts. So the source can be read before and after
 * it while the GPU is idle. All of this is in this folder, and a build without it (PP_VULKAN_SERIALIZE=OFF)
 * has none.c instead. Only this header is for other folders. See also split.h (parts) and
 * ../submit/rewrite.h. */
#ifndef PP_LAYER_BASE_SERIALIZE_H
#define PP_LAYER_BASE_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

struct pp_cmdbuf;
struct pp_rewrite;
struct pp_submit_call;
struct pp_vk_device;
struct pp_vk_instance;
struct pp_vk_queue;

/** One part of a command buffer. */
struct pp_split_part {
    VkCommandBuffer handle; /**< command buffer of the part; for the first part, the application's */
    uint32_t bracket;       /**< bracket of the command buffer that this part contains completely;
                                 PP_NO_BRACKET: none */
    uint32_t around;        /**< bracket of a pass that contains this part and is not a sum of such
                                 brackets; PP_NO_BRACKET: none */
    bool mixed;             /**< the part holds more than that bracket: it could not be split there */
    bool glued;             /**< the next part must be in the same batch: it resumes a pass of this one */
};

/** A rewritten submission, as it would go to the driver. */
struct pp_serialize_call {
    struct pp_vk_queue *queue;
    const struct pp_rewrite *rewrite; /**< items: the command buffers of all batches, in order */
    uint32_t count;
    const VkSubmitInfo *submits;
    const VkSubmitInfo2 *submits2; /**< one of the two */
    VkFence fence;                 /**< submitted with the last batch */
    uint64_t submitted_ns;         /**< returned: time when the driver had the whole submission */
    bool overlapped;               /**< returned: other actions may have run at the same time */
    bool begun;                    /**< returned: the driver has a part of the submission */
    VkResult ended; /**< returned: VK_SUCCESS: the submission has ended; else the wait's result */
};

/** The interface of this folder. Every pointer is set. The functions of devices may be called for devices
 * without parts, those of command buffers for command buffers without parts, unless it says otherwise. */
struct pp_serialize_ops {
    bool built; /**< false: this build cannot serialize; the functions do nothing */

    /* Devices. */

    /** Let a device record in parts if its configuration demands that. Returns 0 or -ENOMEM. */
    int (*open)(struct pp_vk_device *dev);
    /** Let a device record in parts whatever its configuration says. Returns 0, -ENOMEM or -ENOTSUP. */
    int (*need_parts)(struct pp_vk_device *dev);
    /** Wrap functions that were added to dev->next. Call with the lock over devices, or before the device is
     * in a map. */
    void (*wrap)(struct pp_vk_device *dev);
    /** Note that the application has a command which no table of the layer has, and which may bypass the
     * parts. */
    void (*note_unknown)(struct pp_vk_device *dev);
    /** The function that an application gets for a device command without a hook of the layer: @p next, the
     * driver's function, or a function of this folder that calls it. @p next is not NULL. */
    PFN_vkVoidFunction (*proc)(struct pp_vk_device *dev, const char *name, PFN_vkVoidFunction next);
    /** The function for a command that was asked of an instance, as layers above may do: see proc(). */
    PFN_vkVoidFunction (*instance_proc)(struct pp_vk_instance *inst, const char *name,
                                        PFN_vkVoidFunction next);
    /** Destroy the remaining driver objects of render passes in parts, before the device goes. */
    void (*finish_objects)(struct pp_vk_device *dev);
    /** Free the memory of dev->split. */
    void (*close)(struct pp_vk_device *dev);

    /* Command buffers; the recording thread. */

    /** Prepare a new command buffer: sets cb->split, unless its device or kind records no parts. */
    void (*add)(struct pp_cmdbuf *cb);
    /** Free the driver objects of a command buffer's parts. The command buffer is not pending. */
    void (*release)(struct pp_cmdbuf *cb);
    /** Free the memory of cb->split. */
    void (*remove)(struct pp_cmdbuf *cb);
    /** Begin another part, because bracket @p bracket begins or has ended here, outside of render passes.
     * Only for command buffers with parts. PP_NO_BRACKET: one has ended, or what begins is not measured as
     * one. Returns false if the command buffer could not be split here. */
    bool (*cut)(struct pp_cmdbuf *cb, uint32_t bracket);
    /** At level draw: a render pass follows, in the part that cut() has begun. Each of its actions then gets
     * a part: an instance of the pass that loads what the instance before stored. Some passes cannot be
     * split; they stay whole. */
    void (*begin_pass)(struct pp_cmdbuf *cb);
    /** An action of the open render pass follows: the last one of its action list. Only with parts. */
    void (*action)(struct pp_cmdbuf *cb);
    /** A query of the application begins in the open render pass: what follows belongs to the next action, if
     * the part already has an action. */
    void (*query)(struct pp_cmdbuf *cb);
    /** A render pass has ended: note for its actions whether each had a part. If not, report the reason once.
     */
    void (*end_pass)(struct pp_cmdbuf *cb);
    /** Secondaries are executed: report once what in them cannot be split. */
    void (*executed)(const struct pp_cmdbuf *cb);
    /** The parts of a command buffer, as last recorded; *ret_count is 1 if it was not split. Returns NULL if
     * no parts are known; *ret_count is then 0. @p cb may be NULL. */
    const struct pp_split_part *(*parts)(const struct pp_cmdbuf *cb, uint32_t *ret_count);

    /* Submissions, only with pp_vk_measured.serialize. Call them with the root's serial_lock. */

    /** Does the layer wait for the queue's next submission? There are three kinds for which it does not.
     * First, a submission that waits for a value of a timeline semaphore which was not signalled yet. Second,
     * what follows such a submission in its queue before that submission has ended. Third, submissions after
     * one that did not end within 2 s, because that one may wait for a later one: the next 4 of its queue,
     * then 8 after the next such one, and so on up to 4096. The layer waits for submissions of other queues
     * and devices, but they measure nothing while a submission that was not waited for may run. */
    bool (*waits)(struct pp_vk_queue *queue, const struct pp_submit_call *call);
    /** Note that a submission which the layer did not wait for, or which did not end, went to the driver. A
     * fence of the layer went with it and is put next, or fence() follows. */
    void (*note_unwaited)(struct pp_vk_queue *queue);
    /** Submit a fence, to find out when everything that the queue has got so far has ended. */
    void (*fence)(struct pp_vk_queue *queue);
    /** Submit @p call, wait for it, and read the counter sources that count the whole GPU. Call while the
     * readbacks belong to the rewrite. Returns the driver's answer. A refusal is returned only if the driver
     * took nothing, so that the application may try again or go on. If the driver took a part and then memory
     * was short, the rest is tried again for a quarter of a second. After that the answer is
     * VK_ERROR_DEVICE_LOST, the only one for a submission that is neither done nor untouched. */
    VkResult (*submit)(struct pp_serialize_call *call);
    /** Act on @p ended, which is pp_serialize_call.ended, after the readbacks are pending: mark them done,
     * mark the device lost, or, after a time-out, wait for none of the queue's next submissions. */
    void (*ended)(struct pp_vk_queue *queue, VkResult ended);
};

extern const struct pp_serialize_ops pp_serialize;

#endif
