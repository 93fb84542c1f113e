/** @file
 * `passprobe push --watch`: pushes what comes into a folder, as soon as the server can be reached. */
#ifndef PP_CLI_COMMANDS_PUSH_WATCH_H
#define PP_CLI_COMMANDS_PUSH_WATCH_H

#include "cli/commands/push_path.h"

/**
 * Push the sessions and archives of a folder until SIGINT or SIGTERM comes. What was pushed moves to the
 * folder `pushed` in it, what is refused to `refused`.
 *
 * @return Exit status.
 */
__attribute__((warn_unused_result)) int pp_push_watch(struct pp_pushing *pushing, const char *folder);

#endif
