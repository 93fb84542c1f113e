/** @file
 * `passprobe record`: run an application, write a session directory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/keep_symbols.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/print/damage.h"
#include "cli/print/format.h"
#include "cli/print/losses.h"
#include "cli/print/message.h"
#include "cli/print/not_measured.h"
#include "cli/print/print.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

static int
usage(void)
{
    puts(PP_TEXT_USAGE_RECORD);
    pp_command_line_help("record");
    return 0;
}

/* Print which data the files lack although the user asked for it. */
static void
print_losses(const struct pp_saved_session *rec)
{
    char losses[PP_LOSSES_MAX][PP_LOSS_TEXT];
    size_t lost = pp_losses_list(rec, losses);
    bool hint = json_number_value(pp_saved_json(rec, "dropped.frames")) > 0;
    for (size_t i = 0; i < lost; i++)
        pp_message("%s%s", losses[i], hint && i == 0 ? PP_TEXT_RECORD_DROPPED : "");
}

/* Print a closing line as perf does, or why the run left no data. @param ret Filled in. */
static void
tell(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
     struct pp_runs_left *ret)
{
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    char command[256];
    pp_session_dir_find(dir, run->start_s, &sessions);
    pp_format_command(command, sizeof(command), line->command);
    pp_run_print_killed(run, command);
    pp_keep_symbols(line, &sessions);
    int rc = pp_saved_read_at(sessions.by_frames[0].fd, PP_SAVED_HEADLINES, &rec);
    uint64_t frames = rc == 0 ? rec.frames : 0;
    if (rc && rc != -ENOENT) {
        pp_message(PP_FORMAT_READ_BACK, sessions.by_frames[0].path, strerror(-rc));
    } else if (rc == 0 && frames == 0 && pp_run_print_frames_gone(&rec, sessions.by_frames[0].path)) {
        /* the rest of the session is kept */
    } else if (frames == 0) {
        if (pp_run_print_left_behind(dir, command)) {
            /* its session comes later */
        } else {
            if (!pp_run_print_gone(dir))
                pp_run_explain_no_data(line, run, command, rc ? NULL : &rec);
            pp_session_dir_drop_empty(dir);
        }
    } else if (line->config.verbosity >= 0) {
        pp_print(stderr, PP_FORMAT_RECORD_DONE "\n", (unsigned long long)frames,
                 pp_format_noun((double)frames, "frame", "frames"), (unsigned long long)rec.passes_rows,
                 pp_format_noun((double)rec.passes_rows, "pass", "passes"), sessions.by_frames[0].path);
        const char *stopped = NULL;
        (void)pp_saved_end(&rec, &stopped);
        print_losses(&rec);
        if (stopped)
            pp_message(PP_FORMAT_RECORD_STOPPED, stopped);
        pp_not_measured_message(&rec);
        pp_run_print_others(&sessions);
        pp_run_print_window(&rec);
        pp_run_print_previous(dir);
    }
    if (rc == 0) {
        if (frames)
            pp_damage_print(&rec, sessions.by_frames[0].path);
        pp_saved_finish(&rec);
    }
    ret->frames = frames;
    snprintf(ret->session, sizeof(ret->session), "%.255s", pp_base_name(sessions.by_frames[0].path));
    pp_sessions_finish(&sessions);
}

/* A run that counts has ended. @param data Unused. */
static void
run_ended(void *data, const struct pp_runs_ended *ended, struct pp_runs_left *ret)
{
    (void)data;
    tell(ended->line, ended->dir, ended->how, ret);
}

/* Run CMD several times. @return Exit status. */
static int
run_repeatedly(const struct pp_command_line *line, const struct pp_runs_options *options,
               struct pp_session_dir *dir)
{
    static const struct pp_runs_ops ops = {.ended = run_ended};
    const struct pp_runs runs = {.options = options, .line = {line}, .sides = 1, .folder = dir};
    struct pp_runs_end end;
    pp_runs_run(&runs, &ops, NULL, &end);
    if (line->config.verbosity >= 0)
        pp_run_print_previous(dir);
    return end.status;
}

/* Run CMD once. @return Exit status. */
static int
run_once(const struct pp_command_line *line, struct pp_session_dir *dir)
{
    struct pp_runs_left left;
    struct pp_run run;
    if (pp_run_profiled(line, dir, &run)) {
        pp_session_dir_drop_empty(dir);
        return PP_EXIT_FAILED;
    }
    if (run.exec_errno) {
        pp_session_dir_drop_empty(dir);
        return run.exit_status;
    }
    tell(line, dir, &run, &left);
    return pp_run_status(line, &run, left.frames);
}

int
pp_cmd_record(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_runs_options options;
    struct pp_session_dir dir;
    char why[PP_SESSION_DIR_WHY];
    if (pp_command_line_parse(&line, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return usage();
    if (!line.command[0])
        return pp_fail(PP_TEXT_RECORD_NO_COMMAND);
    if (pp_runs_options_read(&line, &options))
        return PP_EXIT_FAILED;
    if (pp_session_dir_prepare(line.config.output, line.command[0], &dir, why))
        return pp_fail("%s", why);
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : run_once(&line, &dir);
}
