/** @file
 * See run.h. */
#include "cli/launch/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cli/launch/crash_hint.h"
#include "cli/launch/environ.h"
#include "cli/launch/executable.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/left_behind.h"
#include "cli/launch/run_watch.h"
#include "cli/launch/session_mend.h"
#include "cli/print/damage.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/terminal.h"
#include "cli/session/session_paused.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Size of files whose reading takes a second: a gigabyte takes two seconds of a processor. */
#define LONG_READING ((off_t)512 << 20)

static int
find_places(struct pp_install_paths *places)
{
    int rc = pp_install_paths_find(places);
    if (rc) {
        pp_message(PP_FORMAT_OWN_FILES, strerror(-rc));
        return rc;
    }
    if (!*places->lib && !*places->share) {
        pp_message(PP_FORMAT_RUN_NOTHING_INSTALLED, places->bin);
        return -ENOENT;
    }
    if (!*places->lib)
        pp_message(PP_TEXT_RUN_NO_SHIM);
    if (!*places->share)
        pp_message(PP_TEXT_RUN_NO_LAYER);
    return 0;
}

/* Print that CMD was not executed, in perf's words. */
static void
print_not_run(const char *name, int error)
{
    struct pp_executable_file file;
    if (error == ENOENT && pp_executable_inspect(name, &file) == 0 && file.kind == PP_EXECUTABLE_SCRIPT)
        pp_message(PP_FORMAT_RUN_INTERPRETER, name, file.interpreter);
    else
        pp_message(PP_FORMAT_RUN_FAILED, name, strerror(error));
}

#define WATCH_MS 100 /* between two looks at the session */

/* A run that is watched. */
struct watched {
    struct pp_run_watch watch;
    const struct pp_run_also *also; /* NULL: nothing */
};

/* pp_launch_tick.call */
static bool
on_tick(void *data, int pid)
{
    struct watched *watched = data;
    const struct pp_run_also *also = watched->also;
    bool more = pp_run_watch_needed(&watched->watch) && pp_run_watch_tick(&watched->watch, pid);
    if (also && !also->call(also->data, pid, watched->watch.dir, watched->watch.since_s))
        watched->also = NULL;
    return more || watched->also;
}

/* Run CMD, and watch its session meanwhile. */
static int
launch(const struct pp_command_line *line, struct pp_session_dir *dir, char *const *env,
       const struct pp_run_also *also, struct pp_run *ret_run)
{
    struct watched watched = {.also = also};
    struct pp_run_watch *watch = &watched.watch;
    pp_run_watch_begin(watch, line, dir);
    const struct pp_launch_tick tick = {
        .interval_ms = also ? also->interval_ms : WATCH_MS, .call = on_tick, .data = &watched};
    int rc = pp_launch(line->command, env, also || pp_run_watch_needed(watch) ? &tick : NULL, ret_run);
    pp_run_watch_finish(watch);
    if (rc)
        return rc;
    int signal = WIFSIGNALED(ret_run->wait_status) ? WTERMSIG(ret_run->wait_status) : 0;
    ret_run->stop_signal = watch->killed ? SIGKILL : watch->stopped ? SIGTERM : 0;
    if (signal && signal == ret_run->stop_signal)
        ret_run->exit_status = 0; /* the signal is passprobe's own, and no failure of CMD */
    return 0;
}

int
pp_run_profiled(const struct pp_command_line *line, struct pp_session_dir *dir, struct pp_run *ret_run)
{
    return pp_run_profiled_with(line, dir, NULL, ret_run);
}

int
pp_run_profiled_with(const struct pp_command_line *line, struct pp_session_dir *dir,
                     const struct pp_run_also *also, struct pp_run *ret_run)
{
    struct pp_install_paths places;
    struct pp_environ env;
    if (dir->replaces_busy)
        pp_message(PP_FORMAT_RUN_IN_USE, line->config.output, dir->path);
    int rc = find_places(&places);
    if (rc)
        return rc;
    rc = pp_environ_init(&env);
    if (rc == 0) {
        rc = pp_environ_add_profiling(&env, &places);
        rc = rc ? rc : pp_environ_options(&env, line, dir->path);
        rc = rc ? rc : launch(line, dir, env.env, also, ret_run);
        pp_environ_finish(&env);
    }
    if (rc) {
        pp_message(PP_FORMAT_RUN_NOT_STARTED, line->command[0], strerror(-rc));
        return rc;
    }
    /* CMD has ended: the reader of stdout may be gone, and the exit status must not change */
    signal(SIGPIPE, SIG_IGN);
    if (ret_run->exec_errno)
        print_not_run(line->command[0], ret_run->exec_errno);
    else
        (void)pp_session_mend(dir->fd);
    (void)pp_session_dir_replace_older(dir, true);
    return 0;
}

void
pp_run_print_reading(const char *dir)
{
    static const char *const file[] = {"frames.csv", "passes.csv", "draws.csv", "labels.csv"};
    char path[PATH_MAX];
    struct stat st;
    off_t size = 0;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++)
        if (pp_join(path, dir, file[i]) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            size += st.st_size;
    if (size >= LONG_READING && !pp_terminal(stderr)) /* a terminal gets a line of progress */
        pp_message(PP_FORMAT_RUN_LONG, (double)size / 1e9);
}

void
pp_run_print_others(const struct pp_sessions *sessions)
{
    char command[PATH_MAX + 64];
    const struct pp_session_found *shown = &sessions->by_frames[0];
    if (sessions->found < 2)
        return;
    pp_message(PP_FORMAT_RUN_PROCESSES, sessions->found, (unsigned long long)shown->frames,
               sessions->found == 2 ? "Other" : "Others");
    for (size_t i = 1; i < sessions->found && i < PP_SESSIONS_NAMED; i++) {
        const struct pp_session_found *other = &sessions->by_frames[i];
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s", other->path);
        char *const argv[] = {path, NULL};
        pp_message(PP_FORMAT_RUN_PROCESS, pp_format_command(command, sizeof(command), argv),
                   (unsigned long long)other->frames,
                   pp_format_noun((double)other->frames, "frame", "frames"));
    }
    if (sessions->found > PP_SESSIONS_NAMED)
        pp_message(PP_FORMAT_RUN_PROCESSES_MORE, sessions->found - PP_SESSIONS_NAMED);
}

void
pp_run_print_previous(const struct pp_session_dir *dir)
{
    if (*dir->previous)
        pp_message(PP_FORMAT_RUN_PREVIOUS, pp_base_name(dir->previous));
}

void
pp_run_print_window(const struct pp_saved_session *rec)
{
    const char *level = json_string_value(pp_saved_json(rec, "options.level"));
    bool asked = json_integer_value(pp_saved_json(rec, "options.every")) > 1 ||
                 json_integer_value(pp_saved_json(rec, "options.slower_than_ns")) > 0;
    uint64_t frames = 0;
    uint64_t finer = 0;
    if (rec->window.any && rec->frames && !pp_saved_frames(rec)) {
        pp_message(PP_FORMAT_RUN_WINDOW_MISSED, rec->window.recorded, rec->frames,
                   pp_format_noun((double)rec->frames, "frame", "frames"), pp_saved_operand(rec));
        return;
    }
    for (size_t i = 0; i < rec->surfaces; i++) {
        frames += rec->surface[i].frames;
        finer += rec->surface[i].by_level[PP_SAVED_PASS] + rec->surface[i].by_level[PP_SAVED_DRAW];
    }
    if (asked && level && strcmp(level, "frame") != 0 && frames && !finer)
        pp_message(PP_FORMAT_RUN_NO_WINDOW, (unsigned long long)frames,
                   pp_format_noun((double)frames, "frame", "frames"), level);
}

bool
pp_run_print_discarded(const struct pp_command_line *line, const struct pp_saved_session *rec)
{
    const char *discard = line->own.discard;
    if (!discard || !rec->window.any || !rec->frames || pp_saved_frames(rec))
        return false;
    pp_message(PP_FORMAT_RUN_DISCARDED, discard, (unsigned long long)rec->frames,
               pp_format_noun((double)rec->frames, "frame", "frames"));
    return true;
}

int
pp_run_status(const struct pp_command_line *line, const struct pp_run *run, uint64_t frames)
{
    if (frames >= line->config.require_frames)
        return run->exit_status;
    pp_message(PP_FORMAT_RUN_FRAMES_REQUIRED, (unsigned long long)frames,
               pp_format_noun((double)frames, "frame was", "frames were"),
               (unsigned long long)line->config.require_frames);
    return PP_EXIT_FAILED;
}

bool
pp_run_print_left_behind(const struct pp_session_dir *dir, const char *command)
{
    char output[PP_ENVIRON_ESCAPED];
    pp_environ_escape(dir->path, output);
    int pid = pp_left_behind(output);
    if (pid)
        pp_message(PP_FORMAT_RUN_LEFT_BEHIND, command, pid, dir->path);
    return pid != 0;
}

bool
pp_run_print_gone(const struct pp_session_dir *dir)
{
    struct stat st;
    if (pp_session_dir_is_there(dir))
        return false;
    pp_message(PP_FORMAT_RUN_GONE, dir->path, lstat(dir->path, &st) ? "removed" : "replaced");
    return true;
}

bool
pp_run_print_frames_gone(const struct pp_saved_session *rec, const char *dir)
{
    double frames = json_number_value(pp_saved_json(rec, "counts.frames"));
    if (rec->frames_error != -ENOENT || frames <= 0)
        return false;
    pp_message(PP_FORMAT_RUN_FRAMES_GONE, dir, frames, pp_format_noun(frames, "frame", "frames"));
    return true;
}

/* Find out whether the application used an API, but ended no frame because of --frame-on. */
static const char *
wrong_end(const struct pp_command_line *line, const struct pp_saved_session *rec)
{
    double marks = 0;
    if (!rec || json_array_size(pp_saved_json(rec, "devices")) == 0)
        return NULL;
    switch (line->config.frame_on) {
    case PP_FRAME_ON_MARKER:
        return PP_TEXT_RUN_NO_MARKER;
    case PP_FRAME_ON_PRESENT:
        marks = json_number_value(pp_saved_json(rec, "counts.frame_marks"));
        return marks > 0 ? PP_TEXT_RUN_MARKS : PP_TEXT_RUN_NO_PRESENT;
    case PP_FRAME_ON_SUBMIT:
    case PP_FRAME_ON_FINISH:
    case PP_FRAME_ON_AUTO:
        break;
    }
    return NULL;
}

void
pp_run_print_killed(const struct pp_command_line *line, const struct pp_run *run, const char *command)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (!killed.signal || killed.signal == run->stop_signal)
        return;
    if (killed.by_status)
        pp_message(PP_FORMAT_RUN_SHELL_STATUS, command, run->exit_status, killed.name,
                   strsignal(killed.signal));
    else
        pp_message(PP_FORMAT_RUN_KILLED, command, killed.name, strsignal(killed.signal),
                   killed.core_dumped ? PP_TEXT_CORE_DUMPED : "");
    if (killed.is_fault_of_process)
        pp_crash_hint_print(line);
}

/* "was killed by SIGKILL", "ended with status 3". */
static void
cmd_end(char *text, size_t size, const struct pp_run *run)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (killed.signal && !killed.by_status)
        snprintf(text, size, PP_FORMAT_RUN_WAS_KILLED, killed.name);
    else
        snprintf(text, size, PP_FORMAT_RUN_STATUS, run->exit_status);
}

const char *
pp_run_ending(char text[PP_ENDING_MAX], const struct pp_run *run, const char *command,
              const struct pp_saved_session *rec)
{
    static const char missing[] = PP_TEXT_RUN_LAST_SECOND;
    const json_t *pid = pp_saved_json(rec, "program.pid");
    char end[64];
    text[0] = '\0';
    if (pp_saved_end(rec, NULL) != PP_SAVED_KILLED)
        return text;
    if (run->stop_signal) {
        if (run->quit)
            snprintf(text, PP_ENDING_MAX, PP_FORMAT_RUN_QUIT_END, command);
        else
            snprintf(text, PP_ENDING_MAX, PP_FORMAT_RUN_STOP_END, command);
        return text;
    }
    cmd_end(end, sizeof(end), run);
    if (json_integer_value(pid) == run->pid && run->pid && WIFSIGNALED(run->wait_status))
        snprintf(text, PP_ENDING_MAX, "'%.100s' %s: %s.", command, end, missing);
    else if (json_integer_value(pid) == run->pid && run->pid)
        snprintf(text, PP_ENDING_MAX, PP_FORMAT_RUN_NO_HANDLERS, command, end, missing);
    else
        snprintf(text, PP_ENDING_MAX, PP_FORMAT_RUN_OTHER_PROCESS, command, missing, command, end);
    return text;
}

/* Print that CMD left no data, where no reason is known. */
static void
print_no_frame(const char *command, const struct pp_run *run)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (killed.signal)
        pp_message(PP_FORMAT_RUN_KILLED_EARLY, command);
    else
        pp_message(PP_FORMAT_RUN_NO_DATA, command, command);
}

void
pp_run_explain_no_data(const struct pp_command_line *line, const struct pp_run *run, const char *command,
                       const struct pp_saved_session *rec)
{
    struct pp_executable_file file;
    const char *obstacle = NULL;
    const char *stopped = NULL;
    const char *disable = getenv("PASSPROBE_DISABLE");
    if (rec)
        (void)pp_saved_end(rec, &stopped);
    if (rec && rec->frames_error && rec->frames_error != -ENOENT)
        pp_message(PP_FORMAT_RUN_FRAMES_UNREAD, pp_damage_error_text(rec->frames_error));
    if (disable && *disable && strcmp(disable, "0") != 0)
        obstacle = PP_TEXT_RUN_DISABLED;
    else if (pp_executable_inspect(line->command[0], &file) == 0)
        obstacle = pp_executable_obstacle(&file);
    if (!obstacle)
        obstacle = wrong_end(line, rec);
    if (stopped)
        pp_message(PP_FORMAT_RUN_STOPPED, command, stopped);
    else if (rec && pp_session_never_recorded(rec->json))
        pp_message(PP_FORMAT_RUN_PAUSED, command);
    else if (obstacle)
        pp_message(PP_FORMAT_RUN_REASON, command, obstacle);
    else if (!rec && line->config.paused) /* asleep to an end at which it could not write why */
        pp_message(PP_FORMAT_RUN_PAUSED, command);
    else
        print_no_frame(command, run);
}
