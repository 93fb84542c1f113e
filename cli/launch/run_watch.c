/** @file
 * See run_watch.h. */
#include "cli/launch/run_watch.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cli/print/message.h"
#include "pp_texts.h"

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

bool
pp_run_watch_needed(const struct pp_run_watch *watch)
{
    return *watch->dir->wanted || (watch->line->config.stop && !watch->stopped);
}

/* Follow the session that the run writes. Until a frame was read, it may be that of another process. */
static void
follow_session(struct pp_run_watch *watch)
{
    if (watch->dir_fd >= 0 && watch->end.begun)
        return;
    pp_window_end_finish(&watch->end);
    if (watch->dir_fd >= 0)
        close(watch->dir_fd);
    watch->dir_fd = pp_session_dir_growing(watch->dir, watch->since_s);
}

/* End CMD if its window has ended. */
static void
stop_after_window(struct pp_run_watch *watch, int pid)
{
    watch->end.config = &watch->line->config;
    follow_session(watch);
    if (watch->dir_fd < 0 || !pp_window_end_passed(&watch->end, watch->dir_fd, now_ns()))
        return;
    watch->stopped = true;
    if (watch->line->config.verbosity >= 0)
        pp_message(PP_FORMAT_RUN_STOP, pp_base_name(watch->line->command[0]));
    (void)kill(pid, SIGTERM);
}

bool
pp_run_watch_tick(void *data, int pid)
{
    struct pp_run_watch *watch = data;
    if (*watch->dir->wanted)
        (void)pp_session_dir_replace_older(watch->dir, false);
    if (watch->line->config.stop && !watch->stopped)
        stop_after_window(watch, pid);
    return pp_run_watch_needed(watch);
}

void
pp_run_watch_finish(struct pp_run_watch *watch)
{
    pp_window_end_finish(&watch->end);
    if (watch->dir_fd >= 0)
        close(watch->dir_fd);
    watch->dir_fd = -1;
}
