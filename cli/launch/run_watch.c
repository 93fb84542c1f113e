/** @file
 * See run_watch.h. */
#include "cli/launch/run_watch.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/print/live_interval.h"
#include "cli/print/message.h"
#include "counters/util/monotonic.h"
#include "pp_texts.h"

/* How long CMD may go on after SIGTERM. The frames of the window are written then: see window_end.c. */
#define STOP_PATIENCE_NS 5000000000U

void
pp_run_watch_begin(struct pp_run_watch *watch, const struct pp_command_line *line, struct pp_session_dir *dir)
{
    uint64_t now = pp_monotonic_ns();
    memset(watch, 0, sizeof(*watch));
    watch->line = line;
    watch->dir = dir;
    watch->since_s = time(NULL);
    watch->dir_fd = -1;
    watch->end.config = &line->config;
    watch->begin_ns = now;
    watch->next_ns = now + line->own.interval_print_ns;
}

bool
pp_run_watch_needed(const struct pp_run_watch *watch)
{
    return *watch->dir->wanted || watch->line->own.interval_print_ns ||
           (watch->line->config.stop && !watch->killed);
}

/* Follow the session that the run writes. Until a frame was read, it may be that of another process. */
static void
follow_session(struct pp_run_watch *watch)
{
    if (watch->dir_fd >= 0 && (watch->end.begun || watch->interval.begun))
        return;
    pp_window_end_finish(&watch->end);
    pp_live_interval_finish(&watch->interval);
    if (watch->dir_fd >= 0)
        close(watch->dir_fd);
    watch->dir_fd = pp_session_dir_growing(watch->dir, watch->since_s);
}

/* End CMD if its window has ended. */
static void
stop_after_window(struct pp_run_watch *watch, int pid)
{
    if (watch->dir_fd < 0 || !pp_window_end_passed(&watch->end, watch->dir_fd, pp_monotonic_ns()))
        return;
    watch->stopped = true;
    watch->stopped_ns = pp_monotonic_ns();
    if (watch->line->config.verbosity >= 0)
        pp_message(PP_FORMAT_RUN_STOP, pp_base_name(watch->line->command[0]));
    (void)kill(pid, SIGTERM);
}

/* End CMD if it goes on after SIGTERM: SDL, for one, makes an event of the signal, which a game may ignore.
 */
static void
kill_after_patience(struct pp_run_watch *watch, int pid)
{
    if (pp_monotonic_ns() - watch->stopped_ns < STOP_PATIENCE_NS)
        return;
    watch->killed = true;
    pp_message(PP_FORMAT_RUN_STOP_KILL, pp_base_name(watch->line->command[0]));
    (void)kill(pid, SIGKILL);
}

/* Print the line of an interval. @param last CMD has ended: without new frames there is no line. */
static void
print_interval(struct pp_run_watch *watch, bool last)
{
    struct pp_live_interval_figures figures;
    uint64_t now = pp_monotonic_ns();
    if (watch->dir_fd >= 0)
        pp_live_interval_read(&watch->interval, watch->dir_fd, !watch->line->config.keep_slower_than_ns);
    if ((last && !watch->interval.frames) || pp_live_interval_take(&watch->interval, &figures))
        return;
    pp_live_interval_print(stderr, (double)(now - watch->begin_ns) / 1e9, &figures);
}

bool
pp_run_watch_tick(void *data, int pid)
{
    struct pp_run_watch *watch = data;
    if (*watch->dir->wanted)
        (void)pp_session_dir_replace_older(watch->dir, false);
    follow_session(watch);
    if (watch->line->own.interval_print_ns && pp_monotonic_ns() >= watch->next_ns) {
        print_interval(watch, false);
        while (watch->next_ns <= pp_monotonic_ns())
            watch->next_ns += watch->line->own.interval_print_ns;
    }
    if (watch->stopped && !watch->killed)
        kill_after_patience(watch, pid);
    else if (watch->line->config.stop && !watch->stopped)
        stop_after_window(watch, pid);
    return pp_run_watch_needed(watch);
}

void
pp_run_watch_finish(struct pp_run_watch *watch)
{
    if (watch->line->own.interval_print_ns) {
        follow_session(watch);
        print_interval(watch, true);
    }
    pp_window_end_finish(&watch->end);
    pp_live_interval_finish(&watch->interval);
    if (watch->dir_fd >= 0)
        close(watch->dir_fd);
    watch->dir_fd = -1;
}
