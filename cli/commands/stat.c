/** @file
 * `passprobe stat`: runs an application, and prints a summary to stderr at exit.
 * docs/formats/runs.schema.json describes the JSON of repeated runs. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_summary.h"
#include "cli/compare/spread.h"
#include "cli/launch/run.h"
#include "cli/print/report.h"
#include "cli/print/runs.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Version of the format. It rises when a member is added. */
#define PP_SPREAD_JSON_SCHEMA 1

static json_t *
between_json(const struct pp_run_spread *between)
{
    json_t *ret = json_object();
    pp_json_put_number(ret, "runs", (double)between->runs);
    pp_json_put_number(ret, "mean", between->mean);
    pp_json_put_number(ret, "least", between->least);
    pp_json_put_number(ret, "most", between->most);
    pp_json_put_number(ret, "deviation", between->deviation);
    pp_json_put_number(ret, "half_95_percent", between->half);
    return ret;
}

static json_t *
row_json(const struct pp_runs_spread *spread, const struct pp_runs_spread_row *row)
{
    static const char *const kind[] = {[PP_SPREAD_FPS] = "fps",
                                       [PP_SPREAD_TIME] = "time",
                                       [PP_SPREAD_PASS] = "pass",
                                       [PP_SPREAD_COUNTER] = "counter"};
    bool is_time = row->kind == PP_SPREAD_TIME || row->kind == PP_SPREAD_PASS;
    json_t *ret = json_object();
    json_t *values = json_array();
    pp_json_put_text(ret, "kind", kind[row->kind]);
    pp_json_put_text(ret, "name", row->name);
    if (row->kind == PP_SPREAD_PASS) {
        pp_json_put_text(ret, "label", row->label);
        pp_json_put_text(ret, "pass_id", row->id);
    }
    pp_json_put(ret, "unit", is_time ? json_string("ns") : json_null());
    pp_json_put_text(ret, "of_a_run", "mean");
    for (size_t i = 0; i < spread->runs; i++)
        pp_json_append(values, pp_json_number(row->value[i]));
    pp_json_put(ret, "values", values);
    pp_json_put(ret, "between_runs", between_json(&row->between));
    if (is_time) {
        json_t *within = json_object();
        pp_json_put_number(within, "p50", row->p50);
        pp_json_put_number(within, "p95", row->p95);
        pp_json_put_number(within, "p99", row->p99);
        pp_json_put(ret, "within_a_run", within);
    }
    return ret;
}

/* Make the JSON: the figures of all runs, and the report of each run. @param folder Path of the runs.
 * @return A new reference; NULL: no memory. */
static json_t *
runs_spread_json_make(const struct pp_runs_spread *spread, const char *folder)
{
    json_t *ret = json_object();
    json_t *rows = json_array();
    json_t *reports = json_array();
    pp_json_put_text(ret, "format", "passprobe-runs");
    pp_json_put_number(ret, "schema", PP_SPREAD_JSON_SCHEMA);
    pp_json_put_text(ret, "folder", folder);
    for (size_t i = 0; i < spread->len; i++)
        pp_json_append(rows, row_json(spread, &spread->row[i]));
    pp_json_put(ret, "figures", rows);
    for (size_t i = 0; i < spread->runs; i++)
        (void)!json_array_append(reports, spread->run[i].json);
    pp_json_put(ret, "reports", reports);
    return ret;
}

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
        pp_run_json_write(line, runs_spread_json_make(&spread, folder));
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
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : pp_run_once(&line, &dir, true);
}
