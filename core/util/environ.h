/** @file
 * The environment that the process was started with, as far as it is ours. Programs may clear or
 * overwrite theirs before the first call that makes a session. See also config.h. */
#ifndef PP_CORE_UTIL_ENVIRON_H
#define PP_CORE_UTIL_ENVIRON_H

/**
 * An environment of now, and of what this library found when it was loaded the variables that are missing
 * there now: PASSPROBE, PASSPROBE_*, HOME, XDG_CONFIG_HOME. What the application has set since counts.
 *
 * @param now NULL-terminated vector of "NAME=value"; may be NULL.
 * @return A vector that borrows its strings, to be freed; NULL: no memory.
 */
__attribute__((warn_unused_result)) char **pp_environ_with_started(char *const *now);

#endif
