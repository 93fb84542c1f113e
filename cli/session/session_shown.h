/** @file
 * What reports show of a session that was read: the surface whose passes and draws are in the tables, the
 * level whose frames represent all frames, and the events that could not be measured, by reason. See also
 * saved_session.h. */
#ifndef PP_CLI_SESSION_SESSION_SHOWN_H
#define PP_CLI_SESSION_SESSION_SHOWN_H

#include "cli/session/saved_session.h"

/** Find the coarsest level whose frames may represent all frames. @param frames Number of frames by level. */
size_t pp_levels_coarsest(const size_t frames[PP_SAVED_LEVELS]);

/** The level whose frames give the frame times and CPU times of a surface. */
size_t pp_levels_cpu(const struct pp_saved_surface *s);

/** From now on, tables hold the passes and draws of this surface, and those of no frame. @param surface
 * PP_SAVED_NO_SURFACE: all surfaces.
 */
void pp_saved_show(struct pp_saved_session *rec, size_t surface);

/** Remove passes and draws of no frame from the tables, until pp_saved_show() is called again. */
void pp_saved_show_frames_only(struct pp_saved_session *rec);

/** Events that a device could not measure, for one reason. Borrowed from session.json. */
struct pp_saved_missing {
    const char *event; /**< the first of them */
    const char *reason;
    size_t events;
};

/** Every device. */
#define PP_SAVED_ALL_DEVICES SIZE_MAX

/**
 * Group the events_missing of a device by reason. For the first device, include what frames lack in addition
 * to the GPU's work.
 *
 * @param device Index in session.json's devices, or PP_SAVED_ALL_DEVICES.
 * @param ret An array for @p cap groups.
 * @return Groups written. More than @p cap: that many events had further reasons. 0: nothing is missing, or
 * there is no such device.
 */
size_t pp_saved_missing(const struct pp_saved_session *rec, size_t device, struct pp_saved_missing *ret,
                        size_t cap);

#endif
