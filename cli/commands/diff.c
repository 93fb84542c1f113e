/** @file
 * `passprobe diff`: what changed between sessions. */
#include "cli/commands/diff.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/diff_files.h"
#include "cli/commands/diff_output.h"
#include "cli/commands/diff_trend.h"
#include "cli/commands/shown_session.h"
#include "cli/compare/diff.h"
#include "cli/options/options.h"
#include "cli/print/message.h"
#include "cli/push/push_url.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Read the runs of a side. @return Exit status. */
static int
read_side(struct pp_diff_side *side, char *const *path, size_t paths, const struct pp_diff_command *command)
{
    char why[PP_RUN_WHY];
    for (size_t i = 0; i < paths; i++)
        if (pp_diff_side_read(side, path[i], &command->window, why))
            return pp_diff_output_not_compared(command, why);
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
        status = pp_diff_output_not_compared(command, PP_TEXT_COMMAND_MEMORY);
    } else if (command->how.metric && !pp_diff_has_metric(&diff)) {
        snprintf(why, sizeof(why), PP_FORMAT_DIFF_METRIC, command->how.metric);
        status = pp_diff_output_not_compared(command, why);
    } else {
        status = pp_diff_output(&diff, command);
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
                   ? pp_fail(PP_TEXT_COMMAND_MEMORY)
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
    if (pp_options_read(&own, dashes < 0 ? argc : dashes, argv, &options))
        return pp_fail("%s", options.error);
    if (options.help)
        return 0;
    int status = pp_diff_command_check(&command);
    if (status == 0)
        status = command.trend ? find_points(&command, &options, dashes >= 0)
                               : find_sides(&command, argc, argv, (int)(options.word - argv), dashes);
    if (status == 0) {
        warn_of_plain(&command);
        status = command.trend ? pp_diff_trend(&command) : pp_diff_run(&command);
    }
    pp_diff_command_finish(&command);
    return status;
}
