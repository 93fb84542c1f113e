/** @file
 * `passprobe record`: run an application, write a session directory. */
#include <stdio.h>

#include "cli/commands/commands.h"
#include "cli/commands/record_runs_for.h"
#include "cli/commands/record_tell.h"
#include "cli/commands/repeated.h"
#include "cli/launch/run.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

static const struct pp_option rows[] = {PP_RECORD_ROWS(struct pp_run_given)};
static const struct pp_command_options own = {
    .name = "record", .usage = PP_TEXT_USAGE_RECORD, .of = {{rows, PP_ARRAY_SIZE(rows), NULL}}};

/* Run CMD several times. @return Exit status. */
static int
run_repeatedly(const struct pp_command_line *line, const struct pp_runs_options *options,
               struct pp_session_dir *dir)
{
    struct pp_repeated_runs repeated = {.closing_line = true, .figures = options->until > 0};
    struct pp_runs_end end;
    pp_repeated_run(&repeated, line, options, dir, &end);
    pp_repeated_finish(&repeated);
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
    pp_record_tell(line, dir, &run, true, &left);
    int status = pp_run_status(line, &run, left.frames);
    return status == 0 && left.discarded ? PP_EXIT_FAILED : status;
}

int
pp_cmd_record(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_runs_options options;
    struct pp_session_dir dir;
    char why[PP_SESSION_DIR_WHY];
    if (pp_command_line_parse(&line, &own, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return 0;
    if (!line.command[0])
        return pp_fail(PP_TEXT_RECORD_NO_COMMAND);
    if (pp_runs_options_read(&line, "repeat", &options))
        return PP_EXIT_FAILED;
    if (line.own.runs_for)
        return pp_record_runs_for(&line, &options);
    if (pp_session_dir_prepare(line.config.output, line.command[0], &dir, why))
        return pp_fail("%s", why);
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : run_once(&line, &dir);
}
