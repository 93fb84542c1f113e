/** @file
 * See run_summary.h. */
#include "cli/commands/run_summary.h"

#include <errno.h>
#include <string.h>

#include "cli/commands/keep_symbols.h"
#include "cli/commands/shown_session.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/print/format.h"
#include "cli/print/gaps.h"
#include "cli/print/message.h"
#include "cli/print/summary.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

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
