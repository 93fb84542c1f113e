/** @file
 * Fences: the kernel's dma_fence. A fence is signalled when its work has ended. All functions are called with
 * lab_lock held. */
#ifndef LAB_FENCE_H
#define LAB_FENCE_H

#include <stdbool.h>
#include <stdint.h>

/** A fence. */
struct lab_fence {
    bool done;
    uint64_t number; /**< in the order of creation, in which work ends */
    unsigned owners;
};

/** Make a fence with one owner. Ends the process if there is no memory. */
struct lab_fence *lab_fence_create(bool done);

/** One more owner. @return @p fence. */
struct lab_fence *lab_fence_ref(struct lab_fence *fence);

/** One owner less; NULL is fine. */
void lab_fence_unref(struct lab_fence *fence);

/** The work has ended: wake who waits. */
void lab_fence_signal(struct lab_fence *fence);

/** Points of a timeline with their fences; one that is zeroed has none. */
struct lab_timeline {
    struct lab_point {
        uint64_t value;
        struct lab_fence *fence;
    } * point;
    unsigned count, cap;
    uint64_t signalled; /* as of the last call */
};

/** Add a point after the others; the timeline becomes an owner of the fence. */
void lab_timeline_add(struct lab_timeline *timeline, uint64_t value, struct lab_fence *fence);

/** The value up to which all points are signalled. */
uint64_t lab_timeline_value(struct lab_timeline *timeline);

/** The fence of the first point from @p value on; NULL: that point is signalled, or there is none. */
struct lab_fence *lab_timeline_fence(struct lab_timeline *timeline, uint64_t value);

/** Forget all points; the value is 0. */
void lab_timeline_finish(struct lab_timeline *timeline);

#endif
