/** @file
 * passprobe's part of the environment with which the process was started. Applications may clear or overwrite
 * their environment before the first call that makes a session. See also config.h. */
#ifndef PP_CORE_UTIL_ENVIRON_H
#define PP_CORE_UTIL_ENVIRON_H

/**
 * Merge the current environment with variables that were set when this library was loaded. A variable from
 * load time is used only if it is missing in @p now: PASSPROBE, PASSPROBE_*, HOME, XDG_CONFIG_HOME,
 * XDG_DATA_HOME, XDG_RUNTIME_DIR, TMPDIR. So values that the application has set since then have priority.
 *
 * @param now NULL-terminated vector of "NAME=value"; may be NULL.
 * @return A vector to be freed by the caller; its strings are borrowed. NULL: no memory.
 */
__attribute__((warn_unused_result)) char **pp_environ_with_started(char *const *now);

#endif
