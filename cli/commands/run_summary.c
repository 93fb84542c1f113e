/** @file
 * See run_summary.h. */
#include "cli/commands/run_summary.h"
#include "cli/operands/operands.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/commands/shown_session.h"
#include "cli/compare/spread.h"
#include "cli/json/report_json.h"
#include "cli/print/gaps.h"
#include "cli/print/report.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/symbols/session_symbols.h"
#include "cli/symbols/symbols_file.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "pp_texts.h"

/* Find and write the symbols of one session. @retval 0, -errno. @param why PP_CALL_STACKS_WHY bytes. */
static int
keep(int dir_fd, char *why)
{
    char unused[256];
    bool missing = false;
    struct pp_call_stacks stacks = {.modules = 0};
    struct pp_saved_session rec = {.dir_fd = dir_fd};
    rec.json = pp_saved_load_json(dir_fd, unused, sizeof(unused), &missing);
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(&rec)};
    int rc = pp_session_symbols_read(&rec, &places, &stacks, why);
    if (rc == 0) {
        rc = pp_symbols_write(dir_fd, &stacks);
        snprintf(why, PP_CALL_STACKS_WHY, "%s", strerror(-rc));
        pp_call_stacks_finish(&stacks);
    }
    json_decref(rec.json);
    return rc == -ENOENT ? 0 : rc;
}

void
pp_keep_symbols(const struct pp_command_line *line, const struct pp_sessions *sessions)
{
    char why[PP_CALL_STACKS_WHY];
    if (line->config.symbols == PP_RECORD_SYMBOLS_LATER)
        return;
    for (size_t i = 0; i < sessions->found && i < PP_SESSIONS_NAMED; i++)
        if (sessions->by_frames[i].fd >= 0 && keep(sessions->by_frames[i].fd, why))
            pp_message(PP_FORMAT_SYMBOLS_NOT_KEPT, sessions->by_frames[i].path, why);
}

/* Print which data the files lack although the user asked for it. */
static void
print_losses(const struct pp_saved_session *rec)
{
    char losses[PP_LOSSES_MAX][PP_LOSS_TEXT];
    size_t lost = pp_losses_list(rec, false, losses);
    bool hint = json_number_value(pp_saved_json(rec, "dropped.frames")) > 0;
    for (size_t i = 0; i < lost; i++)
        pp_message("%s%s", losses[i], hint && i == 0 ? PP_TEXT_RECORD_DROPPED : "");
}

/* Print why the run left no frame. @param rec What was read of its session; NULL: nothing. */
static void
tell_no_frame(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
              const char *command, const struct pp_saved_session *rec)
{
    if (pp_run_print_left_behind(dir, command))
        return; /* its session comes later */
    if (!pp_run_print_gone(dir))
        pp_run_explain_no_data(line, run, command, rec);
    pp_session_dir_drop_empty(dir);
}

/* Print what the session has, and what it lacks. */
static void
tell_frames(const struct pp_session_dir *dir, const struct pp_sessions *sessions,
            const struct pp_saved_session *rec, bool closing_line, bool discarded)
{
    const char *stopped = NULL;
    if (closing_line)
        pp_print(stderr, PP_FORMAT_RECORD_DONE "\n", (unsigned long long)rec->frames,
                 pp_format_noun((double)rec->frames, "frame", "frames"), (unsigned long long)rec->passes_rows,
                 pp_format_noun((double)rec->passes_rows, "pass", "passes"), sessions->by_frames[0].path);
    (void)pp_saved_end(rec, &stopped);
    print_losses(rec);
    if (stopped)
        pp_message(PP_FORMAT_RECORD_STOPPED, stopped);
    if (closing_line)
        pp_not_measured_message(rec);
    pp_run_print_others(sessions);
    if (!discarded)
        pp_run_print_window(rec);
    pp_run_print_previous(dir);
}

void
pp_record_tell(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
               bool closing_line, struct pp_runs_left *ret)
{
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    char command[256], operand[PP_SESSION_OPERAND];
    pp_session_dir_find(dir, &sessions);
    const char *path = sessions.by_frames[0].path;
    pp_format_command(command, sizeof(command), line->command);
    pp_run_print_killed(line, run, command);
    pp_keep_symbols(line, &sessions);
    int rc = pp_saved_read_at(sessions.by_frames[0].fd, PP_SAVED_HEADLINES, &rec);
    uint64_t frames = rc == 0 ? rec.frames : 0;
    if (rc == 0)
        rec.operand = pp_session_operand(operand, path);
    bool discarded = rc == 0 && pp_run_print_discarded(line, &rec);
    bool gone = rc == 0 && frames == 0 && pp_run_print_frames_gone(&rec, path);
    if (rc && rc != -ENOENT)
        pp_message(PP_FORMAT_READ_BACK, path, strerror(-rc));
    else if (frames == 0 && !gone) /* if they are gone, the rest of the session is kept */
        tell_no_frame(line, dir, run, command, rc ? NULL : &rec);
    else if (frames && line->config.verbosity >= 0)
        tell_frames(dir, &sessions, &rec, closing_line, discarded);
    if (rc == 0) {
        if (frames)
            pp_damage_print(&rec, path);
        pp_saved_finish(&rec);
    }
    ret->frames = frames;
    ret->discarded = discarded;
    snprintf(ret->session, sizeof(ret->session), "%.255s", pp_base_name(path));
    pp_sessions_finish(&sessions);
}

static void
ended(void *data, const struct pp_runs_ended *run, struct pp_runs_left *ret)
{
    const struct pp_repeated_runs *repeated = data;
    pp_record_tell(run->line, run->dir, run->how, repeated->closing_line, ret);
}

/* Read the figures of a run. @param side Always 0. */
static int
counted(void *data, unsigned side, const char *path)
{
    struct pp_repeated_runs *repeated = data;
    char why[PP_RUN_WHY];
    (void)side;
    if (!repeated->figures)
        return 0;
    int rc = pp_diff_side_read(&repeated->side, path, NULL, why);
    if (rc)
        pp_message("%s", why);
    return rc;
}

/* How well the mean of the frame is known: half of its interval, relative; NaN: not known. */
static double
known(const struct pp_repeated_runs *repeated)
{
    struct pp_runs_spread spread;
    if (!repeated->side.runs || pp_runs_spread_make(repeated->side.run, repeated->side.runs, &spread))
        return NAN;
    double ret = pp_runs_spread_of_frame(&spread);
    pp_runs_spread_finish(&spread);
    return ret;
}

static bool
enough(void *data)
{
    const struct pp_repeated_runs *repeated = data;
    return repeated->until > 0 && known(repeated) <= repeated->until;
}

void
pp_repeated_run(struct pp_repeated_runs *repeated, const struct pp_command_line *line,
                const struct pp_runs_options *options, struct pp_session_dir *dir, struct pp_runs_end *ret)
{
    static const struct pp_runs_ops ops = {.ended = ended, .counted = counted, .enough = enough};
    const struct pp_runs runs = {.options = options, .line = {line}, .sides = 1, .folder = dir};
    repeated->until = options->until;
    pp_runs_run(&runs, &ops, repeated, ret);
    bool complete = ret->status == 0 && !ret->signal;
    if (options->until > 0 && complete && !enough(repeated))
        pp_message(PP_FORMAT_RUNS_NOT_REACHED, ret->used, known(repeated) * 100, options->until * 100);
}

void
pp_repeated_finish(struct pp_repeated_runs *repeated)
{
    pp_diff_side_finish(&repeated->side);
}

#define COMMAND_SIZE 256

FILE *
pp_summary_file_open(const struct pp_command_line *line)
{
    const char *path = line->own.summary;
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out)
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, path, strerror(errno));
    return out ? out : stderr;
}

void
pp_summary_file_close(const struct pp_command_line *line, FILE *out)
{
    if (out != stderr && fclose(out))
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, line->own.summary, strerror(errno));
}

/* The command that ran, as short as it can be. */
static void
short_command(char text[COMMAND_SIZE], const struct pp_command_line *line)
{
    (void)pp_format_short_command(text, COMMAND_SIZE, PP_SUMMARY_TITLE_COLUMNS,
                                  (const char **)(uintptr_t)line->command);
}

/* Print the summary to stderr, or to the file of --summary. */
static void
print_summary(const struct pp_command_line *line, struct pp_saved_session *rec,
              const struct pp_summary_look *look)
{
    FILE *out = pp_summary_file_open(line);
    pp_summary_print(out, rec, look);
    pp_summary_file_close(line, out);
}

void
pp_run_json_write(const struct pp_command_line *line, json_t *json)
{
    const char *path = line->own.json;
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    int rc = out ? pp_json_write(out, json) : -errno;
    if (out && out != stdout && fclose(out) && rc == 0)
        rc = -errno;
    if (rc)
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, path, strerror(-rc));
    json_decref(json);
}

/* Print the summary of a session with frames. @return Were all frames discarded? */
static bool
tell_session(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
             struct pp_saved_session *rec, const struct pp_sessions *sessions)
{
    char command[COMMAND_SIZE], ending[PP_ENDING_MAX], operand[PP_SESSION_OPERAND];
    const char *path = sessions->by_frames[0].path;
    short_command(command, line);
    pp_damage_print(rec, path);
    const struct pp_summary_look look = {.command = command,
                                         .dir = path,
                                         .operand = pp_session_operand(operand, path),
                                         .end = pp_run_ending(ending, run, command, rec),
                                         .verbose = line->config.verbosity > 0};
    print_summary(line, rec, &look);
    if (line->own.json)
        pp_run_json_write(line, pp_report_json_make(rec, path, &(struct pp_view){.fold = false}));
    pp_run_print_others(sessions);
    bool discarded = pp_run_print_discarded(line, rec);
    if (!discarded)
        pp_run_print_window(rec);
    if (line->config.verbosity >= 0)
        pp_run_print_previous(dir);
    return discarded;
}

struct pp_runs_left
pp_run_summary_tell(const struct pp_command_line *line, const struct pp_session_dir *dir,
                    const struct pp_run *run)
{
    char command[COMMAND_SIZE];
    struct pp_runs_left left = {.frames = 0};
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    short_command(command, line);
    pp_session_dir_find(dir, &sessions);
    pp_run_print_killed(line, run, command);
    pp_keep_symbols(line, &sessions);
    if (line->config.verbosity >= 0)
        pp_run_print_reading(sessions.by_frames[0].path);
    int rc = pp_saved_read_at(sessions.by_frames[0].fd, PP_SAVED_WHOLE, &rec);
    if (rc == 0 && pp_run_print_frames_gone(&rec, sessions.by_frames[0].path)) {
        /* the rest of the session is kept */
    } else if (rc == -ENOENT || (rc == 0 && rec.frames == 0)) {
        if (pp_run_print_left_behind(dir, command)) {
            /* its session comes later */
        } else {
            if (!pp_run_print_gone(dir))
                pp_run_explain_no_data(line, run, command, rc ? NULL : &rec);
            pp_session_dir_drop_empty(dir);
        }
    } else if (rc) {
        pp_message(PP_FORMAT_READ_BACK, sessions.by_frames[0].path, strerror(-rc));
    } else {
        left.discarded = tell_session(line, dir, run, &rec, &sessions);
    }
    left.frames = rc == 0 ? rec.frames : 0;
    if (rc == 0)
        pp_saved_finish(&rec);
    pp_sessions_finish(&sessions);
    return left;
}

int
pp_run_once(const struct pp_command_line *line, struct pp_session_dir *dir, bool summary)
{
    struct pp_runs_left left;
    struct pp_run run;
    int rc = pp_run_profiled(line, dir, &run);
    if (rc || run.exec_errno) {
        pp_session_dir_drop_empty(dir);
        return rc ? PP_EXIT_FAILED : run.exit_status;
    }
    if (summary)
        left = pp_run_summary_tell(line, dir, &run);
    else
        pp_record_tell(line, dir, &run, true, &left);
    int status = pp_run_status(line, &run, left.frames);
    return status == 0 && left.discarded ? PP_EXIT_FAILED : status;
}
