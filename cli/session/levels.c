/** @file
 * See levels.h. */
#include "cli/session/levels.h"

/* A level with a smaller share of all frames does not represent them. */
#define FEW_SHARE 0.1

size_t
pp_levels_coarsest(const size_t frames[PP_SAVED_LEVELS])
{
    size_t all = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        all += frames[i];
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        if (all && (double)frames[i] >= FEW_SHARE * (double)all)
            return i;
    return 0; /* no level has frames */
}

size_t
pp_levels_cpu(const struct pp_saved_surface *s)
{
    size_t frames[PP_SAVED_LEVELS];
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        frames[i] = s->times[i].frame_time.len;
    return pp_levels_coarsest(frames);
}
