/** @file
 * A window of frames: only its frames are read from a session. The window is what --frames, --time and
 * --between say or, without them, the window that was recorded. Prints nothing. */
#ifndef PP_CLI_SESSION_FRAME_WINDOW_H
#define PP_CLI_SESSION_FRAME_WINDOW_H

#include <jansson.h>
#include <stdbool.h>

/** What the command line said; NULL: not given. Borrowed. */
struct pp_window_given {
    const char *frames;  /**< "A-B", "A-" or "A" */
    const char *time;    /**< "S-S" or "S-": seconds since the first frame began */
    const char *between; /**< "MARK,MARK" */
};

/** A window: the frames whose numbers and begins are inside. Begin with pp_frame_window_open(). */
struct pp_frame_window {
    double first, last;     /**< numbers of frames */
    double from_ns, to_ns;  /**< begin of a frame on CLOCK_MONOTONIC; to_ns is outside */
    double after_s, before; /**< seconds since the first frame began; before is outside */
    bool timed;             /**< after_s and before count */
    bool any;               /**< there is a bound */
    const char *recorded;   /**< the options of the recorded window, borrowed from session.json; NULL: the
                               window was given on the command line, or there is none */
};

/** A window that holds all frames. */
struct pp_frame_window pp_frame_window_open(void);

/**
 * Parse --frames and --time.
 *
 * @retval NULL Parsed.
 * @return Name of the option whose value is wrong; static.
 */
const char *pp_frame_window_parse(const struct pp_window_given *given, struct pp_frame_window *ret);

/**
 * Find the two marks of --between in session.json: the first mark of the first name, and the first one of the
 * second name after it.
 *
 * @param between "MARK,MARK"; marks may hold commas.
 * @return Whether both are there. The window is unchanged if not.
 */
bool pp_frame_window_between(const json_t *marks, const char *between, struct pp_frame_window *ret);

/** Read the window that was recorded. @param window Member `window` of session.json; may be NULL: then all
 * frames are inside. */
struct pp_frame_window pp_frame_window_recorded(const json_t *window);

/** Turn the times of --time into times of CLOCK_MONOTONIC. @param begin_ns Begin of the first frame. */
void pp_frame_window_begin(struct pp_frame_window *window, double begin_ns);

/** Is a frame inside? @param start_ns Its begin; NaN: not known, and then it is outside of every bound of
 * time. */
bool pp_frame_window_holds(const struct pp_frame_window *window, double frame, double start_ns);

#endif
