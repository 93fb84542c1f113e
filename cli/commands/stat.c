/** @file
 * `passprobe stat`: run an application, print a summary to stderr at exit. */
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/repeated.h"
#include "cli/commands/run_summary.h"
#include "cli/compare/spread.h"
#include "cli/json/spread_json.h"
#include "cli/launch/run.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/runs.h"
#include "cli/print/summary.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

static const struct pp_option rows[] = {PP_STAT_ROWS(struct pp_run_given)};
static const struct pp_command_options own = {
    .name = "stat", .usage = PP_TEXT_USAGE_STAT, .of = {{rows, PP_ARRAY_SIZE(rows), NULL}}};

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

/* Print what repeated runs say together. */
static void
print_spread(const struct pp_command_line *line, const struct pp_diff_side *side, const char *folder)
{
    char command[256];
    struct pp_runs_spread spread;
    if (pp_runs_spread_make(side->run, side->runs, &spread)) {
        pp_message(PP_TEXT_OUT_OF_MEMORY);
        return;
    }
    pp_format_short_command(command, sizeof(command), PP_SUMMARY_TITLE_COLUMNS,
                            (const char **)(uintptr_t)line->command);
    const struct pp_runs_spread_look look = {
        .command = command, .folder = folder, .verbose = line->config.verbosity > 0};
    FILE *out = pp_summary_file_open(line);
    pp_runs_spread_print(out, &spread, &look);
    pp_summary_file_close(line, out);
    if (line->own.json)
        pp_run_json_write(line, pp_runs_spread_json_make(&spread, folder));
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
    const struct pp_runs_left left = pp_run_summary_tell(line, dir, &run);
    int status = pp_run_status(line, &run, left.frames);
    return status == 0 && left.discarded ? PP_EXIT_FAILED : status;
}

int
pp_cmd_stat(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_session_dir dir;
    struct pp_runs_options options;
    if (pp_command_line_parse(&line, &own, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return 0;
    if (!line.command[0])
        return pp_fail(PP_TEXT_STAT_NO_COMMAND);
    if (pp_runs_options_read(&line, "repeat", &options) || prepare(&line, &dir))
        return PP_EXIT_FAILED;
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : run_once(&line, &dir);
}
