/** @file
 * See set_runs.h. */
#include "cli/launch/set_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/repeat.h"
#include "cli/launch/run.h"
#include "cli/merge/merge_run.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/session/session_json.h"
#include "pp_texts.h"

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
next(void *data, unsigned run, struct pp_repeat_step *ret)
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
ended(void *data, const struct pp_repeat_ended *ended)
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
    static const struct pp_repeat_ops ops = {.next = next, .ended = ended};
    struct pp_repeat_end end;
    int rc = pp_repeat(runs->folder, &ops, runs, &end);
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
