/** @file
 * See diff.h. */
#include "cli/commands/diff.h"
#include "cli/operands/operands.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/compare/limit_check.h"
#include "cli/compare/run.h"
#include "cli/compare/trend.h"
#include "cli/html/html_page.h"
#include "cli/json/diff_json.h"
#include "cli/options/options.h"
#include "cli/print/diff.h"
#include "cli/print/runs.h"
#include "cli/push/push_url.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Version of docs/formats/trend.schema.json. */
#define TREND_SCHEMA 1

static json_t *
points_json(const struct pp_trend_points *points)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < points->len; i++) {
        json_t *point = json_object();
        pp_json_put_text(point, "session", points->point[i].name);
        pp_json_put_text(point, "start", points->point[i].runs.run[0].start);
        pp_json_put_number(point, "runs", (double)points->point[i].runs.runs);
        pp_json_append(ret, point);
    }
    return ret;
}

static json_t *
left_out_json(const struct pp_trend_points *points)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < points->left; i++) {
        json_t *out = json_object();
        pp_json_put_text(out, "session", points->left_out[i].name);
        pp_json_put_text(out, "reason", points->left_out[i].reason);
        pp_json_append(ret, out);
    }
    return ret;
}

static json_t *
change_json(const struct pp_trend *trend, const struct pp_trend_series *series,
            const struct pp_change_point *change)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "since", trend->points.point[change->index].name);
    pp_json_put_number(ret, "index", (double)change->index);
    pp_json_put_text(ret, "point_before", trend->points.point[pp_trend_point_before(series, change)].name);
    pp_json_put_number(ret, "first_suspect", (double)change->first);
    pp_json_put_number(ret, "last_suspect", (double)change->last);
    pp_json_put_number(ret, "from", (double)change->from);
    pp_json_put_number(ret, "to", (double)change->to);
    pp_json_put_number(ret, "old", change->before);
    pp_json_put_number(ret, "new", change->after);
    pp_json_put_number(ret, "percent", 100 * change->change);
    pp_json_put_number(ret, "p", change->p);
    return ret;
}

static json_t *
series_json(const struct pp_trend *trend, const struct pp_trend_series *series)
{
    json_t *ret = json_object(), *values = json_array(), *changes = json_array();
    pp_json_put_text(ret, "kind",
                     series->kind == PP_DIFF_PASS      ? "pass"
                     : series->kind == PP_DIFF_COUNTER ? "counter"
                                                       : "frame");
    pp_json_put_text(ret, "name", series->name);
    pp_json_put_text(ret, "id", series->id);
    pp_json_put_text(ret, "unit", series->unit == PP_DIFF_NS ? "ns" : "");
    pp_json_put_text(ret, "stat", pp_diff_stat_name(series->stat));
    for (size_t i = 0; i < trend->points.len; i++)
        pp_json_append(values, pp_json_number(series->value[i]));
    for (size_t i = 0; i < series->changes; i++)
        pp_json_append(changes, change_json(trend, series, &series->change[i]));
    pp_json_put(ret, "values", values);
    pp_json_put(ret, "changes", changes);
    return ret;
}

/* Make the JSON. @return A new reference; NULL: no memory. */
static json_t *
trend_json_make(const struct pp_trend *trend, const struct pp_diff_options *options)
{
    json_t *ret = json_object(), *series = json_array();
    pp_json_put_text(ret, "format", "passprobe-trend");
    pp_json_put_number(ret, "schema", TREND_SCHEMA);
    pp_json_put_number(ret, "threshold_percent", 100 * options->threshold);
    pp_json_put_number(ret, "p_most", pp_change_points_rule_usual.p);
    pp_json_put_text(ret, "stat", pp_diff_stat_name(trend->stat.stat));
    pp_json_put_number(ret, "p50_spread_percent", 100 * trend->stat.p50_spread);
    pp_json_put_number(ret, "p5_spread_percent", 100 * trend->stat.p5_spread);
    pp_json_put(ret, "points", points_json(&trend->points));
    pp_json_put(ret, "left_out", left_out_json(&trend->points));
    for (size_t i = 0; i < trend->len; i++)
        pp_json_append(series, series_json(trend, &trend->series[i]));
    pp_json_put(ret, "series", series);
    return ret;
}

/* Is a regular file at @p path, and at @p other the same one? */
static bool
is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && S_ISREG(a.st_mode) && stat(other, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Is the file one of the sides? */
static bool
is_side(const struct pp_diff_command *command, const char *name)
{
    for (size_t i = 0; i < command->olds; i++)
        if (is_same_file(name, command->old_path[i]))
            return true;
    for (size_t i = 0; i < command->news; i++)
        if (is_same_file(name, command->new_path[i]))
            return true;
    return false;
}

/* Do two options name one file? */
static bool
is_other_form(const struct pp_diff_command *command, const char *name)
{
    const char *const file[] = {command->markdown, command->junit, command->html};
    size_t found = 0;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++)
        found += file[i] && (strcmp(file[i], name) == 0 || is_same_file(name, file[i]));
    return found > 1;
}

/* Why a file must not be written: it is a side of the comparison, a summary, a file in a session, or the
 * file of another form. @param name As given; not "-". @return A text for a message; NULL: it may be written.
 */
static const char *
diff_file_taken(const struct pp_diff_command *command, const char *name)
{
    FILE *summary = pp_run_file_open(name);
    if (summary)
        fclose(summary);
    if (summary || is_side(command, name) || is_other_form(command, name))
        return PP_TEXT_DIFF_TAKEN;
    return pp_output_file_taken(name);
}

/* Can a file be made, or written if it is there? @retval 0, -errno. */
static int
is_writable(const char *name)
{
    struct stat st;
    if (stat(name, &st) == 0)
        return S_ISDIR(st.st_mode) ? -EISDIR : faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) ? -errno : 0;
    int fd = pp_output_folder_open(name);
    if (fd < 0)
        return fd;
    int rc = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
    close(fd);
    return rc;
}

int
pp_diff_files_check(const struct pp_diff_command *command)
{
    const char *const file[] = {command->markdown, command->junit, command->html};
    struct stat st;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++) {
        if (!file[i] || strcmp(file[i], "-") == 0)
            continue;
        const char *taken = diff_file_taken(command, file[i]);
        int rc = is_writable(file[i]);
        if (!taken && rc == 0 && file[i] == command->html && lstat(file[i], &st) == 0 && !S_ISREG(st.st_mode))
            rc = -EEXIST;
        if (taken)
            return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file[i], taken);
        if (rc)
            return pp_output_file_error(file[i], rc);
    }
    return 0;
}

/* Write a trend. @retval 0, -errno. */
static int
write_trend(const struct pp_trend *trend, const struct pp_diff_command *command)
{
    if (!command->json) {
        const struct pp_diff_look look = {.all = command->all, .most = command->entries};
        pp_trend_print(stdout, trend, command->how.threshold, &look);
        return fflush(stdout) ? -errno : 0;
    }
    json_t *json = trend_json_make(trend, &command->how);
    int rc = pp_json_write(stdout, json);
    json_decref(json);
    return rc;
}

/* Read the points, find their changes, write them. @return Exit status. */
static int
diff_trend(const struct pp_diff_command *command)
{
    struct pp_trend trend = {.len = 0};
    char why[PP_RUN_WHY] = "";
    int status = 0;
    if (pp_trend_points_read(command->old_path, command->olds, &command->window, &trend.points, why))
        status = pp_fail("%s", why);
    else if (pp_trend_make(&trend, &command->how))
        status = pp_fail(PP_TEXT_OUT_OF_MEMORY);
    else if (command->how.metric && !trend.len)
        status = pp_fail(PP_FORMAT_DIFF_METRIC, command->how.metric);
    if (!status) {
        int rc = write_trend(&trend, command);
        status = rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
    }
    pp_trend_finish(&trend);
    return status;
}

/* Exit statuses, as those of diff(1). */
enum { EXIT_SAME = 0, EXIT_SLOWER = 1, EXIT_INCOMPARABLE = 2 };

/* A comparison that is written. */
struct output {
    struct pp_diff_report report;
    const struct pp_diff_command *command;
};

/* Writes a comparison in one form. @retval 0, -errno. */
typedef int write_form(const struct output *output, FILE *out);

static int
write_json(const struct output *output, FILE *out)
{
    json_t *json = pp_diff_json_make(output->report.diff, output->report.checks, false);
    int rc = pp_json_write(out, json);
    json_decref(json);
    return rc;
}

static int
write_markdown(const struct output *output, FILE *out)
{
    pp_diff_markdown_write(out, &output->report);
    return 0;
}

static int
write_junit(const struct output *output, FILE *out)
{
    pp_diff_junit_write(out, &output->report);
    return 0;
}

static int
write_text(const struct output *output, FILE *out)
{
    const struct pp_diff_look look = {.all = output->command->all, .most = output->command->entries};
    if (output->report.refused)
        return 0;
    pp_diff_print(out, output->report.diff, &look);
    pp_diff_limits_print(out, output->report.checks);
    return 0;
}

/* Write to a stream, and say what went wrong. @return Exit status. */
static int
write_stream(const struct output *output, write_form *form, FILE *out, const char *name)
{
    int rc = form(output, out);
    errno = 0;
    if (rc == 0 && (fflush(out) || ferror(out)))
        rc = errno ? -errno : -EIO;
    if (rc && name)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(-rc));
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
}

/* Write to a file, or "-": not here. @return Exit status. */
static int
write_file(const struct output *output, write_form *form, const char *name)
{
    if (!name || strcmp(name, "-") == 0)
        return 0;
    const char *taken = diff_file_taken(output->command, name);
    if (taken)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, taken);
    FILE *out = fopen(name, "we");
    if (!out)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(errno));
    int status = write_stream(output, form, out, name);
    if (fclose(out) && status == 0)
        status = pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(errno));
    return status;
}

static int
write_page(FILE *out, const void *data)
{
    return pp_html_compare_write(out, data);
}

/* Write a page of sides that are comparable. @return Exit status. */
static int
write_html(const struct output *output, const char *name)
{
    json_t *data = NULL;
    if (!name || output->report.refused)
        return 0;
    int rc =
        pp_html_compare_make(output->report.diff, output->report.checks, &output->command->window, &data);
    int status = rc ? pp_output_file_error(name, rc) : pp_output_file_write(name, write_page, data);
    json_decref(data);
    return status;
}

static bool
is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* Write all that is wanted. @return Exit status. */
static int
write_all(const struct output *output)
{
    const struct pp_diff_command *command = output->command;
    write_form *form = command->json                  ? write_json
                       : is_stdout(command->markdown) ? write_markdown
                       : is_stdout(command->junit)    ? write_junit
                                                      : write_text;
    int status = write_stream(output, form, stdout, NULL);
    status = status ? status : write_file(output, write_markdown, command->markdown);
    status = status ? status : write_file(output, write_junit, command->junit);
    return status ? status : write_html(output, command->html);
}

/* What the limits say; without limits, whether anything is slower. @return Exit status. */
static int
judge(const struct output *output)
{
    bool strict = output->command->strict;
    if (output->report.refused) {
        pp_diff_print_refusal(output->report.diff);
        return EXIT_INCOMPARABLE;
    }
    if (output->report.checks->blunt)
        pp_message(PP_FORMAT_DIFF_FAIL_BLUNT, output->report.checks->blunt);
    if (output->report.checks->limits == 0) {
        if (pp_diff_slower(output->report.diff))
            return EXIT_SLOWER;
        return pp_diff_print_unclear(output->report.diff) && strict ? EXIT_SLOWER : EXIT_SAME;
    }
    pp_diff_limits_warn(output->report.checks);
    switch (pp_limit_worst(output->report.checks)) {
    case PP_LIMIT_FAILED:
        return EXIT_SLOWER;
    case PP_LIMIT_UNCLEAR:
        return strict ? EXIT_SLOWER : EXIT_SAME;
    case PP_LIMIT_NOTHING:
        return EXIT_INCOMPARABLE;
    case PP_LIMIT_PASSED:
        break;
    }
    return EXIT_SAME;
}

/* Write a comparison: as text, JSON, Markdown, JUnit XML or a web page. @return See pp_diff_run(). */
static int
write_output(struct pp_diff *diff, const struct pp_diff_command *command)
{
    struct pp_limit_checks checks;
    const struct output output = {.report = {.diff = diff,
                                             .checks = &checks,
                                             .refused = diff->incomparable && !command->force,
                                             .strict = command->strict},
                                  .command = command};
    int rc = pp_limit_check(command->limit, command->limits, diff, &checks);
    rc = rc ? rc : pp_limit_find_blunt(&checks, diff, command->blunt_most);
    int status = rc ? pp_fail(PP_TEXT_OUT_OF_MEMORY) : write_all(&output);
    status = status ? status : judge(&output);
    if (status == EXIT_SAME && checks.blunt && !output.report.refused)
        status = EXIT_SLOWER;
    pp_limit_checks_finish(&checks);
    return status;
}

/* There is no comparison, because a side could not be read or has nothing of what is compared: say so in the
 * files that were asked for, and on stderr. @return Exit status.
 */
static int
diff_output_not_compared(const struct pp_diff_command *command, const char *why)
{
    const struct output output = {.report.why = why, .command = command};
    const bool stdout_markdown = is_stdout(command->markdown), stdout_junit = is_stdout(command->junit);
    if (stdout_markdown || stdout_junit)
        (void)write_stream(&output, stdout_markdown ? write_markdown : write_junit, stdout, NULL);
    (void)write_file(&output, write_markdown, command->markdown);
    (void)write_file(&output, write_junit, command->junit);
    return pp_fail(PP_FORMAT_DIFF_NOT_COMPARED, why);
}

/* Read the runs of a side. @return Exit status. */
static int
read_side(struct pp_diff_side *side, char *const *path, size_t paths, const struct pp_diff_command *command)
{
    char why[PP_RUN_WHY];
    for (size_t i = 0; i < paths; i++)
        if (pp_diff_side_read(side, path[i], &command->window, why))
            return diff_output_not_compared(command, why);
    return 0;
}

/* Compare, and print. @return Exit status. */
static int
compare(const struct pp_diff_side *olds, const struct pp_diff_side *news,
        const struct pp_diff_command *command)
{
    struct pp_diff diff;
    char why[PP_RUN_WHY];
    int status = 0;
    if (pp_diff_make(olds, news, &command->how, &diff)) {
        status = diff_output_not_compared(command, PP_TEXT_OUT_OF_MEMORY);
    } else if (command->how.metric && !pp_diff_has_metric(&diff)) {
        snprintf(why, sizeof(why), PP_FORMAT_DIFF_METRIC, command->how.metric);
        status = diff_output_not_compared(command, why);
    } else {
        status = write_output(&diff, command);
    }
    pp_diff_finish(&diff);
    return status;
}

/* Would the password go to one of these sides without encryption? */
static bool
is_plain(char *const *path, size_t paths)
{
    struct pp_push_url url;
    const char *why = NULL;
    for (size_t i = 0; i < paths; i++)
        if (pp_push_is_url(path[i]) && pp_push_url_read(path[i], &url, &why) == 0 &&
            pp_push_url_is_plain(&url))
            return true;
    return false;
}

/* Warn, as push does, of a password that others on the network can read. */
static void
warn_of_plain(const struct pp_diff_command *command)
{
    const char *password = getenv("PASSPROBE_PUSH_PASSWORD");
    if (password && *password &&
        (is_plain(command->old_path, command->olds) || is_plain(command->new_path, command->news)))
        pp_message("%s", PP_TEXT_PUSH_PLAIN);
}

/* Read a time with its unit; milliseconds without one. @param ret Nanoseconds. */
static bool
read_time(const char *text, double *ret)
{
    static const struct {
        const char *name;
        double ns;
    } unit[] = {{"", 1e6}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double value = 0;
    const char *given = NULL;
    if (!pp_limit_number(text, &value, &given))
        return false;
    given += strspn(given, " ");
    for (size_t i = 0; i < PP_ARRAY_SIZE(unit); i++) {
        if (strcmp(given, unit[i].name) == 0) {
            *ret = value * unit[i].ns;
            return true;
        }
    }
    return false;
}

/* Append a limit. @return 0, PP_EXIT_FAILED. */
static int
take_limit(struct pp_diff_command *command, const char *text)
{
    struct pp_limit_error error = {.column = 0};
    int rc = pp_limit_parse(text, &command->limit[command->limits], &error);
    if (rc)
        return rc == -ENOMEM
                   ? pp_fail(PP_TEXT_OUT_OF_MEMORY)
                   : pp_fail(PP_FORMAT_EVENT_BAD, "--fail-above", text, error.column, error.message);
    command->limits++;
    return 0;
}

/* Is at most one of the outputs stdout? */
static bool
outputs_fit(const struct pp_diff_command *command)
{
    bool markdown = command->markdown && strcmp(command->markdown, "-") == 0;
    bool junit = command->junit && strcmp(command->junit, "-") == 0;
    return command->json + markdown + junit <= 1;
}

int
pp_diff_command_check(struct pp_diff_command *command)
{
    struct pp_frame_window window;
    int status = 0;
    command->entries = command->entries ? command->entries : SIZE_MAX;
    command->how.choose_stat = !command->stat_given;
    command->how.threshold = command->threshold_percent / 100;
    command->how.equivalence = command->equivalence_percent / 100;
    command->blunt_most = command->fail_blunt_given ? command->fail_blunt_percent / 100 : (double)NAN;
    if (command->min_time && !read_time(command->min_time, &command->how.min_ns))
        return pp_fail(PP_FORMAT_OPTION_VALUE, "min-time", command->min_time, PP_TEXT_DIFF_MIN_TIME);
    for (size_t i = 0; i < command->fail_above.len && status == 0; i++)
        status = take_limit(command, command->fail_above.value[i]);
    const char *wrong = pp_frame_window_parse(&command->window, &window);
    if (status == 0 && wrong)
        status = pp_window_error_value(&command->window, wrong);
    return status == 0 && !outputs_fit(command) ? pp_fail(PP_TEXT_DIFF_ONE_OUTPUT) : status;
}

void
pp_diff_command_finish(struct pp_diff_command *command)
{
    for (size_t i = 0; i < command->limits; i++)
        pp_limit_finish(&command->limit[i]);
    command->limits = 0;
}

/* The first word after "--" that begins as an option and names no file; NULL: there is none. getopt stops
 * there. */
static const char *
late_option(char *const *path, size_t paths)
{
    for (size_t i = 0; i < paths; i++)
        if (strncmp(path[i], "--", 2) == 0 && access(path[i], F_OK))
            return path[i];
    return NULL;
}

/* Find the sides among the words: "OLD NEW", or "OLD... -- NEW...". @param words In front of "--", which
 * getopt stops at. */
static int
find_sides(struct pp_diff_command *command, int argc, char **argv, int first, int dashes)
{
    if (dashes < 0 && argc - first == 2)
        dashes = first + 1; /* the second word begins the new side */
    else if (dashes < 0 || dashes == first || dashes + 1 == argc)
        return pp_fail(PP_TEXT_DIFF_SIDES);
    bool separate = strcmp(argv[dashes], "--") == 0;
    command->old_path = &argv[first];
    command->olds = (size_t)(dashes - first);
    command->new_path = &argv[dashes + separate];
    command->news = (size_t)(argc - dashes - separate);
    const char *late = late_option(command->new_path, command->news);
    return late ? pp_fail(PP_FORMAT_DIFF_LATE_OPTION, late, late) : 0;
}

/* Take the points of --trend. */
static int
find_points(struct pp_diff_command *command, const struct pp_given_options *options, bool dashes)
{
    if (!options->words || dashes)
        return pp_fail(PP_TEXT_TREND_PATHS);
    command->old_path = options->word;
    command->olds = (size_t)options->words;
    return 0;
}

/* The first "--" among the words; -1: there is none. */
static int
find_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return -1;
}

int
pp_diff_run(const struct pp_diff_command *command)
{
    struct pp_diff_side olds = {.runs = 0}, news = {.runs = 0};
    int status = pp_diff_files_check(command);
    status = status ? status : read_side(&olds, command->old_path, command->olds, command);
    status = status ? status : read_side(&news, command->new_path, command->news, command);
    status = status ? status : compare(&olds, &news, command);
    pp_diff_side_finish(&olds);
    pp_diff_side_finish(&news);
    return status;
}

int
pp_cmd_diff(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_DIFF_ROWS(struct pp_diff_command)};
    struct pp_diff_command command = {.how = pp_diff_options_usual};
    const struct pp_command_options own = {
        .name = "diff", .usage = PP_TEXT_USAGE_DIFF, .of = {{rows, PP_ARRAY_SIZE(rows), &command}}};
    struct pp_given_options options;
    int dashes = find_dashes(argc, argv);
    int read = pp_options_read(&own, dashes < 0 ? argc : dashes, argv, &options);
    if (read)
        return read < 0 ? pp_fail("%s", options.error) : 0;
    int status = pp_diff_command_check(&command);
    if (status == 0)
        status = command.trend ? find_points(&command, &options, dashes >= 0)
                               : find_sides(&command, argc, argv, (int)(options.word - argv), dashes);
    if (status == 0) {
        warn_of_plain(&command);
        status = command.trend ? diff_trend(&command) : pp_diff_run(&command);
    }
    pp_diff_command_finish(&command);
    return status;
}
