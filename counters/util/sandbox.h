/** @file
 * What the process may do: has it privileges that its caller lacks, and has the application confined itself
 * by seccomp filters since the session began? A filter may kill the process at a system call that it does not
 * know, so code that opens or renames files asks here first. */
#ifndef PP_COUNTERS_UTIL_SANDBOX_H
#define PP_COUNTERS_UTIL_SANDBOX_H

#include <stdbool.h>
#include <sys/auxv.h>

/** Note the filters that the process has while the library is loaded. Call it from a constructor: then no
 * driver has started yet, and no filter forbids opening a file, because the loader has just opened this
 * library. Keeps no descriptor open. */
void pp_sandbox_note_start(void);

/**
 * Has the calling thread more filters than the process had when the library was loaded?
 *
 * Then the application has confined itself, and the filter may kill it at a system call that a new session
 * makes. Opens, reads and closes one file of /proc, as drivers do. Any thread.
 *
 * @return false also where /proc could not be read, or pp_sandbox_note_start() was not called.
 */
bool pp_sandbox_since_start(void);

/** Start to watch the process for the application's threads: keeps /proc/self/status open, and notes the
 * filters that it has now. Filters that exist already do not count: the caller has asked
 * pp_sandbox_since_start() before. Later calls do nothing. Any thread.
 */
void pp_sandbox_watch(void);

/** Watch the process for the calling thread, the collector, and the thread itself, which a filter reaches by
 * SECCOMP_FILTER_FLAG_TSYNC only. One thread a process: a second call does nothing. */
void pp_sandbox_watch_collector(void);

/** The collector ends: a thread that begins later may have the same pthread_t, and is the application's. */
void pp_sandbox_leave_collector(void);

/**
 * Has a filter been added to what is watched for the calling thread?
 *
 * One lseek() and one pread() for the process, and again for the collector itself, until the answer is yes;
 * it stays yes. Where /proc could not be read the answer is yes, since nothing is known; before a watch
 * began, it is no. Any thread.
 */
bool pp_sandbox_entered(void);

/** Did pp_sandbox_entered() say yes because the application has closed passprobe's descriptors, or has given
 * their numbers to other files? Then passprobe's other descriptors may be files of the application, too. Any
 * thread. */
bool pp_sandbox_lost(void);

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
