/** @file
 * `passprobe report --folded` and `--flame`: GPU time as a tree. See also print/flame.h. */
#ifndef PP_CLI_COMMANDS_REPORT_FLAME_H
#define PP_CLI_COMMANDS_REPORT_FLAME_H

#include "cli/session/saved_session.h"

/**
 * Write the tree.
 *
 * @param rec  Read from a directory; counts of rows in it grow.
 * @param dir  Path of the session.
 * @param file Name of the picture, which must not exist: FILE.svg or FILE.html. NULL: collapsed stacks to
 * stdout.
 * @return Exit status; a message was printed if it is not 0.
 */
int pp_report_flame(struct pp_saved_session *rec, const char *dir, const char *file);

#endif
