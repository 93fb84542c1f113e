/** @file
 * Whether the process has privileges that its caller lacks. */
#ifndef PP_COUNTERS_UTIL_PRIVILEGED_H
#define PP_COUNTERS_UTIL_PRIVILEGED_H

#include <stdbool.h>
#include <sys/auxv.h>

/**
 * Does the process run with privileges that its caller lacks: set-user-ID, set-group-ID, file capabilities, a
 * change of the security module's domain?
 *
 * The caller chooses the environment of such a process, and so passprobe's options and files. passprobe does
 * nothing in it: the shim, the layer and the engine ask this function before they read a variable or open a
 * file. The answer stays the same if the process gives up its privileges later.
 *
 * Source: getauxval(3), AT_SECURE; ld.so(8), "secure-execution mode". Any thread, also before constructors
 * ran; errno is kept, since every kernel gives AT_SECURE.
 */
static inline bool
pp_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

#endif
