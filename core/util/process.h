/** @file
 * The process: the command line and the variables that it was started with, Wine, and the signal of a full
 * disk quota.
 *
 * The arguments with which the process was started. Applications write their title over them (Chromium,
 * Wine), mostly long before the first call that makes a session.
 *
 * passprobe's part of the environment with which the process was started. Applications may clear or overwrite
 * their environment before the first call that makes a session. See also config.h.
 *
 * Whether Wine runs the application. Knows nothing of Windows images (core/stack/modules.h).
 *
 * Blocks SIGXFSZ in an application's thread. If one of passprobe's files would exceed the application's file
 * size limit, the signal must not end the application. Files are made in the application's threads; the
 * collector's thread blocks all signals. */
#ifndef PP_CORE_UTIL_PROCESS_H
#define PP_CORE_UTIL_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * The process's arguments at the time when this library was loaded: before main() where it is preloaded,
 * later where only the Vulkan loader loads it. Any thread.
 *
 * @param ret_len Bytes of all arguments with their NUL bytes.
 * @return Arguments, each NUL-terminated; static. NULL, with length 0: not known.
 */
const char *pp_command_line(size_t *ret_len);

/** Write the name by which the application was started, without its folder, also as Wine writes it. "" if it
 * is not known. Any thread. */
void pp_command_line_name(char *name, size_t size);

/**
 * Merge the current environment with variables that were set when this library was loaded. A variable from
 * load time is used only if it is missing in @p now: PASSPROBE, PASSPROBE_*, HOME, XDG_CONFIG_HOME,
 * XDG_DATA_HOME, XDG_RUNTIME_DIR, TMPDIR. So values that the application has set since then have priority.
 *
 * @param now NULL-terminated vector of "NAME=value"; may be NULL.
 * @return A vector to be freed by the caller; its strings are borrowed. NULL: no memory.
 */
__attribute__((warn_unused_result)) char **pp_environ_with_started(char *const *now);

/** Is Wine's ntdll.so in the process? Takes the dynamic loader's lock: keep the answer for the end of the
 * process, where a thread that Wine has killed may still hold that lock. Any thread. */
bool pp_process_has_wine(void);

/** Signal state of the thread before pp_size_signal_hold(). */
struct pp_size_signal {
    sigset_t own;    /**< only SIGXFSZ */
    sigset_t before; /**< signals that the thread blocked */
    bool queued;     /**< a SIGXFSZ of the application was already pending and must stay pending */
};

/** Block SIGXFSZ in the calling thread. */
void pp_size_signal_hold(struct pp_size_signal *ret);

/** Remove a SIGXFSZ that came after pp_size_signal_hold(), and restore the thread's signal mask. Call it
 * in the same thread. */
void pp_size_signal_drop(const struct pp_size_signal *held);

#endif
