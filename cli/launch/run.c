/** @file
 * See run.h. */
#include "cli/launch/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/analysis/live_interval.h"
#include "cli/launch/command_line.h"
#include "cli/launch/environ.h"
#include "cli/launch/executable.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/launch.h"
#include "cli/launch/session_dir.h"
#include "cli/launch/window_end.h"
#include "cli/print/gaps.h"
#include "cli/print/running.h"
#include "cli/session/session_json.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

/** The state of a watch. Begin with run_watch_begin(). */
struct pp_run_watch {
    const struct pp_command_line *line; /**< borrowed */
    struct pp_session_dir *dir;         /**< borrowed */
    int dir_fd;                         /**< session that is followed; owned; -1: none yet */
    struct pp_window_end end;           /**< of --frames and --duration, for --stop */
    struct pp_live_interval interval;   /**< for --interval-print */
    uint64_t begin_ns, next_ns;         /**< CLOCK_MONOTONIC: CMD's start, and the next line */
    bool stopped;                       /**< CMD got SIGTERM, because of --stop */
    uint64_t stopped_ns;                /**< CLOCK_MONOTONIC: when */
    bool killed;                        /**< CMD went on after SIGTERM, and got SIGKILL */
};

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

/* Can a terminal show it and a shell read it between quotes? */
static bool
is_text(const char *word)
{
    bool printable = true;
    while (*word && printable)
        word += pp_printable_next(word, &printable);
    return printable;
}

/* Print a word as a shell reads it. Bytes that a terminal may not show are written as in bash, ksh and zsh.
 */
static void
print_word(const char *word)
{
    bool text = is_text(word);
    bool assigns = *word != '-' && strchr(word, '='); /* in front of a command it would set a variable */
    if (*word && text && !assigns && strspn(word, PLAIN) == strlen(word)) {
        pp_print(stderr, "%s", word);
        return;
    }
    pp_print(stderr, text ? "'" : "$'");
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;
        size_t same = text ? strcspn(word, "'") : 0;
        if (same) {
            pp_print(stderr, "%.*s", (int)same, word);
            word += same - 1;
        } else if (text) {
            pp_print(stderr, "'\\''");
        } else if (byte < ' ' || byte > '~' || byte == '\'' || byte == '\\') {
            pp_print(stderr, "\\x%02x", byte);
            if (strchr("0123456789abcdefABCDEF", word[1]) && word[1]) /* ksh reads more than two digits */
                pp_print(stderr, "'$'");
        } else {
            pp_print_char(stderr, *word);
        }
    }
    pp_print_char(stderr, '\'');
}

static void
print_words(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pp_print_char(stderr, ' ');
        print_word(words[i]);
    }
}

/* Print the line that runs the application without passprobe, and the one that runs it with less of
 * passprobe: the command line with all of its options, at level `frame`, or with the times alone if that was
 * its level. */
static void
crash_hint_print(const struct pp_command_line *line)
{
    static const char *const same[] = {"record", "stat"};
    static const char *const less[] = {"-l", "frame", "-e", "time"};
    size_t words = 0, options = 1;
    const char *command = same[0];
    for (size_t i = 0; i < PP_ARRAY_SIZE(same); i++)
        if (strcmp(line->words[0], same[i]) == 0) {
            command = same[i];
            options = (size_t)(line->command - line->words);
        }
    while (line->command[words])
        words++;
    if (options > 1 && strcmp(line->words[options - 1], "--") == 0)
        options--;
    pp_message(PP_TEXT_RUN_CRASH);
    pp_print_char(stderr, ' ');
    print_words((const char *const *)line->command, words);
    pp_print(stderr, "\n  passprobe %s", command);
    print_words((const char *const *)line->words + 1, options - 1);
    print_words(less, line->config.level == PP_LEVEL_FRAME ? 4 : 2);
    print_words((const char *const[]){"--"}, 1);
    print_words((const char *const *)line->command, words);
    pp_print_char(stderr, '\n');
}

#define LONGEST ((size_t)1 << 20) /* bytes of an environment that are read */

/* Does the process have this variable? @param text LONGEST bytes, for its environment. */
static bool
has_variable(int pid, const char *variable, char *text)
{
    char path[64];
    size_t len = 0;
    ssize_t got = 0;
    snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && len < LONGEST - 1 && (got = read(fd, text + len, LONGEST - 1 - len)) > 0)
        len += (size_t)got;
    if (fd >= 0)
        close(fd);
    text[len] = '\0';
    for (size_t at = 0; at < len; at += strlen(text + at) + 1)
        if (strcmp(text + at, variable) == 0)
            return true;
    return false;
}

/*
 * Find a living process of this user whose PASSPROBE_OUTPUT is this path.
 *
 * @param output As it was given to CMD (environ.h).
 * @return Its number; 0: there is none, or /proc cannot be read.
 */
static int
left_behind(const char *output)
{
    char variable[2 * PATH_MAX + 32];
    DIR *dir = opendir("/proc");
    char *text = dir ? malloc(LONGEST) : NULL;
    int found = 0;
    snprintf(variable, sizeof(variable), "PASSPROBE_OUTPUT=%s", output);
    for (struct dirent *entry = text ? readdir(dir) : NULL; entry && !found; entry = readdir(dir)) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid > 0 && pid != getpid() && has_variable(pid, variable, text))
            found = pid;
    }
    free(text);
    if (dir)
        closedir(dir);
    return found;
}

/* How long CMD may go on after SIGTERM. The frames of the window are written then: see window_end.c. */
#define STOP_PATIENCE_NS 5000000000U

/* Begin, right before CMD starts. */
static void
run_watch_begin(struct pp_run_watch *watch, const struct pp_command_line *line, struct pp_session_dir *dir)
{
    uint64_t now = pp_monotonic_ns();
    memset(watch, 0, sizeof(*watch));
    watch->line = line;
    watch->dir = dir;
    watch->dir_fd = -1;
    watch->end.config = &line->config;
    watch->begin_ns = now;
    watch->next_ns = now + line->own.interval_print_ns;
}

/* Is there something to do while CMD runs? */
static bool
run_watch_needed(const struct pp_run_watch *watch)
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
    watch->dir_fd = pp_session_dir_growing(watch->dir);
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

/* pp_launch_tick.call, for a struct pp_run_watch. */
static bool
run_watch_tick(void *data, int pid)
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
    return run_watch_needed(watch);
}

/* Print the line of the last interval, and free everything; `stopped` stays. CMD has ended. */
static void
run_watch_finish(struct pp_run_watch *watch)
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
    bool more = run_watch_needed(&watched->watch) && run_watch_tick(&watched->watch, pid);
    if (also && !also->call(also->data, pid, watched->watch.dir))
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
    run_watch_begin(watch, line, dir);
    const struct pp_launch_tick tick = {
        .interval_ms = also ? also->interval_ms : WATCH_MS, .call = on_tick, .data = &watched};
    int rc = pp_launch(line->command, env, also || run_watch_needed(watch) ? &tick : NULL, ret_run);
    run_watch_finish(watch);
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

/* Looks for a process that CMD left, and the time between them. */
#define LOOKS   5U
#define LOOK_NS 20000000

bool
pp_run_print_left_behind(const struct pp_session_dir *dir, const char *command)
{
    char output[PP_ENVIRON_ESCAPED];
    pp_environ_escape(dir->path, output);
    int pid = 0;
    /* A process that is about to start a program has no environment for a moment. */
    for (size_t i = 0; i < LOOKS && !(pid = left_behind(output)); i++)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
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
        crash_hint_print(line);
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
