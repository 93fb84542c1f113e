/** @file
 * Measuring passes by hand, as a Vulkan application would do it: two timestamps and all pipeline statistics
 * around each pass (or statistics around each draw), read when the frame's fence has signalled. The cost of a
 * profiler is compared with the cost of these queries. */
#ifndef SAMPLES_VK_QUERY_H
#define SAMPLES_VK_QUERY_H

#include "samples/vk_scene.h"

/** Draws and dispatches of a frame, in order. */
enum vk_draw {
    VK_DRAW_SHADOW,
    VK_DRAW_FLOOR,
    VK_DRAW_BOXES,
    VK_DRAW_OUTLIERS,
    VK_DRAW_TONE,
    VK_DRAW_POST,
    VK_DRAWS
};

#define VK_COUNTS 6 /**< queries a slot: passes, or with --draws draws */
_Static_assert((int)VK_DRAWS <= VK_COUNTS && (int)SCENE_PASSES <= VK_COUNTS, "a query each");

/** What was read so far. */
struct vk_query {
    unsigned frames;
    bool unequal;                              /**< a frame had other counts than the first one */
    double least_ns[SCENE_PASSES];             /**< shortest time of any frame */
    uint64_t counted[VK_COUNTS][SCENE_COUNTS]; /**< of the first frame: passes, or with --draws draws */
};

/** Create the query pools of all slots. @return 0, or -1 after a message. */
int vk_query_init(struct vk_scene *it);
void vk_query_finish(struct vk_scene *it);

/* Commands; they do nothing where the slot has no pools. */
void vk_query_reset(const struct vk_scene *it, const struct vk_slot *slot);
void vk_query_begin(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass);
void vk_query_end(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass);

void vk_query_draw_begin(const struct vk_scene *it, const struct vk_slot *slot, enum vk_draw draw);
void vk_query_draw_end(const struct vk_scene *it, const struct vk_slot *slot, enum vk_draw draw);

/** Add the results of a slot whose fence has signalled. @return 0, or -1 after a message. */
int vk_query_read(const struct vk_scene *it, const struct vk_slot *slot, struct vk_query *sum);

#endif
