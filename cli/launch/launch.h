/** @file
 * Runs an application and waits for it, as env and perf do: passes signals on to it, and returns its exit
 * status. Knows nothing of profiling. */
#ifndef PP_CLI_LAUNCH_LAUNCH_H
#define PP_CLI_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

/** How a run ended. */
struct pp_run {
    int exit_status;      /**< CMD's own, 128+n for signal n, or 125, 126, 127 */
    int exec_errno;       /**< why CMD was not started; 0: it was */
    int wait_status;      /**< as waitpid() gave it; valid if exec_errno is 0 and exit_status is CMD's */
    int pid;              /**< of CMD; 0 if there was none */
    uint64_t duration_ns; /**< from before fork to the end */
    int end_signal;       /**< SIGTERM, SIGHUP, SIGINT or SIGQUIT that passprobe got meanwhile; 0: none */
    int stop_signal; /**< passprobe ended CMD by this signal, as --stop asks; 0: no; pp_launch() leaves it 0
                      */
    bool quit;       /**< that was because the user quit, and not because of --stop */
};

/** What to do from time to time while CMD runs. */
struct pp_launch_tick {
    int interval_ms;
    bool (*call)(void *data, int pid); /**< pid: of CMD, which may be sent signals. true: call it again after
                                          the interval; false: no more */
    void *data;
};

/**
 * Run @p argv with @p env, found by PATH; wait for its end.
 *
 * SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGCONT that passprobe gets go to CMD; SIGINT and SIGQUIT go to CMD,
 * too, unless the terminal sent them: then CMD has received them already. Signals that were ignored stay
 * ignored in CMD (nohup).
 *
 * @param argv NULL-terminated, argv[0] not NULL.
 * @param tick NULL: nothing. Nothing is called on kernels without pidfd_open() (before Linux 5.3).
 * @retval 0       ret_run is filled in; an application that cannot be executed is no error here.
 * @retval -errno  fork or pipe failed.
 */
__attribute__((warn_unused_result)) int pp_launch(char *const *argv, char *const *env,
                                                  const struct pp_launch_tick *tick, struct pp_run *ret_run);

/** How a signal ended CMD. */
struct pp_killed {
    int signal;               /**< 0: it was not killed */
    bool is_fault_of_process; /**< a fault of the process itself: a bad access, abort() and the like */
    bool by_status; /**< CMD is a script that ended with 128+n: a shell returns that if a signal killed what
                       it ran */
    bool core_dumped;
    char name[16]; /**< "SIGSEGV" */
};

/** Exit status of a shell for a file that could not be executed. @param error errno of exec. */
int pp_exit_of_exec(int error);

/** Find out from a run's end whether a signal killed CMD, or what CMD ran. */
void pp_killed_by(const struct pp_run *run, struct pp_killed *ret);

#endif
