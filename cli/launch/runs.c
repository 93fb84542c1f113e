/** @file
 * See runs.h. */
#include "cli/launch/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "cli/launch/repeat.h"
#include "cli/launch/run.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/session/runs_file.h"
#include "core/config/dir_content.h"
#include "core/config/option.h"
#include "pp_texts.h"

/* --discard: leave out frames, or a time. */
static int
read_discard(struct pp_command_line *line, struct pp_runs_options *options)
{
    const char *text = line->own.discard;
    uint64_t value = 0;
    if (!text)
        return 0;
    bool is_frames = text[0] && text[strspn(text, "0123456789")] == '\0';
    const char *same = is_frames ? "frames" : "delay";
    if (is_frames ? !pp_config_number_whole(text, 0, UINT64_MAX, &value)
                  : pp_config_number_time(text, 1, &value) != 0) {
        pp_message(PP_FORMAT_RUNS_DISCARD, text);
        return -EINVAL;
    }
    if (pp_command_line_gave(line, same)) {
        pp_message(PP_FORMAT_RUNS_DISCARD_TWICE, text, same);
        return -EINVAL;
    }
    snprintf(options->discard, sizeof(options->discard), "%llu-", (unsigned long long)value);
    return pp_command_line_set(line, same, is_frames ? options->discard : text);
}

int
pp_runs_options_read(struct pp_command_line *line, const char *count, struct pp_runs_options *ret)
{
    const struct pp_run_given *own = &line->own;
    bool repeats = strcmp(count, "repeat") == 0;
    bool given = repeats ? own->repeat_given : own->runs_given;
    uint64_t runs = repeats ? own->repeat_given ? own->repeat : 1 : own->runs;
    *ret = (struct pp_runs_options){.runs = (unsigned)runs,
                                    .until = own->until_percent / 100,
                                    .warm_ups = (unsigned)own->warm_up,
                                    .ignore_failure = own->ignore_failure};
    if (ret->until > 0 && (!given || ret->runs < PP_RUNS_UNTIL_LEAST))
        ret->runs = PP_RUNS_UNTIL_LEAST;
    ret->runs_most = ret->runs;
    if (ret->until > 0 && (own->max_runs_given || ret->runs < own->max_runs))
        ret->runs_most = (unsigned)own->max_runs;
    if (ret->runs_most < ret->runs) {
        pp_message(PP_FORMAT_RUNS_MAX_LESS, ret->runs_most, count, ret->runs);
        return -EINVAL;
    }
    ret->is_repeated = ret->runs_most > 1 || ret->warm_ups || given;
    return read_discard(line, ret);
}

/* Runs that are being done. */
struct running {
    const struct pp_runs *runs;
    const struct pp_runs_ops *ops;
    void *data;
    struct pp_runs_end *end;
    json_t *list;      /* of runs.json; owned */
    bool any_session;  /* a run left one */
    bool write_failed; /* of runs.json, which was reported */
};

/* Which run this is. */
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
    const char *kind = place->is_warm_up ? "warm-up run" : "run";
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
    bool open = !place->is_warm_up && options->runs < options->runs_most;
    pp_message(open ? PP_FORMAT_RUNS_PROGRESS_MOST : PP_FORMAT_RUNS_PROGRESS,
               place_name(name, sizeof(name), runs, place),
               place->is_warm_up ? options->warm_ups : options->runs_most,
               pp_base_name(runs->line[place->side]->command[0]));
}

/* Were there enough runs before this one? Two commands have had equally many turns in each place then. */
static bool
is_complete(const struct running *running, unsigned run, const struct place *place)
{
    const struct pp_runs *runs = running->runs;
    const struct pp_runs_options *options = runs->options;
    bool begins_round = !place->is_warm_up && (run - warm_ups(runs)) % runs->sides == 0;
    bool is_balanced = runs->sides == 1 || place->number % 2 == 1;
    if (!begins_round || place->number <= options->runs)
        return false;
    return place->number > options->runs_most ||
           (is_balanced && running->ops->enough && running->ops->enough(running->data));
}

static bool
next(void *data, unsigned run, struct pp_repeat_step *ret)
{
    const struct running *running = data;
    const struct pp_runs *runs = running->runs;
    const struct place place = place_of(runs, run);
    int digits = snprintf(NULL, 0, "%u", runs->options->runs_most);
    if (is_complete(running, run, &place))
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

/* Write runs.json. @param how As pp_runs_file_write() has it. */
static void
write_list(struct running *running, const char *how)
{
    const struct pp_session_dir *folder = running->runs->folder;
    int rc = pp_runs_file_write(folder->fd, running->list, how);
    if (rc && !running->write_failed)
        pp_message(PP_FORMAT_RUNS_NOT_LISTED, folder->path, strerror(-rc));
    running->write_failed = running->write_failed || rc;
}

/* Give the folder its path if the run has left a frame; the run's session moves with it. */
static void
replace_older(const struct running *running, const char *name, struct pp_session_dir *dir)
{
    struct pp_session_dir *folder = running->runs->folder;
    if (!*folder->wanted)
        return;
    if (pp_session_dir_replace_older(folder, false) && !pp_join(dir->path, folder->path, name))
        dir->path[0] = '\0'; /* never: the path before was longer */
}

/* Print why a run is the last one. @return The exit status of passprobe; 0: it is not the last one. */
static int
judge(const struct running *running, const struct place *place, const struct pp_runs_ended *ended,
      const struct pp_runs_left *left)
{
    char name[64];
    struct pp_run how = *ended->how;
    place_name(name, sizeof(name), running->runs, place);
    if (running->runs->options->ignore_failure)
        how.exit_status = 0;
    int status = pp_run_status(ended->line, &how, left->frames);
    if (how.end_signal)
        return status;
    if (status) {
        pp_message(PP_FORMAT_RUNS_FAILED, name, status, status == how.exit_status ? PP_TEXT_RUNS_IGNORE : "");
    } else if (!left->frames || left->discarded) {
        pp_message(left->discarded ? PP_FORMAT_RUNS_NONE_LEFT : PP_FORMAT_RUNS_NO_FRAMES, name);
        status = PP_EXIT_FAILED;
    }
    return status;
}

/* Let the caller read a run that counts. @return The exit status of passprobe; 0: there may be more runs. */
static int
note_figures(const struct running *running, unsigned side, const char *session)
{
    char path[PATH_MAX];
    if (!pp_join(path, running->runs->folder->path, session))
        return PP_EXIT_FAILED;
    return running->ops->counted(running->data, side, path) ? PP_EXIT_FAILED : 0;
}

/* A run that may count has ended. @return The exit status of passprobe; 0: there may be more runs. */
static int
counted_run(struct running *running, const struct place *place, const struct pp_repeat_ended *ended)
{
    const struct pp_session_dir *folder = running->runs->folder;
    const struct pp_runs_ops *ops = running->ops;
    const struct pp_runs_ended one = {.side = place->side,
                                      .number = place->number,
                                      .line = ended->step->line,
                                      .dir = ended->dir,
                                      .how = ended->how};
    struct pp_runs_left left = {.frames = 0};
    struct pp_listed_run row = {
        .side = place->side, .number = place->number, .status = ended->how->exit_status};
    replace_older(running, ended->step->name, ended->dir);
    ops->ended(running->data, &one, &left);
    int status = judge(running, place, &one, &left);
    row.frames = left.frames;
    row.counts = status == 0 && !ended->how->end_signal;
    if (row.counts && ops->counted)
        status = note_figures(running, place->side, left.session);
    row.counts = row.counts && status == 0;
    if (faccessat(folder->fd, left.session, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        memcpy(row.session, left.session, sizeof(row.session));
    running->any_session = running->any_session || *row.session;
    running->end->used += row.counts;
    pp_runs_file_add(running->list, &row);
    write_list(running, "running");
    return status;
}

/* A warm-up run has ended. @return The exit status of passprobe; 0: there may be more runs. */
static int
warm_up_run(const struct running *running, const struct place *place, const struct pp_repeat_ended *ended)
{
    char name[64];
    int status = running->runs->options->ignore_failure ? 0 : ended->how->exit_status;
    if (status && !ended->how->end_signal)
        pp_message(PP_FORMAT_RUNS_FAILED, place_name(name, sizeof(name), running->runs, place), status,
                   PP_TEXT_RUNS_IGNORE);
    pp_session_dir_delete(ended->dir);
    return status;
}

static bool
run_ended(void *data, const struct pp_repeat_ended *ended)
{
    struct running *running = data;
    const struct place place = place_of(running->runs, ended->run);
    int status = ended->how->exit_status;
    if (ended->how->exec_errno)
        pp_session_dir_drop_empty(ended->dir);
    else if (place.is_warm_up)
        status = warm_up_run(running, &place, ended);
    else
        status = counted_run(running, &place, ended);
    running->end->status = status;
    return status == 0;
}

/* Print how many runs were complete when a signal came. With --until their number was not known before. */
static void
print_interrupted(const struct pp_runs *runs, int signal, unsigned used)
{
    const struct pp_runs_options *options = runs->options;
    if (options->until > 0)
        pp_message(PP_FORMAT_RUNS_INTERRUPTED_UNTIL, strsignal(signal), used,
                   pp_format_noun(used, "run was", "runs were"));
    else
        pp_message(PP_FORMAT_RUNS_INTERRUPTED, strsignal(signal), used, options->runs_most * runs->sides);
}

/* Finish the folder after the last run. */
static void
finish_folder(struct running *running)
{
    struct pp_session_dir *folder = running->runs->folder;
    const struct pp_runs_end *end = running->end;
    if (running->any_session) {
        write_list(running, end->signal ? "interrupted" : end->status ? "failed" : "complete");
        (void)pp_session_dir_replace_older(folder, true);
    } else {
        (void)unlinkat(folder->fd, PP_DIR_RUNS_FILE, 0);
        pp_session_dir_drop_empty(folder);
    }
}

void
pp_runs_run(const struct pp_runs *runs, const struct pp_runs_ops *ops, void *data, struct pp_runs_end *ret)
{
    static const struct pp_repeat_ops repeat = {.next = next, .ended = run_ended};
    char *const *const command[PP_RUNS_SIDES] = {runs->line[0]->command,
                                                 runs->sides > 1 ? runs->line[1]->command : NULL};
    struct running running = {
        .runs = runs, .ops = ops, .data = data, .end = ret, .list = pp_runs_file_make(command)};
    struct pp_repeat_end how;
    *ret = (struct pp_runs_end){.status = 0};
    if (runs->folder->replaces_busy)
        pp_message(PP_FORMAT_RUN_IN_USE, runs->line[0]->config.output, runs->folder->path);
    write_list(&running, "running");
    if (pp_repeat(runs->folder->path, &repeat, &running, &how))
        ret->status = PP_EXIT_FAILED;
    ret->signal = how.signal;
    if (how.signal) {
        print_interrupted(runs, how.signal, ret->used);
        ret->status = ret->status ? ret->status : PP_EXIT_SIGNAL_BASE + how.signal;
    }
    finish_folder(&running);
    json_decref(running.list);
}
