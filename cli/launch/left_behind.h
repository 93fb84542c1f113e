/** @file
 * Finds a process that CMD left behind: a daemon, or a game whose launcher has ended. Its session comes
 * later. */
#ifndef PP_CLI_LAUNCH_LEFT_BEHIND_H
#define PP_CLI_LAUNCH_LEFT_BEHIND_H

/**
 * Find a living process of this user whose PASSPROBE_OUTPUT is this path.
 *
 * @param output As it was given to CMD (environ.h).
 * @return Its number; 0: there is none, or /proc cannot be read.
 */
int pp_left_behind(const char *output);

#endif
