/** @file
 * See run.h. */
#include "cli/launch/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cli/launch/elf_check.h"
#include "cli/launch/environ.h"
#include "cli/launch/install_paths.h"
#include "cli/print/format.h"
#include "cli/print/message.h"

/* A gigabyte takes two seconds of a processor. */
#define LONG_READING ((off_t)512 << 20)

static int
find_places(struct pp_places *places)
{
    int rc = pp_places_find(places);
    if (rc) {
        pp_say("cannot find my own files: %s", strerror(-rc));
        return rc;
    }
    if (!*places->lib && !*places->share) {
        pp_say("neither " PP_GL_SHIM " nor the Vulkan layer lies beside %s: is the installation complete?",
               places->bin);
        return -ENOENT;
    }
    if (!*places->lib)
        pp_say(PP_GL_SHIM " not found: OpenGL is not seen");
    if (!*places->share)
        pp_say(PP_LAYER_MANIFEST " not found: Vulkan is not seen");
    return 0;
}

/* CMD was not executed: perf's words for it. */
static void
say_not_run(const char *name, int error)
{
    struct pp_program_file file;
    if (error == ENOENT && pp_program_inspect(name, &file) == 0 && file.kind == PP_PROGRAM_SCRIPT)
        pp_say("cannot run '%s': its interpreter '%s' is missing", name, file.interpreter);
    else
        pp_say("cannot run '%s': %s", name, strerror(error));
}

int
pp_run_profiled(const struct pp_invocation *inv, const struct pp_session_dir *dir, struct pp_run *ret_run)
{
    struct pp_places places;
    struct pp_environ env;
    if (dir->beside)
        pp_say("%s is in use; this session goes to %s", inv->config.output, dir->path);
    int rc = find_places(&places);
    if (rc)
        return rc;
    rc = pp_environ_init(&env);
    if (rc == 0) {
        rc = pp_environ_catch(&env, &places);
        rc = rc ? rc : pp_environ_options(&env, inv, dir->path);
        rc = rc ? rc : pp_launch(inv->command, env.env, ret_run);
        pp_environ_finish(&env);
    }
    if (rc) {
        pp_say("cannot start '%s': %s", inv->command[0], strerror(-rc));
        return rc;
    }
    /* CMD has ended: the reader of stdout may be gone, and the exit status must not change */
    signal(SIGPIPE, SIG_IGN);
    if (ret_run->exec_errno)
        say_not_run(inv->command[0], ret_run->exec_errno);
    else
        (void)pp_session_dir_mend(dir->fd);
    return 0;
}

void
pp_run_tell_reading(const char *dir)
{
    static const char *const file[] = {"frames.csv", "passes.csv", "draws.csv", "labels.csv"};
    char path[PATH_MAX];
    struct stat st;
    off_t size = 0;
    for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
        if (pp_join(path, dir, file[i]) && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            size += st.st_size;
    if (size >= LONG_READING)
        pp_say("summing up %.1f GB; this takes some seconds", (double)size / 1e9);
}

void
pp_run_tell_others(const struct pp_sessions *sessions)
{
    char command[PATH_MAX + 64];
    const struct pp_session_found *shown = &sessions->by_frames[0];
    if (sessions->found < 2)
        return;
    pp_say("%zu processes left a session each; this is that of the most frames, %llu; the %s:",
           sessions->found, (unsigned long long)shown->frames, sessions->found == 2 ? "other" : "others");
    for (size_t i = 1; i < sessions->found && i < PP_SESSIONS_NAMED; i++) {
        const struct pp_session_found *other = &sessions->by_frames[i];
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s", other->path);
        char *const argv[] = {path, NULL};
        pp_say("  passprobe report %s (%llu %s)", pp_text_command(command, sizeof(command), argv),
               (unsigned long long)other->frames, pp_text_noun((double)other->frames, "frame", "frames"));
    }
    if (sessions->found > PP_SESSIONS_NAMED)
        pp_say("  and %zu more beside them", sessions->found - PP_SESSIONS_NAMED);
}

bool
pp_run_tell_gone(const struct pp_session_dir *dir)
{
    struct stat st;
    if (pp_session_dir_is_there(dir))
        return false;
    pp_say("no data: %s was %s while the program ran", dir->path,
           lstat(dir->path, &st) ? "removed" : "replaced");
    return true;
}

bool
pp_run_tell_frames_gone(const struct pp_recording *rec, const char *dir)
{
    double frames = json_number_value(pp_recording_json(rec, "counts.frames"));
    if (rec->frames_error != -ENOENT || frames <= 0)
        return false;
    pp_say("%s/frames.csv was removed: session.json tells of %.0f %s that it held", dir, frames,
           pp_text_noun(frames, "frame", "frames"));
    return true;
}

/* Did the application use an API, and yet ended no frame, because of what it was told ends one? */
static const char *
wrong_end(const struct pp_invocation *inv, const struct pp_recording *rec)
{
    double marks = 0;
    if (!rec || json_array_size(pp_recording_json(rec, "devices")) == 0)
        return NULL;
    switch (inv->config.frame_on) {
    case PP_FRAME_ON_MARKER:
        return "it drew, but marks no frames (pp_frame_end(), glFrameTerminatorGREMEDY, "
               "VK_EXT_frame_boundary); "
               "without --frame-on marker presents end them";
    case PP_FRAME_ON_PRESENT:
        marks = json_number_value(pp_recording_json(rec, "counts.frame_marks"));
        return marks > 0
                   ? "it drew, but never presented: it marks its frames itself (pp_frame_end()), which end "
                     "them with --frame-on marker, and without --frame-on"
                   : "it drew, but never presented; try --frame-on submit or finish, or marker if it marks "
                     "its frames itself";
    case PP_FRAME_ON_SUBMIT:
    case PP_FRAME_ON_FINISH:
    case PP_FRAME_ON_AUTO:
        break;
    }
    return NULL;
}

void
pp_run_tell_killed(const struct pp_run *run, const char *command)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (!killed.signal)
        return;
    if (killed.said_so)
        pp_say("'%s' ended with status %d: shells say so of a program killed by %s (%s)", command,
               run->exit_status, killed.name, strsignal(killed.signal));
    else
        pp_say("'%s' was killed by %s (%s)%s", command, killed.name, strsignal(killed.signal),
               killed.core_dumped ? ", core dumped" : "");
    if (killed.by_its_own)
        pp_say("has passprobe a part in it? Run it without passprobe, then with -l frame (nothing inside of "
               "frames is measured) and with -e time (no counters)");
}

/* "was killed by SIGKILL", "ended with status 3". */
static void
cmd_end(char *text, size_t size, const struct pp_run *run)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (killed.signal && !killed.said_so)
        snprintf(text, size, "was killed by %s", killed.name);
    else
        snprintf(text, size, "ended with status %d", run->exit_status);
}

const char *
pp_run_ending(char text[PP_ENDING_MAX], const struct pp_run *run, const char *command,
              const struct pp_recording *rec)
{
    static const char missing[] = "up to the last second may be missing";
    const json_t *pid = pp_recording_json(rec, "program.pid");
    char end[64];
    text[0] = '\0';
    if (pp_recording_end(rec, NULL) != PP_REC_KILLED)
        return text;
    cmd_end(end, sizeof(end), run);
    if (json_integer_value(pid) == run->pid && run->pid && WIFSIGNALED(run->wait_status))
        snprintf(text, PP_ENDING_MAX, "'%.100s' %s: %s.", command, end, missing);
    else if (json_integer_value(pid) == run->pid && run->pid)
        snprintf(text, PP_ENDING_MAX, "'%.100s' %s without its exit handlers (_exit()): %s.", command, end,
                 missing);
    else
        snprintf(text, PP_ENDING_MAX,
                 "The recorded process, one of those that '%.100s' started, ended without its exit handlers "
                 "(killed, "
                 "crashed, or by _exit()), or it still runs: %s. '%.100s' itself %s.",
                 command, missing, command, end);
    return text;
}

/* Nothing is known to stand in the way. */
static void
say_no_frame(const char *command, const struct pp_run *run)
{
    struct pp_killed killed;
    pp_killed_by(run, &killed);
    if (killed.signal)
        pp_say("no data from '%s': it ended no frame in OpenGL or Vulkan that was seen before it was killed; "
               "what it did in its last second may be lost",
               command);
    else
        pp_say("no data from '%s': neither it nor a process that it started and that passprobe reached ended "
               "a frame in OpenGL or Vulkan; try `passprobe doctor -- %s`",
               command, command);
}

void
pp_run_explain_no_data(const struct pp_invocation *inv, const struct pp_run *run, const char *command,
                       const struct pp_recording *rec)
{
    struct pp_program_file file;
    const char *obstacle = NULL;
    const char *stopped = NULL;
    const char *disable = getenv("PASSPROBE_DISABLE");
    if (rec)
        (void)pp_recording_end(rec, &stopped);
    if (rec && rec->frames_error && rec->frames_error != -ENOENT)
        pp_say("cannot read frames.csv back: %s", strerror(-rec->frames_error));
    if (disable && *disable && strcmp(disable, "0") != 0)
        obstacle = "PASSPROBE_DISABLE is set, which switches profiling off";
    else if (pp_program_inspect(inv->command[0], &file) == 0)
        obstacle = pp_program_obstacle(&file);
    if (!obstacle)
        obstacle = wrong_end(inv, rec);
    if (stopped)
        pp_say("nothing was profiled of '%s': %s", command, stopped);
    else if (obstacle)
        pp_say("no data from '%s': %s", command, obstacle);
    else
        say_no_frame(command, run);
}
