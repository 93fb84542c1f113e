/** @file
 * Command buffers recorded in parts. Sources that count the whole GPU (PP_READ_IDLE) are read by the
 * CPU while the GPU is idle, so each pass has to be a submission of its own. Vulkan has no lawful way to stop
 * inside a command buffer until the host has read something (vkCmdWaitEvents must not wait for an event that
 * is still to be set), but what one command buffer holds may as well stand in several, submitted in order:
 * barriers, events and layouts follow submission order, not command buffers. Only state does not go over: it
 * is noted, each state once, and repeated (cmdbuf_split_state.c). So below the layer's own hooks every
 * command goes to the part that is being recorded, and the application's handle, its first part, stands for
 * all of them. Only with --serialize where such a source is asked for, and where counters of whole command
 * buffers are, whose query has to be a buffer's last command and can be active at no vkCmdExecuteCommands:
 * other devices have none of this. See also alone.h. */
#ifndef PP_LAYER_SERIALIZE_CMDBUF_SPLIT_H
#define PP_LAYER_SERIALIZE_CMDBUF_SPLIT_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

struct pp_cmdbuf;
struct pp_split;
struct pp_split_device;
struct pp_vk_device;
struct pp_vk_device_next;
struct pp_vk_instance;

/** One part of a command buffer. */
struct pp_split_part {
    VkCommandBuffer handle; /**< the first one's is the application's */
    uint32_t bracket;       /**< of the command buffer, that it is all of; PP_NO_BRACKET: none */
    uint32_t around;        /**< of a pass that it is a part of, and that is no sum of such brackets;
                               PP_NO_BRACKET: none */
    bool mixed;             /**< it holds more than that bracket, which could not be cut off */
    bool glued;             /**< what follows must be in the same batch: it resumes a pass of this one */
};

/** Let this device record in parts, if its configuration wants that. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_split_open(struct pp_vk_device *dev);

/** Let it do so whatever the configuration says. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_split_need(struct pp_vk_device *dev);

/** Cover functions that came to dev->next since. With the lock over devices, or before they are found. */
void pp_split_cover(struct pp_vk_device *dev);

/** What an application gets for a command's name that has no hook of the layer's. @param next The driver's;
 * not NULL. @return That, or ours in front of it. */
PFN_vkVoidFunction pp_split_proc(struct pp_vk_device *dev, const char *name, PFN_vkVoidFunction next);

/** The same for a name that an instance was asked for, as layers above may do. */
PFN_vkVoidFunction pp_split_instance_proc(struct pp_vk_instance *inst, const char *name,
                                          PFN_vkVoidFunction next);

/** The application has a command that is in no table of ours, and may go around the parts. */
void pp_split_unknown(struct pp_vk_device *dev);

/** Destroy what is left of the driver's objects that render passes in parts need. */
void pp_split_passes_finish(struct pp_vk_device *dev);

void pp_split_close(struct pp_vk_device *dev);

/** A new command buffer: cb->split, unless its device or kind has none. */
void pp_split_add(struct pp_cmdbuf *cb);

/** Free what the driver has of it. It is not pending. */
void pp_split_release(struct pp_cmdbuf *cb);

/** Free what we have of it. */
void pp_split_free(struct pp_cmdbuf *cb);

/**
 * A bracket begins or has ended here, outside of render passes: what follows is in a part of its own. The
 * thread's that records.
 *
 * @param bracket That begins; PP_NO_BRACKET: one has ended, or what begins is not to be measured as one.
 * @return false: it could not be cut off.
 */
bool pp_split_cut(struct pp_cmdbuf *cb, uint32_t bracket);

/**
 * At level draw: what follows is a render pass, whose part pp_split_cut() has begun. Each of its pieces of
 * work is then in a part of its own, an instance of the pass that loads what the one before stored
 * (cmdbuf_split_pass.c), unless something forbids that.
 */
void pp_split_pass(struct pp_cmdbuf *cb);

/** An action of the open render pass follows, the last one of its program. */
void pp_split_draw(struct pp_cmdbuf *cb);

/** What follows in the open render pass belongs to the next action, if the part has one: a query of
 * the application's begins. */
void pp_split_query(struct pp_cmdbuf *cb);

/** A render pass has ended: its actions learn whether they had parts of their own; why not is said,
 * once. */
void pp_split_pass_end(struct pp_cmdbuf *cb);

/** Secondaries are executed: say, once, what of them is not cut off. */
void pp_split_executed(const struct pp_cmdbuf *cb);

/** The driver's functions for a command buffer or queue, for which each part is itself alone. */
const struct pp_vk_device_next *pp_split_real(const void *handle);

/** Its parts, as last recorded. @param ret_count 1 if it has one only. @return NULL: no parts are known. */
const struct pp_split_part *pp_split_parts(const struct pp_cmdbuf *cb, uint32_t *ret_count);

#endif
