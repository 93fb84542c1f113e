/** @file
 * Command buffers recorded in parts. The CPU reads counter sources that count the whole GPU (PP_READ_IDLE)
 * while the GPU is idle, so each pass must be a separate submission. Vulkan has no valid way to stop inside
 * a command buffer until the CPU has read something: vkCmdWaitEvents must not wait for an event that is not
 * set yet. But the commands of one command buffer may be recorded into several, which are submitted in
 * order: barriers, events and layouts follow the order of submission and do not end with a command buffer.
 * Only state ends with it. Therefore the layer notes each state once and sets it again in each part
 * (split_state.c). Below the layer's other hooks, every command goes to the part that is being recorded. The
 * application's handle is the first part, and represents all of them. Parts are used only with
 * --serialize, in three cases: the user asks for a source that counts the whole GPU; for one whose reports
 * distinguish only submissions (the kernel's OA stream); or for counters of whole command buffers. The query
 * for the latter must be the last command of a buffer, and must not be active at a vkCmdExecuteCommands.
 * Other devices have no parts. See also serialize.h. */
#ifndef PP_LAYER_SERIALIZE_SPLIT_H
#define PP_LAYER_SERIALIZE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#include "layer/base/serialize.h"

struct pp_split;
struct pp_vk_device_next;

/** Let a device record in parts if its configuration demands that. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_split_open(struct pp_vk_device *dev);

/** Let a device record in parts whatever its configuration says. @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int pp_split_force(struct pp_vk_device *dev);

/** Wrap functions that were added to dev->next. Call with the lock over devices, or before the device is in a
 * map. */
void pp_split_wrap(struct pp_vk_device *dev);

/**
 * The function that an application gets for a device command without a hook of the layer.
 *
 * @param next The driver's function; not NULL.
 * @return @p next, or a function of the layer that calls it.
 */
PFN_vkVoidFunction pp_split_proc(struct pp_vk_device *dev, const char *name, PFN_vkVoidFunction next);

/** The function for a command that was asked of an instance, as layers above may do. See pp_split_proc(). */
PFN_vkVoidFunction pp_split_instance_proc(struct pp_vk_instance *inst, const char *name,
                                          PFN_vkVoidFunction next);

/** Note that the application has a command which no table of the layer has, and which may bypass the parts.
 */
void pp_split_unknown(struct pp_vk_device *dev);

void pp_split_close(struct pp_vk_device *dev);

/** Prepare a new command buffer: sets cb->split, unless its device or kind records no parts. */
void pp_split_add(struct pp_cmdbuf *cb);

/** Free the driver objects of a command buffer's parts. The command buffer is not pending. */
void pp_split_release(struct pp_cmdbuf *cb);

/** Free the memory of cb->split. */
void pp_split_free(struct pp_cmdbuf *cb);

/**
 * Begin another part, because a bracket begins or has ended here, outside of render passes. Called by the
 * recording thread.
 *
 * @param bracket The bracket that begins; PP_NO_BRACKET: one has ended, or what begins is not measured as
 * one.
 * @return false: the command buffer could not be split here.
 */
bool pp_split_cut(struct pp_cmdbuf *cb, uint32_t bracket);

/** The driver's functions for a command buffer or queue. To them, each part is a separate command buffer. */
const struct pp_vk_device_next *pp_split_real(const void *handle);

/**
 * The parts of a command buffer, as last recorded.
 *
 * @param ret_count Number of parts; 1 if it was not split.
 * @return NULL: no parts are known.
 */
const struct pp_split_part *pp_split_parts(const struct pp_cmdbuf *cb, uint32_t *ret_count);

#endif
