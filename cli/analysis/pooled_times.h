/** @file
 * Times of several passes or draws as one series. Prints nothing. See also pass_table.h and draw_table.h. */
#ifndef PP_CLI_ANALYSIS_POOLED_TIMES_H
#define PP_CLI_ANALYSIS_POOLED_TIMES_H

#include "cli/session/saved_session.h"

/** Append the times of a series to a pool. @param pool Owned by the caller; begin with all zero, and free
 * pool->value. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_pooled_times_add(struct pp_series *pool,
                                                            const struct pp_series *series);

#endif
