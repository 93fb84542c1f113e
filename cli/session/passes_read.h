/** @file
 * Reads passes.csv of a session; see saved_session.h. */
#ifndef PP_CLI_SESSION_PASSES_READ_H
#define PP_CLI_SESSION_PASSES_READ_H

#include <stddef.h>

struct pp_saved_session;

/** Read passes.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). After draws.csv.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_passes(struct pp_saved_session *rec, const char *name,
                                                             const char *text, size_t len);

#endif
