/** @file
 * See runs.h. */
#include "cli/launch/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/launch/environ.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/run.h"
#include "cli/merge/merge_run.h"
#include "cli/session/runs_file.h"
#include "cli/session/session_json.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "core/config/dir_content.h"
#include "core/config/option.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* The next run. */
struct pp_repeat_step {
    const struct pp_command_line *line; /**< options and CMD of this run; borrowed until the run's end. A copy
                                           whose options were changed by pp_command_line_set() is possible */
    char name[NAME_MAX + 1];            /**< of the session directory, in the folder of the runs */
};

/* A run that has ended. */
struct pp_repeat_ended {
    unsigned run; /**< 0 is the first one */
    const struct pp_repeat_step *step;
    struct pp_session_dir *dir; /**< open until the callback returns */
    const struct pp_run *how;   /**< CMD was executed, or how->exec_errno says why not */
};

/* What a caller does before and after each run. Both are mandatory. Both may read files, print, and take
 * time. */
struct pp_repeat_ops {
    /** Choose the next run. @param run 0 is the first one. @param ret Zeroed. @return false: there are no
     * more runs. */
    bool (*next)(void *data, unsigned run, struct pp_repeat_step *ret);
    /** Use what a run left, or remove it. @return false: no more runs. */
    bool (*ended)(void *data, const struct pp_repeat_ended *ended);
};

/* How repeated runs ended. */
struct pp_repeat_end {
    unsigned runs; /**< that ended */
    int signal;    /**< SIGINT, SIGTERM, SIGHUP or SIGQUIT of passprobe, which ended them; 0: none */
};

/* The fewest runs with --until. */
#define PP_RUNS_UNTIL_LEAST 3U

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
        ended->dir = NULL;
        ended->how = NULL;
    }
    pp_session_dir_close(&dir);
    return rc;
}

/* Do runs until a callback ends them. SIGINT, SIGTERM, SIGHUP or SIGQUIT ends them after the run that it
 * interrupts; between two runs these signals wait for the end of the callback. CMD inherits the signal mask
 * of the caller.
 *
 * @param folder Absolute path of an existing folder, in which the session directories are made. The text is
 * read before each run, so that a callback may rename the folder.
 * @param data For the callbacks.
 * @param ret Filled in, also on failure.
 * @retval 0       There are no more runs: `next` or `ended` returned false, or a signal came.
 * @retval -errno  passprobe failed, and has reported it: a session directory could not be made, or its
 * libraries are missing. */
static int
run_each(const char *folder, const struct pp_repeat_ops *ops, void *data, struct pp_repeat_end *ret)
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

/* Set the options of run @p run. Call stacks are needed once. @return false: an option was refused. */
static bool
set_options(struct pp_set_runs *runs, unsigned run)
{
    struct pp_command_line *line = &runs->current;
    *line = *runs->line;
    snprintf(runs->number, sizeof(runs->number), "%u", run);
    if (pp_command_line_set(line, "only-set", runs->number))
        return false;
    return run == 0 || !line->config.call_graph || pp_command_line_set(line, "call-graph", "0") == 0;
}

static bool
next_set(void *data, unsigned run, struct pp_repeat_step *ret)
{
    struct pp_set_runs *runs = data;
    if ((run > 0 && run >= runs->wanted) || !set_options(runs, run))
        return false;
    ret->line = &runs->current;
    snprintf(ret->name, sizeof(ret->name), "set%u", run);
    if (run > 0 && runs->line->config.verbosity >= 0 && isatty(STDERR_FILENO))
        pp_message(PP_FORMAT_RUNS_FOR_PROGRESS, run + 1, runs->wanted, pp_base_name(runs->line->command[0]));
    return true;
}

/* The larger one of a number and `only_set.of` of an object in session.json. */
static unsigned
most_sets(const json_t *measured, unsigned sets)
{
    json_int_t of = json_integer_value(json_object_get(json_object_get(measured, "only_set"), "of"));
    if (of > (json_int_t)PP_MERGE_RUNS - 1)
        of = (json_int_t)PP_MERGE_RUNS - 1;
    return of > (json_int_t)sets ? (unsigned)of : sets;
}

/* Find out from the first session how many runs the events need. */
static unsigned
wanted_runs(int dir_fd)
{
    char why[256];
    bool missing = false;
    json_t *json = dir_fd < 0 ? NULL : pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    const json_t *devices = json_object_get(json, "devices");
    unsigned sets = most_sets(json_object_get(json, "frames"), 0);
    for (size_t i = 0; i < json_array_size(devices); i++)
        sets = most_sets(json_array_get(devices, i), sets);
    json_decref(json);
    return sets + 1;
}

/* The executable of a session's process. @return An owned text; NULL: not known. */
static char *
executable_of(int dir_fd)
{
    char why[256];
    bool missing = false;
    json_t *json = dir_fd < 0 ? NULL : pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    const char *path = json_string_value(json_object_get(json_object_get(json, "program"), "executable"));
    char *copy = path ? strdup(path) : NULL;
    json_decref(json);
    return copy;
}

/* Choose the session of a run that is merged, if its processes left several: that of the first run's
 * executable, else the one with the most frames. @return Its place. */
static size_t
choose(const struct pp_set_runs *runs, const struct pp_sessions *sessions)
{
    size_t found = sessions->found < PP_SESSIONS_NAMED ? sessions->found : PP_SESSIONS_NAMED;
    char *wanted = runs->runs > 1 && found > 1 ? executable_of(runs->run[0].fd) : NULL;
    size_t chosen = 0;
    for (size_t i = 0; wanted && i < found; i++) {
        char *executable = executable_of(sessions->by_frames[i].fd);
        bool same = executable && strcmp(executable, wanted) == 0;
        free(executable);
        if (!same)
            continue;
        chosen = i;
        break;
    }
    free(wanted);
    return chosen;
}

/* Remember the session of a run. @retval 0, -ENOMEM. */
static int
add_run(struct pp_set_runs *runs, const struct pp_repeat_ended *ended)
{
    struct pp_set_run *more = realloc(runs->run, (runs->runs + 1) * sizeof(*more));
    struct pp_sessions sessions;
    if (!more)
        return -ENOMEM;
    runs->run = more;
    struct pp_set_run *run = &more[runs->runs++];
    run->dir = *ended->dir;
    run->dir.fd = fcntl(ended->dir->fd, F_DUPFD_CLOEXEC, 3);
    run->dir.parent_fd = fcntl(ended->dir->parent_fd, F_DUPFD_CLOEXEC, 3);
    pp_session_dir_find(ended->dir, &sessions);
    const struct pp_session_found *chosen = &sessions.by_frames[choose(runs, &sessions)];
    run->fd = sessions.found ? fcntl(chosen->fd, F_DUPFD_CLOEXEC, 3) : -1;
    run->frames = chosen->frames;
    snprintf(run->path, sizeof(run->path), "%s", chosen->path);
    if (sessions.found > 1 && ended->run == 0 && runs->line->config.verbosity >= 0)
        pp_message(PP_FORMAT_RUNS_FOR_PROCESSES, sessions.found, chosen->path);
    pp_sessions_finish(&sessions);
    return 0;
}

/* Note why a run is the last one. */
static void
note_end(struct pp_set_runs *runs, const struct pp_repeat_ended *ended)
{
    unsigned number = ended->run + 1;
    unsigned wanted = runs->wanted ? runs->wanted : 1;
    const struct pp_run *how = ended->how;
    if (how->end_signal) {
        snprintf(runs->ended, sizeof(runs->ended), PP_FORMAT_RUNS_FOR_SIGNAL, number, wanted,
                 strsignal(how->end_signal));
        pp_message(PP_FORMAT_RUNS_INTERRUPTED, strsignal(how->end_signal), runs->runs, wanted);
    } else {
        snprintf(runs->ended, sizeof(runs->ended), PP_FORMAT_RUNS_FOR_ENDED, number, wanted,
                 how->exit_status);
        pp_message(PP_FORMAT_RUNS_FOR_FAILED, number, wanted, how->exit_status, PP_TEXT_RUNS_IGNORE);
    }
}

static bool
set_ended(void *data, const struct pp_repeat_ended *ended)
{
    struct pp_set_runs *runs = data;
    char command[256];
    const struct pp_run *how = ended->how;
    if (ended->run == 0) {
        runs->first = *how;
        runs->first_ended = true;
    }
    if (how->exec_errno) {
        pp_session_dir_drop_empty(ended->dir);
        runs->status = how->exit_status;
        return false;
    }
    bool failed = how->end_signal || (how->exit_status && !runs->ignore_failure);
    if (ended->run > 0 && failed) {
        pp_run_print_killed(runs->line, how,
                            pp_format_command(command, sizeof(command), runs->line->command));
        pp_session_dir_delete(ended->dir);
    } else if (add_run(runs, ended)) {
        pp_message("%s", strerror(ENOMEM));
        runs->status = PP_EXIT_FAILED;
        return false;
    }
    if (ended->run == 0)
        runs->wanted = wanted_runs(runs->run[0].fd);
    if (failed) {
        runs->status = how->exit_status ? how->exit_status : PP_EXIT_SIGNAL_BASE + how->end_signal;
        if (runs->wanted > 1)
            note_end(runs, ended);
    }
    return !failed && runs->run[0].frames > 0;
}

int
pp_set_runs_do(struct pp_set_runs *runs)
{
    static const struct pp_repeat_ops ops = {.next = next_set, .ended = set_ended};
    struct pp_repeat_end end;
    int rc = run_each(runs->folder, &ops, runs, &end);
    if (rc)
        runs->status = PP_EXIT_FAILED;
    if (end.signal && !*runs->ended && runs->runs && runs->runs < runs->wanted) { /* between two runs */
        snprintf(runs->ended, sizeof(runs->ended), PP_FORMAT_RUNS_FOR_SIGNAL, runs->runs + 1, runs->wanted,
                 strsignal(end.signal));
        pp_message(PP_FORMAT_RUNS_INTERRUPTED, strsignal(end.signal), runs->runs, runs->wanted);
    }
    if (end.signal && !runs->status)
        runs->status = PP_EXIT_SIGNAL_BASE + end.signal;
    return rc;
}

void
pp_set_runs_finish(struct pp_set_runs *runs, bool keep)
{
    for (unsigned i = 0; i < runs->runs; i++) {
        if (runs->run[i].fd >= 0)
            close(runs->run[i].fd);
        if (!keep)
            pp_session_dir_delete(&runs->run[i].dir);
        else
            pp_session_dir_drop_empty(&runs->run[i].dir);
        pp_session_dir_close(&runs->run[i].dir);
    }
    free(runs->run);
    runs->run = NULL;
    runs->runs = 0;
}

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
next_run(void *data, unsigned run, struct pp_repeat_step *ret)
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
    static const struct pp_repeat_ops repeat = {.next = next_run, .ended = run_ended};
    char *const *const command[PP_RUNS_SIDES] = {runs->line[0]->command,
                                                 runs->sides > 1 ? runs->line[1]->command : NULL};
    struct running running = {
        .runs = runs, .ops = ops, .data = data, .end = ret, .list = pp_runs_file_make(command)};
    struct pp_repeat_end how;
    *ret = (struct pp_runs_end){.status = 0};
    if (runs->folder->replaces_busy)
        pp_message(PP_FORMAT_RUN_IN_USE, runs->line[0]->config.output, runs->folder->path);
    write_list(&running, "running");
    if (run_each(runs->folder->path, &repeat, &running, &how))
        ret->status = PP_EXIT_FAILED;
    ret->signal = how.signal;
    if (how.signal) {
        print_interrupted(runs, how.signal, ret->used);
        ret->status = ret->status ? ret->status : PP_EXIT_SIGNAL_BASE + how.signal;
    }
    finish_folder(&running);
    json_decref(running.list);
}
