/** @file
 * Fences and timelines of them; see fence.h. */
#include "tests/lab/fence.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lab/drm.h"

struct lab_fence *
lab_fence_create(bool done)
{
    static uint64_t number;
    struct lab_fence *fence = calloc(1, sizeof(*fence));
    if (!fence)
        abort();
    *fence = (struct lab_fence){.done = done, .number = ++number, .owners = 1};
    return fence;
}

struct lab_fence *
lab_fence_ref(struct lab_fence *fence)
{
    fence->owners++;
    return fence;
}

void
lab_fence_unref(struct lab_fence *fence)
{
    if (fence && --fence->owners == 0)
        free(fence);
}

void
lab_fence_signal(struct lab_fence *fence)
{
    fence->done = true;
    pthread_cond_broadcast(&lab_changed);
}

void
lab_timeline_add(struct lab_timeline *timeline, uint64_t value, struct lab_fence *fence)
{
    if (timeline->count == timeline->cap) {
        timeline->cap = timeline->cap ? 2 * timeline->cap : 8;
        timeline->point = realloc(timeline->point, timeline->cap * sizeof(*timeline->point));
        if (!timeline->point)
            abort();
    }
    timeline->point[timeline->count++] = (struct lab_point){value, lab_fence_ref(fence)};
}

uint64_t
lab_timeline_value(struct lab_timeline *timeline)
{
    unsigned done = 0;
    while (done < timeline->count && timeline->point[done].fence->done) {
        timeline->signalled = timeline->point[done].value;
        lab_fence_unref(timeline->point[done++].fence);
    }
    timeline->count -= done;
    if (done && timeline->count)
        memmove(timeline->point, timeline->point + done, timeline->count * sizeof(*timeline->point));
    return timeline->signalled;
}

struct lab_fence *
lab_timeline_fence(struct lab_timeline *timeline, uint64_t value)
{
    if (lab_timeline_value(timeline) >= value)
        return NULL;
    for (unsigned i = 0; i < timeline->count; i++)
        if (timeline->point[i].value >= value)
            return timeline->point[i].fence;
    return NULL;
}

void
lab_timeline_finish(struct lab_timeline *timeline)
{
    for (unsigned i = 0; i < timeline->count; i++)
        lab_fence_unref(timeline->point[i].fence);
    free(timeline->point);
    *timeline = (struct lab_timeline){0};
}
