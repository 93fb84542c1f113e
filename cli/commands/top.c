/** @file
 * `passprobe top`: what a running application costs, live in the terminal. What passprobe and the application
 * print while the screen is on the terminal goes into memory, and is shown when the screen has gone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_summary.h"
#include "cli/control/applications.h"
#include "cli/launch/run.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/top/screen.h"
#include "cli/top/top.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "pp_texts.h"

/* So much of the output is kept: the last bytes. */
#define PP_STREAMS_KEPT ((uint64_t)1 << 20)

/* The process's streams meanwhile. Begin with streams_begin(). */
struct pp_streams {
    int in_fd, out_fd, err_fd; /**< standard input, output and error as they were; owned; -1: given back */
    int memory_fd;             /**< what was printed; owned */
    uint64_t freed;            /**< bytes at its begin whose memory was given back */
};

/* Close what streams_begin() opened. */
static void
close_all(struct pp_streams *streams)
{
    int *const fd[] = {&streams->in_fd, &streams->out_fd, &streams->err_fd, &streams->memory_fd};
    for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
}

/* Let standard output and error lead into memory, and standard input give nothing. Child processes get the
 * same. @retval 0, -errno. */
static int
streams_begin(struct pp_streams *ret)
{
    struct pp_streams streams = {.in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .err_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .memory_fd = memfd_create("passprobe-output", MFD_CLOEXEC)};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int rc =
        streams.in_fd < 0 || streams.out_fd < 0 || streams.err_fd < 0 || streams.memory_fd < 0 || nothing < 0
            ? -errno
            : 0;
    if (rc) {
        close_all(&streams);
    } else {
        (void)fflush(NULL);
        /* two streams and all processes write at the end, also one that has opened /dev/stdout anew */
        (void)fcntl(streams.memory_fd, F_SETFL, O_APPEND);
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(streams.memory_fd, STDOUT_FILENO);
        (void)dup2(streams.memory_fd, STDERR_FILENO);
        *ret = streams;
    }
    if (nothing >= 0)
        close(nothing);
    return rc;
}

/* Free the memory of what is beyond PP_STREAMS_KEPT. Call it from time to time. */
static void
streams_bound(struct pp_streams *streams)
{
    struct stat st;
    if (fstat(streams->memory_fd, &st) || (uint64_t)st.st_size < streams->freed + 4 * PP_STREAMS_KEPT)
        return;
    uint64_t end = ((uint64_t)st.st_size - PP_STREAMS_KEPT) & ~(uint64_t)0xFFFF; /* whole pages */
    if (fallocate(streams->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)streams->freed,
                  (off_t)(end - streams->freed)) == 0)
        streams->freed = end;
}

/* Give the streams back. What was printed is kept until streams_show(). */
static void
streams_end(struct pp_streams *streams)
{
    (void)fflush(NULL);
    (void)dup2(streams->in_fd, STDIN_FILENO);
    (void)dup2(streams->out_fd, STDOUT_FILENO);
    (void)dup2(streams->err_fd, STDERR_FILENO);
}

/* Write what was kept to standard output, unchanged, and free everything. @return Bytes that were not kept.
 */
static uint64_t
streams_show(struct pp_streams *streams)
{
    char bytes[65536];
    struct stat st = {.st_size = 0};
    (void)fstat(streams->memory_fd, &st);
    uint64_t size = (uint64_t)st.st_size;
    uint64_t at = size > PP_STREAMS_KEPT ? size - PP_STREAMS_KEPT : 0;
    if (at < streams->freed)
        at = streams->freed;
    uint64_t lost = at;
    for (ssize_t got = 0; (got = pread(streams->memory_fd, bytes, sizeof(bytes), (off_t)at)) > 0;
         at += (uint64_t)got)
        if (write(STDOUT_FILENO, bytes, (size_t)got) != got)
            break;
    close_all(streams);
    return lost;
}

extern char **environ;

#define TICK_MS 50 /* between two looks at the keyboard */
/* How long CMD may go on after SIGTERM, when the user quits. */
#define QUIT_PATIENCE_NS UINT64_C(5000000000)

static const struct pp_option rows[] = {PP_TOP_ROWS(struct pp_run_given)};
static const struct pp_command_options own = {
    .name = "top", .usage = PP_TEXT_USAGE_TOP, .of = {{rows, PP_ARRAY_SIZE(rows), NULL}}};

/* Take the terminal. Without one, say what to do. @return Exit status. */
static int
begin_screen(int in_fd, int out_fd)
{
    const char *term = getenv("TERM");
    int rc = pp_screen_begin(in_fd, out_fd);
    if (rc == -ENODEV)
        return pp_fail(PP_FORMAT_TOP_TERM, term ? term : "");
    return rc ? pp_fail(PP_FORMAT_TOP_SCREEN, strerror(-rc)) : 0;
}

/* Show a session until the user quits. @return Exit status. */
static int
attach(long pid)
{
    struct pp_running running;
    struct pp_top top;
    int rc = pp_running_find(pid, &running);
    long asleep = rc == -ENOENT ? (long)pp_application_asleep(environ, (pid_t)pid) : 0;
    if (asleep)
        return pp_fail(PP_FORMAT_TOP_ASLEEP, asleep, asleep);
    if (rc == -ENOENT && !pid)
        return pp_fail(PP_TEXT_TOP_NONE);
    if (rc)
        return rc == -ENOENT ? pp_fail(PP_FORMAT_TOP_NONE_OF_PID, pid)
                             : pp_fail(PP_FORMAT_CTL_NO_PROCESS, pid);
    int status = begin_screen(STDIN_FILENO, STDOUT_FILENO);
    if (status || pp_top_begin(&top, running.application, running.pid)) {
        close(running.dir_fd);
        pp_screen_end();
        return status ? status : pp_fail(PP_TEXT_OUT_OF_MEMORY);
    }
    pp_top_follow(&top, running.dir_fd);
    while (!top.quit && !pp_screen_signal()) {
        struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
        pp_top_tick(&top);
        if (poll(&key, 1, TICK_MS) > 0 && (key.revents & (POLLHUP | POLLERR | POLLNVAL)))
            break; /* the terminal is gone */
    }
    int signal_number = pp_screen_signal();
    pp_top_finish(&top);
    pp_screen_end();
    return signal_number ? PP_EXIT_SIGNAL_BASE + signal_number : 0;
}

/* CMD's run with its screen. */
struct shown_run {
    struct pp_top top;
    struct pp_streams streams;
    uint64_t quit_ns; /* CLOCK_MONOTONIC: when CMD got SIGTERM, because the user quit; 0: it did not */
    bool killed;      /* CMD went on, and got SIGKILL */
};

/* End CMD, because the user has quit. */
static void
end_command(struct shown_run *shown, int pid)
{
    uint64_t now = pp_monotonic_ns();
    if (!shown->quit_ns) {
        shown->quit_ns = now;
        shown->top.state = PP_TEXT_TOP_QUITTING;
        shown->top.next_ns = 0;
        (void)kill(pid, SIGTERM);
    } else if (!shown->killed && now - shown->quit_ns >= QUIT_PATIENCE_NS) {
        shown->killed = true;
        (void)kill(pid, SIGKILL);
    }
}

/* pp_run_also.call: follow the session that grows, and show it. */
static bool
on_tick(void *data, int pid, const struct pp_session_dir *dir)
{
    struct shown_run *shown = data;
    if (!shown->top.frames.total) { /* until a frame was read, it may be the session of another process */
        int fd = pp_session_dir_growing(dir);
        if (fd >= 0)
            pp_top_follow(&shown->top, fd);
    }
    pp_top_tick(&shown->top);
    streams_bound(&shown->streams);
    if (shown->top.quit)
        end_command(shown, pid);
    return true;
}

/* Show what CMD and passprobe printed meanwhile. */
static void
show_output(struct pp_streams *streams)
{
    char kept[PP_FORMATTED_MAX], lost[PP_FORMATTED_MAX];
    uint64_t left_out = streams_show(streams);
    if (left_out)
        pp_message(PP_FORMAT_TOP_OUTPUT, pp_format_bytes(kept, (double)PP_STREAMS_KEPT),
                   pp_format_bytes(lost, (double)left_out));
}

/* Run CMD with a screen. @return 0, or PP_EXIT_FAILED, which was reported. */
static int
run_shown(const struct pp_command_line *line, struct pp_session_dir *dir, struct shown_run *shown,
          struct pp_run *run)
{
    int rc = streams_begin(&shown->streams);
    if (rc)
        return pp_fail(PP_FORMAT_TOP_SCREEN, strerror(-rc));
    int status = begin_screen(shown->streams.in_fd, shown->streams.out_fd);
    rc = status ? 0 : pp_top_begin(&shown->top, pp_base_name(line->command[0]), 0);
    if (!status && !rc) {
        const struct pp_run_also also = {.interval_ms = TICK_MS, .call = on_tick, .data = shown};
        status = pp_run_profiled_with(line, dir, &also, run) ? PP_EXIT_FAILED : 0;
        pp_top_finish(&shown->top);
    }
    pp_screen_end();
    streams_end(&shown->streams);
    show_output(&shown->streams);
    return rc ? pp_fail(PP_TEXT_OUT_OF_MEMORY) : status;
}

/* Run CMD, and show its session until it ends. @return Exit status. */
static int
launch(const struct pp_command_line *line)
{
    static struct shown_run shown;
    struct pp_session_dir dir;
    struct pp_runs_left left;
    struct pp_run run = {.exec_errno = 0};
    char why[PP_SESSION_DIR_WHY];
    if (pp_session_dir_prepare(line->config.output, line->command[0], &dir, why))
        return pp_fail("%s", why);
    int status = run_shown(line, &dir, &shown, &run);
    if (status || run.exec_errno) {
        pp_session_dir_drop_empty(&dir);
        return status ? status : run.exit_status;
    }
    if (shown.quit_ns) { /* the signal is passprobe's own, and no failure of CMD */
        run.stop_signal = shown.killed ? SIGKILL : SIGTERM;
        run.exit_status = 0;
        run.quit = true;
    }
    if (line->config.verbosity < 0)
        pp_record_tell(line, &dir, &run, true, &left);
    else
        left = pp_run_summary_tell(line, &dir, &run);
    return pp_run_status(line, &run, left.frames);
}

int
pp_cmd_top(int argc, char **argv)
{
    struct pp_command_line line;
    if (pp_command_line_parse(&line, &own, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return 0;
    long pid = (long)line.own.pid;
    if (pid && line.command[0])
        return pp_fail(PP_TEXT_TOP_PID_AND_COMMAND);
    if (!line.command[0] && line.givens)
        return pp_fail(PP_FORMAT_TOP_NO_COMMAND, line.given[0].option->name);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return pp_fail(PP_TEXT_TOP_NO_TERMINAL);
    return line.command[0] ? launch(&line) : attach(pid);
}
