/** @file
 * The commands of a frame, recorded into a slot's command buffer. See also vk_query.h. */
#ifndef SAMPLES_VK_RECORD_H
#define SAMPLES_VK_RECORD_H

#include "samples/vk_scene.h"

/**
 * Record the whole frame into the slot's command buffer, once for many submissions or anew for each.
 *
 * @param name Labels of the passes.
 * @return 0, or -1 after a message.
 */
int vk_record(const struct vk_scene *it, const struct vk_slot *slot,
              const struct scene_expected name[SCENE_PASSES]);

#endif
