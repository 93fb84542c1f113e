/** @file
 * Prints what a push would send of a session, so that the user can look at it before. Sends nothing. */
#ifndef PP_CLI_PUSH_PUSH_SHOW_H
#define PP_CLI_PUSH_PUSH_SHOW_H

#include <stdio.h>

#include "cli/push/push_session.h"

/**
 * Print the row of the session, and of each other table the different texts of its columns, at most 100 of a
 * column. Numbers are left out.
 *
 * @param ret As pp_push_measure() fills it.
 * @retval 0, -EIO: ret->error says why.
 */
__attribute__((warn_unused_result)) int pp_push_show(FILE *out, int dir_fd, const struct pp_push_facts *facts,
                                                     bool draws, struct pp_push_result *ret);

#endif
