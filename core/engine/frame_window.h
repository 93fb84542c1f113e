/** @file
 * The frames that the user asked for: --frames, --delay, --duration, --between. See also config.h. */
#ifndef PP_CORE_ENGINE_FRAME_WINDOW_H
#define PP_CORE_ENGINE_FRAME_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_config;

/** The moments that the window depends on; CLOCK_MONOTONIC, 0: it has not come. Any thread. */
struct pp_window_moments {
    _Atomic uint64_t first_frame_ns; /**< the first frame of the session began: --delay, --duration */
    _Atomic uint64_t from_mark_ns;   /**< the first mark of --between */
    _Atomic uint64_t to_mark_ns;     /**< the second one */
    uint32_t comma; /**< place of the comma between the two names; pp_frame_window_note_mark() only */
};

/** The window in numbers and moments. A frame is inside if its number is and if it begins inside. */
struct pp_frame_bounds {
    bool any;          /**< there is a window: not all frames are inside */
    bool begun;        /**< false: no frame is inside so far, because a moment has not come */
    uint64_t first;    /**< number of the first frame */
    uint64_t last;     /**< number of the last one; UINT64_MAX: open */
    uint64_t begin_ns; /**< CLOCK_MONOTONIC; 0: open */
    uint64_t end_ns;   /**< the end is outside; UINT64_MAX: open */
};

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

/** May a frame that begins between two moments be inside the window of --between? True without this option.
 * Any thread; allocates and locks nothing. */
bool pp_frame_window_between(const struct pp_config *config, const struct pp_window_moments *moments,
                             uint64_t earliest_ns, uint64_t latest_ns);

/** Note a mark of the application that may begin or end the window of --between. @param label The mark's
 * label with its regions. One thread at a time. */
void pp_frame_window_note_mark(const struct pp_config *config, struct pp_window_moments *moments,
                               const char *label, uint64_t at_ns);

/** The window as far as it is known now; --every and --slower-than do not change it. Any thread. */
struct pp_frame_bounds pp_frame_window_bounds(const struct pp_config *config,
                                              const struct pp_window_moments *moments);

/** Is a frame inside these bounds? @param start_ns Its begin. */
bool pp_frame_bounds_hold(const struct pp_frame_bounds *bounds, uint64_t frame, uint64_t start_ns);

/** Write the options that made the window as typed: "--frames 5-9 --delay 2". */
void pp_frame_window_text(const struct pp_config *config, char *text, size_t size);

#endif
