/** @file
 * Which surface the tables of passes and draws show. See also saved_session.h. */
#ifndef PP_CLI_SESSION_SESSION_SHOWN_H
#define PP_CLI_SESSION_SESSION_SHOWN_H

#include "cli/session/saved_session.h"

/** Are rows of this surface in the tables? */
bool pp_saved_is_shown(const struct pp_saved_session *rec, size_t surface);

/** From now on, tables hold the passes and draws of this surface, and those of no frame. @param surface
 * PP_SAVED_NO_SURFACE: all surfaces.
 */
void pp_saved_show(struct pp_saved_session *rec, size_t surface);

/** Remove passes and draws of no frame from the tables, until pp_saved_show() is called again. */
void pp_saved_show_frames_only(struct pp_saved_session *rec);

#endif
