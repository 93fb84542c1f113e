/** @file
 * See chosen_frames.h. */
#include "cli/analysis/chosen_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "counters/util/grow_array.h"

#define LONGEST 10U

struct choosing {
    const struct pp_surface_points *points;
    const struct pp_chosen_budget *budget;
    struct pp_chosen_frames *ret;
    bool *taken; /* of each point */
};

/* Choose a point, unless it was chosen, or its passes have no place. */
static int
take(struct choosing *c, size_t i, enum pp_chosen_why why)
{
    const struct pp_frame_point *point = &c->points->point[i];
    double passes = fmax(point->passes, 1), draws = fmax(point->actions, 0);
    struct pp_chosen_frames *ret = c->ret;
    if (c->taken[i] || ret->passes + passes > c->budget->passes)
        return 0;
    int rc = pp_grow_array(&ret->frame, &ret->cap, ret->len + 1, sizeof(*ret->frame));
    if (rc)
        return rc;
    bool fits = ret->draws + draws <= c->budget->draws;
    ret->frame[ret->len++] = (struct pp_chosen_frame){.frame = point->frame, .why = why, .draws = fits};
    ret->passes += passes;
    ret->draws += fits ? draws : 0;
    c->taken[i] = true;
    return 0;
}

/* The point of a frame; SIZE_MAX: the frame is none. */
static size_t
point_of(const struct pp_surface_points *points, double frame)
{
    size_t low = 0, high = points->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (points->point[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < points->len && points->point[low].frame <= frame ? low : SIZE_MAX;
}

/* Choose the point whose frame time is nearest. */
static int
take_nearest(struct choosing *c, double time_ns, enum pp_chosen_why why)
{
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < c->points->len && !isnan(time_ns); i++) {
        double distance = fabs(c->points->point[i].frame_time_ns - time_ns);
        if (distance < least && !c->taken[i]) {
            least = distance;
            best = i;
        }
    }
    return best == SIZE_MAX ? 0 : take(c, best, why);
}

/* Choose the longest of the points that were not chosen yet. */
static int
take_longest(struct choosing *c)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < c->points->len; i++)
        if (!c->taken[i] && c->points->point[i].frame_time_ns >= 0 &&
            (best == SIZE_MAX || c->points->point[i].frame_time_ns > c->points->point[best].frame_time_ns))
            best = i;
    return best == SIZE_MAX ? 0 : take(c, best, PP_CHOSEN_LONGEST);
}

/* Choose points evenly: each round halves the distance, until every point was tried or the budget is spent.
 */
static int
take_spread(struct choosing *c)
{
    size_t step = 1;
    int rc = 0;
    while (step < c->points->len)
        step *= 2;
    for (; rc == 0 && step > 0 && c->ret->passes + 1 <= c->budget->passes; step /= 2)
        for (size_t i = step - 1; rc == 0 && i < c->points->len; i += step)
            rc = take(c, i, PP_CHOSEN_SPREAD);
    return rc;
}

int
pp_chosen_frames_add(const struct pp_surface_points *points, const double *wanted, size_t wanted_len,
                     const double time[3], const struct pp_chosen_budget *budget,
                     struct pp_chosen_frames *ret)
{
    static const enum pp_chosen_why why[3] = {PP_CHOSEN_MEDIAN, PP_CHOSEN_P95, PP_CHOSEN_P99};
    struct choosing c = {points, budget, ret, calloc(points->len + 1, sizeof(bool))};
    int rc = c.taken ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < wanted_len; i++) {
        size_t at = point_of(points, wanted[i]);
        rc = at == SIZE_MAX ? 0 : take(&c, at, PP_CHOSEN_SLOW);
    }
    for (size_t i = 0; rc == 0 && i < 3; i++)
        rc = take_nearest(&c, time[i], why[i]);
    for (size_t i = 0; rc == 0 && i < LONGEST; i++)
        rc = take_longest(&c);
    rc = rc ? rc : take_spread(&c);
    free(c.taken);
    return rc;
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_chosen_frame *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

void
pp_chosen_frames_sort(struct pp_chosen_frames *chosen)
{
    if (chosen->len)
        qsort(chosen->frame, chosen->len, sizeof(*chosen->frame), by_frame);
}

void
pp_chosen_frames_finish(struct pp_chosen_frames *chosen)
{
    free(chosen->frame);
    *chosen = (struct pp_chosen_frames){.len = 0};
}
