/** @file
 * The first frames of a surface; see first_frames.h. */
#include "cli/session/first_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/saved_session.h"
#include "counters/util/grow_array.h"

struct pp_first_frame {
    struct pp_saved_row row;
    double *value; /* counters; owned */
};

/* Has a frame no draw and no dispatch? No if one of the counts is not known. */
static bool
is_idle(const struct pp_saved_row *row)
{
    return row->draws <= 0 && row->dispatches <= 0;
}

static int
hold(struct pp_first_frames *first, const struct pp_saved_row *row, const double *value, size_t values)
{
    int rc = pp_grow_array(&first->held, &first->cap, first->count + 1, sizeof(*first->held));
    double *copy = calloc(values + 1, sizeof(*copy));
    if (rc || !copy) {
        free(copy);
        return -ENOMEM;
    }
    if (values)
        memcpy(copy, value, values * sizeof(*copy));
    first->held[first->count++] = (struct pp_first_frame){*row, copy};
    return 0;
}

/* Pass on the rows that are held and are after first->last. */
static int
pass_on(struct pp_first_frames *first, pp_first_frames_take *take, void *data)
{
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct pp_first_frame *held = &first->held[i];
        if (held->row.frame <= first->last) {
            first->held[kept++] = *held;
            continue;
        }
        rc = rc ? rc : take(data, &held->row, held->value);
        first->passed_on++;
        free(held->value);
    }
    first->count = kept;
    return rc;
}

/* Let the frame with the lowest number be the only first frame. */
static void
decide_lowest(struct pp_first_frames *first)
{
    first->decided = true;
    first->last = first->held[0].row.frame;
    for (size_t i = 1; i < first->count; i++)
        first->last = fmin(first->last, first->held[i].row.frame);
}

int
pp_first_frames_add(struct pp_first_frames *first, const struct pp_saved_row *row, const double *value,
                    size_t values, pp_first_frames_take *take, void *data)
{
    if (first->decided && row->frame > first->last) {
        first->passed_on++;
        return take(data, row, value);
    }
    int rc = hold(first, row, value, values);
    if (rc || (first->decided && row->frame >= first->last))
        return rc; /* a number that was there before: only files that passprobe did not write have it */
    if (!is_idle(row)) {
        first->decided = true;
        first->last = row->frame;
    } else if (first->count > PP_FIRST_FRAMES_MAX) {
        decide_lowest(first);
    } else {
        return 0;
    }
    return pass_on(first, take, data);
}

int
pp_first_frames_end(struct pp_first_frames *first, pp_first_frames_take *take, void *data,
                    struct pp_saved_first *ret)
{
    int rc = 0;
    *ret = (struct pp_saved_first){0};
    if (first->count > 0 && (!first->decided || first->passed_on == 0)) {
        bool only = first->count == 1 && first->passed_on == 0;
        decide_lowest(first);
        if (only)
            first->last = -INFINITY;
        rc = pass_on(first, take, data);
    }
    for (size_t i = 0; i < first->count; i++) {
        const struct pp_saved_row *row = &first->held[i].row;
        ret->frames++;
        ret->frame = i ? fmax(ret->frame, row->frame) : row->frame;
        ret->frame_time += isnan(row->frame_time) ? 0 : row->frame_time;
    }
    return rc;
}

void
pp_first_frames_finish(struct pp_first_frames *first)
{
    for (size_t i = 0; i < first->count; i++)
        free(first->held[i].value);
    free(first->held);
    memset(first, 0, sizeof(*first));
}
