/** @file
 * Which frames of a session count: those of a window, and not the first ones of a surface, which hold the
 * application's start. The window is what --frames, --time and --between say or, without them, the window
 * that was recorded. Prints nothing. */
#ifndef PP_CLI_SESSION_FRAME_WINDOW_H
#define PP_CLI_SESSION_FRAME_WINDOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/schema.h"

struct pp_saved_row;

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

/** What is known of the first frames after all rows were read. */
struct pp_saved_first {
    uint64_t frames;   /**< how many are left out */
    double frame;      /**< number of the last one of them */
    double frame_time; /**< sum of their frame_time_ns */
};

/** Rows that may be first frames, while frames.csv is read. Zero it first. */
struct pp_first_frames {
    struct pp_first_frame *held;
    size_t count, cap;
    bool decided;       /**< frames after `last` are no first frames */
    double last;        /**< if decided: number of the last first frame */
    uint64_t passed_on; /**< rows that were given to pp_first_frames_take */
};

/** Takes a row that is not left out. @retval 0, -ENOMEM. */
typedef int pp_first_frames_take(void *data, const struct pp_saved_row *row, const double *value);

/**
 * Add the next row of a surface. The first frames are those up to and including the first one with a draw or
 * a dispatch, as far as the rows say so. If the first PP_FIRST_FRAMES_MAX frames have none, only the one with
 * the lowest number is a first frame. Rows come in the order in which frames were completed, so their numbers
 * need not rise.
 *
 * @param value  Counters of the row; copied.
 * @param values Number of counters.
 * @param take   Called with each row that is found to be no first frame.
 * @retval 0, -ENOMEM, or what @p take returned.
 */
__attribute__((warn_unused_result)) int pp_first_frames_add(struct pp_first_frames *first,
                                                            const struct pp_saved_row *row,
                                                            const double *value, size_t values,
                                                            pp_first_frames_take *take, void *data);

/**
 * All rows were added. If all frames would be left out, only the one with the lowest number is; if this is
 * the only one, none is.
 *
 * @param ret Filled.
 * @retval 0, -ENOMEM, or what @p take returned.
 */
__attribute__((warn_unused_result)) int pp_first_frames_end(struct pp_first_frames *first,
                                                            pp_first_frames_take *take, void *data,
                                                            struct pp_saved_first *ret);

/** Free the rows. The struct is all zero afterwards. */
void pp_first_frames_finish(struct pp_first_frames *first);

#endif
