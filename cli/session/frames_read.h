/** @file
 * Reads frames.csv of a session, and keeps the times of its frames; see saved_session.h. */
#ifndef PP_CLI_SESSION_FRAMES_READ_H
#define PP_CLI_SESSION_FRAMES_READ_H

#include <stdbool.h>
#include <stddef.h>

struct pp_saved_row;
struct pp_saved_session;
struct pp_saved_surface;
struct pp_saved_times;

/** Read frames.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). The first file to read.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_frames(struct pp_saved_session *rec, const char *name,
                                                             const char *text, size_t len);

/** What takes the rows of frames.csv one by one. */
struct pp_frames_sink {
    /** @param counter Of each of rec->counter; NaN: not measured. @return 0; else reading ends with this
     * error. */
    int (*row)(void *data, const struct pp_saved_row *row, const double *counter);
    void *data;
};

/** Give all rows of frames.csv, of a session that was read. @retval 0, -ENOMEM, as pp_csv_read(), or what the
 * sink returned. */
__attribute__((warn_unused_result)) int pp_saved_frame_rows(const struct pp_saved_session *rec,
                                                            const struct pp_frames_sink *sink);

/** Find when the first frame began, on CLOCK_MONOTONIC; NaN: not known. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_first_start(struct pp_saved_session *rec, double *ret_ns);

/** The place of a frame in rec->frame; if there is no such frame, that of the next one, or rec->frames. */
size_t pp_saved_place_of(const struct pp_saved_session *rec, double frame);

/** Is this a frame outside of the window? */
bool pp_saved_is_outside(const struct pp_saved_session *rec, double frame);

/** Index of a frame's surface; PP_SAVED_NO_SURFACE: there is no such frame, or it is outside of the window.
 */
size_t pp_saved_surface_of(const struct pp_saved_session *rec, double frame);

/** Was this frame slower than --keep-slower-than? */
bool pp_saved_is_slower(const struct pp_saved_session *rec, double frame);

/** Are values of this frame left out? The first frames of a surface hold the application's start
 * (frame_window.h). */
bool pp_saved_is_first(const struct pp_saved_session *rec, double frame);

/** Free the series of one level's times. */
void pp_plain_times_finish(struct pp_saved_times *times);

#endif
