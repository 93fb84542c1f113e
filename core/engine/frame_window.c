/** @file
 * See frame_window.h. */
#include "core/engine/frame_window.h"

#include <assert.h>

#include "core/config/config.h"

/** Has one of the frames a number that is asked for? */
static bool
has_number(const struct pp_config *config, uint64_t first, uint64_t count)
{
    uint64_t next = first > config->frames_first ? first : config->frames_first;
    uint64_t past = (next - config->frames_first) % config->every;
    next += past == 0 ? 0 : config->every - past;
    return next <= config->frames_last && next - first < count;
}

bool
pp_frame_window_includes(const struct pp_config *config, const struct pp_frame_range *range)
{
    assert(config->every > 0 && range->count > 0 && range->earliest_ns <= range->latest_ns);
    if (range->latest_ns < config->delay_ns)
        return false;
    if (config->duration_ns != 0 && range->earliest_ns >= config->delay_ns &&
        range->earliest_ns - config->delay_ns >= config->duration_ns)
        return false;
    return has_number(config, range->first, range->count);
}
