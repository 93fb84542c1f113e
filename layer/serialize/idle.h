/** @file
 * --serialize: is the GPU idle, and for which submissions does the layer wait? Call the functions with the
 * root's serial_lock. See also serialize.h. */
#ifndef PP_LAYER_SERIALIZE_IDLE_H
#define PP_LAYER_SERIALIZE_IDLE_H

#include "layer/base/device.h"

struct pp_submit_call;

/** Wait until everything that was submitted to the queue has ended, at most 2 s. @return VK_SUCCESS: it has
 * ended. */
VkResult pp_idle_wait(struct pp_vk_queue *queue);

/** May a submission that was not waited for still run on this queue? */
bool pp_idle_has_unwaited(struct pp_vk_queue *queue);

/** pp_idle_has_unwaited() for all other queues of all devices. The map's lock keeps the devices alive. */
bool pp_idle_others_have_unwaited(const struct pp_vk_queue *mine);

/** See pp_serialize_ops.waits. */
bool pp_idle_waits(struct pp_vk_queue *queue, const struct pp_submit_call *call);

/** See pp_serialize_ops.note_unwaited. */
void pp_idle_note_unwaited(struct pp_vk_queue *queue);

/** See pp_serialize_ops.fence. */
void pp_idle_submit_fence(struct pp_vk_queue *queue);

/** See pp_serialize_ops.ended. */
void pp_idle_note_ended(struct pp_vk_queue *queue, VkResult ended);

#endif
