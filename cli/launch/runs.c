/** @file
 * See runs.h. */
#include "cli/launch/runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/launch/repeat.h"
#include "cli/launch/run.h"
#include "cli/print/message.h"
#include "core/config/session_place.h"
#include "pp_texts.h"

/** Runs that are being done. */
struct running {
    const struct pp_runs *runs;
    const struct pp_runs_ops *ops;
    void *data;
    struct pp_runs_end *end;
};

/** Which run this is. */
struct place {
    bool is_warm_up;
    unsigned side;
    unsigned number; /* of the side's warm-up or counted runs; 1 is the first one */
};

static unsigned
warm_ups(const struct pp_runs *runs)
{
    return runs->options->warm_ups * runs->sides;
}

/* Find out what run @p run is. */
static struct place
place_of(const struct pp_runs *runs, unsigned run)
{
    struct place place = {.is_warm_up = run < warm_ups(runs)};
    unsigned at = place.is_warm_up ? run : run - warm_ups(runs);
    unsigned round = at / runs->sides;
    place.side = at % runs->sides;
    place.number = round + 1;
    if (!place.is_warm_up && runs->sides == 2 && round % 2 == 1)
        place.side = 1 - place.side;
    return place;
}

/* "run 3", "warm-up run 1", "run 3 of B". */
static const char *
place_name(char *text, size_t size, const struct pp_runs *runs, const struct place *place)
{
    const char *kind = place->is_warm_up ? PP_TEXT_RUNS_WARM_UP : PP_TEXT_RUNS_ONE;
    if (runs->sides == 1)
        snprintf(text, size, "%s %u", kind, place->number);
    else
        snprintf(text, size, PP_FORMAT_RUNS_OF_SIDE, kind, place->number, 'A' + (int)place->side);
    return text;
}

/* On a terminal, print which run begins. */
static void
print_progress(const struct pp_runs *runs, const struct place *place)
{
    char name[64];
    const struct pp_runs_options *options = runs->options;
    if (runs->line[0]->config.verbosity < 0 || !isatty(STDERR_FILENO))
        return;
    pp_message(PP_FORMAT_RUNS_PROGRESS, place_name(name, sizeof(name), runs, place),
               place->is_warm_up ? options->warm_ups : options->runs,
               pp_base_name(runs->line[place->side]->command[0]));
}

static bool
next(void *data, unsigned run, struct pp_repeat_step *ret)
{
    const struct running *running = data;
    const struct pp_runs *runs = running->runs;
    const struct place place = place_of(runs, run);
    int digits = snprintf(NULL, 0, "%u", runs->options->runs);
    if (!place.is_warm_up && place.number > runs->options->runs)
        return false;
    ret->line = runs->line[place.side];
    if (place.is_warm_up)
        snprintf(ret->name, sizeof(ret->name), "warm-up");
    else if (runs->sides == 1)
        snprintf(ret->name, sizeof(ret->name), "run%0*u", digits, place.number);
    else
        snprintf(ret->name, sizeof(ret->name), "%c%0*u", 'a' + (int)place.side, digits, place.number);
    print_progress(runs, &place);
    return true;
}

/* Judge a run that counts. @return The exit status that ends the runs; 0: it goes on. */
static int
judge(const struct running *running, const struct place *place, const struct pp_runs_ended *ended)
{
    char name[64];
    struct pp_runs_left left = {.frames = 0};
    struct pp_run how = *ended->how;
    const struct pp_runs_options *options = running->runs->options;
    running->ops->ended(running->data, ended, &left);
    if (options->ignore_failure)
        how.exit_status = 0;
    int status = pp_run_status(ended->line, &how, left.frames);
    place_name(name, sizeof(name), running->runs, place);
    if (how.end_signal)
        return status;
    if (status) {
        pp_message(PP_FORMAT_RUNS_FAILED, name, status, status == how.exit_status ? PP_TEXT_RUNS_IGNORE : "");
    } else if (!left.frames) {
        pp_message(PP_FORMAT_RUNS_NO_FRAMES, name);
        status = PP_EXIT_FAILED;
    } else {
        running->end->used++;
    }
    return status;
}

static bool
ended(void *data, const struct pp_repeat_ended *ended)
{
    struct running *running = data;
    char name[64];
    const struct pp_runs_options *options = running->runs->options;
    const struct place place = place_of(running->runs, ended->run);
    int status = 0;
    place_name(name, sizeof(name), running->runs, &place);
    if (ended->how->exec_errno) {
        pp_session_dir_drop_empty(ended->dir);
        status = ended->how->exit_status;
    } else if (place.is_warm_up) {
        status = options->ignore_failure ? 0 : ended->how->exit_status;
        if (status && !ended->how->end_signal)
            pp_message(PP_FORMAT_RUNS_FAILED, name, status, PP_TEXT_RUNS_IGNORE);
        pp_session_dir_delete(ended->dir);
    } else {
        const struct pp_runs_ended one = {.side = place.side,
                                          .number = place.number,
                                          .line = ended->step->line,
                                          .dir = ended->dir,
                                          .how = ended->how};
        status = judge(running, &place, &one);
    }
    running->end->status = status;
    return status == 0;
}

/* Make the folder of the runs. It must not exist, or be empty. */
static int
make_folder(const struct pp_runs *runs, char *ret)
{
    char path[PATH_MAX];
    unsigned made = 0;
    int rc = pp_place_expand(runs->output, runs->line[0]->command[0], (long)getpid(), time(NULL), path);
    rc = rc ? rc : pp_place_make_folders(path, &made);
    if (rc == 0 && rmdir(path) && errno != ENOENT)
        rc = -errno;
    if (rc == 0 && (mkdir(path, 0755) || !realpath(path, ret)))
        rc = -errno;
    if (rc)
        pp_message("%s: %s", runs->output, strerror(-rc));
    return rc;
}

void
pp_runs_run(const struct pp_runs *runs, const struct pp_runs_ops *ops, void *data, struct pp_runs_end *ret)
{
    static const struct pp_repeat_ops repeat = {.next = next, .ended = ended};
    struct running running = {.runs = runs, .ops = ops, .data = data, .end = ret};
    struct pp_repeat_end how;
    *ret = (struct pp_runs_end){.status = PP_EXIT_FAILED};
    if (make_folder(runs, ret->folder))
        return;
    ret->status = 0;
    if (pp_repeat(ret->folder, &repeat, &running, &how))
        ret->status = PP_EXIT_FAILED;
    ret->signal = how.signal;
    if (how.signal) {
        pp_message(PP_FORMAT_RUNS_INTERRUPTED, strsignal(how.signal), ret->used,
                   runs->options->runs * runs->sides);
        ret->status = ret->status ? ret->status : PP_EXIT_SIGNAL_BASE + how.signal;
    }
    (void)rmdir(ret->folder); /* if no run left a session */
}
