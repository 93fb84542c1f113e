/** @file
 * The frames that the user asked for: --frames, --delay, --duration. See also config.h. */
#ifndef PP_CORE_ENGINE_FRAME_WINDOW_H
#define PP_CORE_ENGINE_FRAME_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct pp_config;

/** Frames whose begin is known, or expected within some time. */
struct pp_frame_range {
    uint64_t first;       /**< number of the first frame */
    uint64_t count;       /**< number of frames, at least 1 */
    uint64_t earliest_ns; /**< when the first frame may begin, since the first frame of the session */
    uint64_t latest_ns;   /**< when the last frame may begin; the same for one frame that begins now */
};

/** May one of these frames be inside the window that the user asked for? For one frame with a known begin: is
 * the frame inside? Any thread; allocates and locks nothing. */
bool pp_frame_window_includes(const struct pp_config *config, const struct pp_frame_range *range);

#endif
