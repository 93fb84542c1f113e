/** @file
 * Times of the frames that create no shader programs or pipelines. Prints nothing. See also saved_session.h.
 */
#ifndef PP_CLI_SESSION_PLAIN_TIMES_H
#define PP_CLI_SESSION_PLAIN_TIMES_H

#include "cli/session/saved_session.h"

/**
 * Add a row to its series of times, and to those without frames that create pipelines. The latter take memory
 * from the first such frame on.
 *
 * @param surface Its times and plain grow.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_plain_times_add(struct pp_saved_surface *surface,
                                                           const struct pp_saved_row *row);

/** Free the series of one level's times. */
void pp_plain_times_finish(struct pp_saved_times *times);

#endif
