/** @file
 * `passprobe stat`: run an application, print a summary to stderr at exit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/keep_symbols.h"
#include "cli/commands/repeated.h"
#include "cli/compare/spread.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/json/spread_json.h"
#include "cli/launch/run.h"
#include "cli/print/damage.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/spread.h"
#include "cli/print/summary.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

static int
usage(void)
{
    puts(PP_TEXT_USAGE_STAT);
    pp_command_line_help("stat");
    return 0;
}

/* Make the session directory. If the default directory cannot be used, a temporary one replaces it; a
 * directory that the user chose is never replaced. */
static int
prepare(const struct pp_command_line *line, struct pp_session_dir *dir)
{
    char why[PP_SESSION_DIR_WHY];
    struct pp_config defaults;
    pp_config_init(&defaults);
    int rc = pp_session_dir_prepare(line->config.output, line->command[0], dir, why);
    if (rc == 0)
        return 0;
    if (strcmp(line->config.output, defaults.output) != 0) {
        pp_message("%s", why);
        return rc;
    }
    rc = pp_session_dir_temporary(dir);
    if (rc)
        pp_message(PP_FORMAT_STAT_NO_DIRECTORY, why, strerror(-rc));
    else
        pp_message(PP_FORMAT_STAT_TEMPORARY, why, dir->path);
    return rc;
}

/* Open the file of --summary. @return stderr: there is none, or it cannot be written, which is reported. */
static FILE *
open_summary(const struct pp_command_line *line)
{
    const char *path = pp_command_line_own(line, "summary");
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out)
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, path, strerror(errno));
    return out ? out : stderr;
}

/* Close what open_summary() returned. */
static void
close_summary(const struct pp_command_line *line, FILE *out)
{
    if (out != stderr && fclose(out))
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, pp_command_line_own(line, "summary"), strerror(errno));
}

/* Print the summary to stderr, or to the file of --summary. */
static void
print_summary(const struct pp_command_line *line, struct pp_saved_session *rec,
              const struct pp_summary_look *look)
{
    FILE *out = open_summary(line);
    pp_summary_print(out, rec, look);
    close_summary(line, out);
}

/* Write the JSON file of --json, if it was asked for. @param json Its reference is taken; NULL: no memory. */
static void
write_json(const struct pp_command_line *line, json_t *json)
{
    const char *path = pp_command_line_own(line, "json");
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    int rc = out ? pp_json_write(out, json) : -errno;
    if (out && out != stdout && fclose(out) && rc == 0)
        rc = -errno;
    if (rc)
        pp_message(PP_FORMAT_FILE_NOT_WRITTEN, path, strerror(-rc));
    json_decref(json);
}

/* Print the summary of CMD's session, or why there is none. */
static struct pp_runs_left
print(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run)
{
    char command[256];
    char ending[PP_ENDING_MAX];
    struct pp_runs_left left = {.frames = 0};
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    pp_format_short_command(command, sizeof(command), PP_SUMMARY_TITLE_COLUMNS,
                            (const char **)(uintptr_t)line->command);
    pp_session_dir_find(dir, run->start_s, &sessions);
    pp_run_print_killed(run, command);
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
        pp_damage_print(&rec, sessions.by_frames[0].path);
        const struct pp_summary_look look = {.command = command,
                                             .dir = sessions.by_frames[0].path,
                                             .end = pp_run_ending(ending, run, command, &rec),
                                             .verbose = line->config.verbosity > 0};
        print_summary(line, &rec, &look);
        if (pp_command_line_own(line, "json"))
            write_json(line, pp_report_json_make(&rec, sessions.by_frames[0].path,
                                                 &(struct pp_view){.fold = false}));
        pp_run_print_others(&sessions);
        left.discarded = pp_run_print_discarded(line, &rec);
        if (!left.discarded)
            pp_run_print_window(&rec);
        if (line->config.verbosity >= 0)
            pp_run_print_previous(dir);
    }
    left.frames = rc == 0 ? rec.frames : 0;
    if (rc == 0)
        pp_saved_finish(&rec);
    pp_sessions_finish(&sessions);
    return left;
}

/* Print what repeated runs say together. */
static void
print_spread(const struct pp_command_line *line, const struct pp_diff_side *side, const char *folder)
{
    char command[256];
    struct pp_runs_spread spread;
    if (pp_runs_spread_make(side->run, side->runs, &spread)) {
        pp_message(PP_TEXT_COMMAND_MEMORY);
        return;
    }
    pp_format_short_command(command, sizeof(command), PP_SUMMARY_TITLE_COLUMNS,
                            (const char **)(uintptr_t)line->command);
    const struct pp_runs_spread_look look = {
        .command = command, .folder = folder, .verbose = line->config.verbosity > 0};
    FILE *out = open_summary(line);
    pp_runs_spread_print(out, &spread, &look);
    close_summary(line, out);
    if (pp_command_line_own(line, "json"))
        write_json(line, pp_runs_spread_json_make(&spread, folder));
    pp_runs_spread_finish(&spread);
}

/* Run CMD several times. @return Exit status. */
static int
run_repeatedly(const struct pp_command_line *line, const struct pp_runs_options *options,
               struct pp_session_dir *dir)
{
    struct pp_repeated_runs repeated = {.figures = true};
    struct pp_runs_end end;
    pp_repeated_run(&repeated, line, options, dir, &end);
    if (repeated.side.runs)
        print_spread(line, &repeated.side, dir->path);
    if (line->config.verbosity >= 0)
        pp_run_print_previous(dir);
    pp_repeated_finish(&repeated);
    return end.status;
}

/* Run CMD once. @return Exit status. */
static int
run_once(const struct pp_command_line *line, struct pp_session_dir *dir)
{
    struct pp_run run;
    if (pp_run_profiled(line, dir, &run)) {
        pp_session_dir_drop_empty(dir);
        return PP_EXIT_FAILED;
    }
    if (run.exec_errno) {
        pp_session_dir_drop_empty(dir);
        return run.exit_status;
    }
    const struct pp_runs_left left = print(line, dir, &run);
    int status = pp_run_status(line, &run, left.frames);
    return status == 0 && left.discarded ? PP_EXIT_FAILED : status;
}

int
pp_cmd_stat(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_session_dir dir;
    struct pp_runs_options options;
    if (pp_command_line_parse(&line, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return usage();
    if (!line.command[0])
        return pp_fail(PP_TEXT_STAT_NO_COMMAND);
    if (pp_runs_options_read(&line, "repeat", 1, &options) || prepare(&line, &dir))
        return PP_EXIT_FAILED;
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : run_once(&line, &dir);
}
