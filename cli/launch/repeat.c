/** @file
 * See repeat.h. */
#include "cli/launch/repeat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/launch/environ.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/run.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"

/* Fill in the signals that end repeated runs, without those that are ignored (nohup). */
static void
ending_signals(sigset_t *ret)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(ret);
    for (size_t i = 0; i < PP_ARRAY_SIZE(ending); i++) {
        struct sigaction act;
        if (sigaction(ending[i], NULL, &act) == 0 && act.sa_handler != SIG_IGN)
            sigaddset(ret, ending[i]);
    }
}

/* Take a signal that arrived between two runs, where it is blocked. @return 0: there was none. */
static int
take_pending(const sigset_t *ending)
{
    const struct timespec now = {0, 0};
    int number = sigtimedwait(ending, NULL, &now);
    return number > 0 ? number : 0;
}

/* Make the session directory of a run. */
static int
prepare(const char *folder, const struct pp_repeat_step *step, struct pp_session_dir *ret_dir)
{
    char path[PATH_MAX];
    char output[PP_ENVIRON_ESCAPED];
    char why[PP_SESSION_DIR_WHY];
    int rc = pp_join(path, folder, step->name) ? 0 : -ENAMETOOLONG;
    if (rc) {
        pp_message("%s/%s: %s", folder, step->name, strerror(-rc));
        return rc;
    }
    pp_environ_escape(path, output);
    rc = pp_session_dir_prepare(output, step->line->command[0], ret_dir, why);
    if (rc)
        pp_message("%s", why);
    return rc;
}

/* Do one run. @param mask The signal mask with which CMD runs. @param ending Signals that are blocked before
 * and after. @param more Set: are there more runs? */
static int
run_step(const char *folder, const struct pp_repeat_ops *ops, void *data, struct pp_repeat_ended *ended,
         const sigset_t *mask, const sigset_t *ending, struct pp_repeat_end *ret, bool *more)
{
    struct pp_session_dir dir;
    struct pp_run run;
    int rc = prepare(folder, ended->step, &dir);
    if (rc)
        return rc;
    ret->signal = take_pending(ending);
    if (ret->signal) {
        pp_session_dir_drop_empty(&dir);
        pp_session_dir_close(&dir);
        return 0;
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    rc = pp_run_profiled(ended->step->line, &dir, &run);
    sigprocmask(SIG_BLOCK, ending, NULL);
    if (rc) {
        pp_session_dir_drop_empty(&dir);
    } else {
        ret->runs++;
        ret->signal = run.end_signal;
        ended->dir = &dir;
        ended->how = &run;
        *more = ops->ended(data, ended);
    }
    pp_session_dir_close(&dir);
    return rc;
}

int
pp_repeat(const char *folder, const struct pp_repeat_ops *ops, void *data, struct pp_repeat_end *ret)
{
    sigset_t mask;
    sigset_t ending;
    bool more = true;
    int rc = 0;
    *ret = (struct pp_repeat_end){.runs = 0};
    ending_signals(&ending);
    sigprocmask(SIG_BLOCK, &ending, &mask);
    for (unsigned run = 0; rc == 0 && more; run++) {
        struct pp_repeat_step step = {.line = NULL};
        struct pp_repeat_ended ended = {.run = run, .step = &step};
        if (!ops->next(data, run, &step))
            break;
        rc = run_step(folder, ops, data, &ended, &mask, &ending, ret, &more);
        more = more && !ret->signal;
    }
    if (!ret->signal)
        ret->signal = take_pending(&ending);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return rc;
}
