/** @file
 * See launch.h. */
#include "cli/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/text/message.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"

static const int forwarded[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
#define FORWARDED PP_ARRAY_SIZE(forwarded)

/* The state that a signal handler can reach. */
static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t end_signal; /* SIGTERM, SIGHUP, SIGINT or SIGQUIT that arrived while CMD ran */

static void
forward(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    if (signal_number != SIGUSR1 && signal_number != SIGUSR2 && signal_number != SIGCONT)
        end_signal = signal_number;
    bool from_terminal = info->si_code > 0; /* codes above 0 come from the kernel, for the foreground group */
    if (child_pid > 0 && !(from_terminal && (signal_number == SIGINT || signal_number == SIGQUIT)))
        kill((pid_t)child_pid, signal_number);
    errno = saved;
}

/* Install the forwarder for signals that are not ignored, and keep the earlier actions. */
static void
handlers_install(struct sigaction old[FORWARDED])
{
    struct sigaction act;
    memset(&act, 0, sizeof(act));
    act.sa_sigaction = forward;
    act.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&act.sa_mask);
    for (size_t i = 0; i < FORWARDED; i++) {
        sigaction(forwarded[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(forwarded[i], &act, NULL);
    }
}

static void
handlers_restore(const struct sigaction old[FORWARDED])
{
    for (size_t i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &old[i], NULL);
}

/* In the child: execute CMD, or send the reason down the pipe. */
__attribute__((noreturn)) static void
exec_or_report(char *const *argv, char *const *env, int report)
{
    execvpe(argv[0], argv, env);
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof(error));
    (void)ignored;
    _exit(PP_EXIT_NOT_FOUND);
}

/* Call the tick until CMD ends, or until the tick needs no more calls. */
static void
tick_until_end(pid_t pid, const struct pp_launch_tick *tick)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool more = fd >= 0;
    while (more) {
        struct pollfd ended = {.fd = fd, .events = POLLIN};
        int rc = poll(&ended, 1, tick->interval_ms);
        if (rc > 0 || (rc < 0 && errno != EINTR))
            break;
        more = rc < 0 || tick->call(tick->data, pid);
    }
    if (fd >= 0)
        close(fd);
}

/* Wait for CMD's end. The pid stays reserved until passprobe stops forwarding signals to it. */
static int
reap(pid_t pid)
{
    int status = 0;
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    child_pid = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int
pp_exit_of_exec(int error)
{
    return error == ENOENT || error == ENOTDIR ? PP_EXIT_NOT_FOUND : PP_EXIT_NOT_EXEC;
}

static int
exit_status_of(const struct pp_run *run)
{
    if (run->exec_errno)
        return pp_exit_of_exec(run->exec_errno);
    if (WIFSIGNALED(run->wait_status))
        return PP_EXIT_SIGNAL_BASE + WTERMSIG(run->wait_status);
    return WEXITSTATUS(run->wait_status);
}

/* Does the kernel send this signal for a fault of the process? */
static bool
is_fault(int signal_number)
{
    static const int fault[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < PP_ARRAY_SIZE(fault); i++)
        if (fault[i] == signal_number)
            return true;
    return false;
}

void
pp_killed_by(const struct pp_run *run, struct pp_killed *ret)
{
    *ret = (struct pp_killed){.signal = 0};
    if (run->exec_errno || run->pid == 0)
        return;
    int shell = WIFEXITED(run->wait_status) ? WEXITSTATUS(run->wait_status) - PP_EXIT_SIGNAL_BASE : 0;
    if (WIFSIGNALED(run->wait_status)) {
        ret->signal = WTERMSIG(run->wait_status);
        ret->core_dumped = WCOREDUMP(run->wait_status);
    } else if (is_fault(shell) || shell == SIGKILL) {
        ret->signal = shell;
        ret->by_status = true;
    }
    const char *name = ret->signal ? sigabbrev_np(ret->signal) : NULL;
    if (name)
        snprintf(ret->name, sizeof(ret->name), "SIG%s", name);
    else
        snprintf(ret->name, sizeof(ret->name), "signal %d", ret->signal);
    ret->is_fault_of_process = is_fault(ret->signal);
}

int
pp_launch(char *const *argv, char *const *env, const struct pp_launch_tick *tick, struct pp_run *ret_run)
{
    struct pp_run run = {.exit_status = PP_EXIT_FAILED};
    struct sigaction old[FORWARDED];
    struct sigaction old_chld;
    sigset_t all;
    sigset_t mask;
    int report[2];
    if (pipe2(report, O_CLOEXEC))
        return -errno;
    uint64_t begin = pp_monotonic_ns();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* no signal is lost between fork and child_pid */
    child_pid = 0;
    end_signal = 0;
    handlers_install(old);
    /* The parent of passprobe may ignore SIGCHLD. The kernel would then reap CMD, and its status would be
     * lost. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &old_chld);
    pid_t pid = fork();
    if (pid == 0) {
        sigaction(SIGCHLD, &old_chld, NULL);
        handlers_restore(old);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        exec_or_report(argv, env, report[1]);
    }
    int fork_errno = errno;
    child_pid = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[1]);
    if (pid > 0) {
        ssize_t got = 0;
        do
            got = read(report[0], &run.exec_errno, sizeof(run.exec_errno));
        while (got < 0 && errno == EINTR);
        run.pid = pid;
        if (tick && !run.exec_errno)
            tick_until_end(pid, tick);
        run.wait_status = reap(pid);
        run.exit_status = exit_status_of(&run);
    }
    child_pid = 0;
    close(report[0]);
    sigaction(SIGCHLD, &old_chld, NULL);
    handlers_restore(old);
    run.end_signal = end_signal;
    if (pid < 0)
        return -fork_errno;
    run.duration_ns = pp_monotonic_ns() - begin;
    *ret_run = run;
    return 0;
}
