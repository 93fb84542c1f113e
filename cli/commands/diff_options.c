/** @file
 * See diff_options.h. */
#include "cli/commands/diff_options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/near_option.h"
#include "cli/commands/report_html.h"
#include "cli/commands/window_error.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

#define FEW_ROWS 20U

/* Options by the letters that getopt_long() returns for them. */
static const struct option longs[] = {{.name = "help", .val = 'h'},
                                      {.name = "metric", .has_arg = required_argument, .val = 'M'},
                                      {.name = "stat", .has_arg = required_argument, .val = 'S'},
                                      {.name = "threshold", .has_arg = required_argument, .val = 't'},
                                      {.name = "equivalence", .has_arg = required_argument, .val = 'q'},
                                      {.name = "min-time", .has_arg = required_argument, .val = 'm'},
                                      {.name = "pairs", .val = 'p'},
                                      {.name = "strict", .val = 's'},
                                      {.name = "trend", .val = 'D'},
                                      {.name = "force", .val = 'f'},
                                      {.name = "all", .val = 'a'},
                                      {.name = "entries", .has_arg = required_argument, .val = 'E'},
                                      {.name = "json", .val = 'J'},
                                      {.name = "html", .has_arg = required_argument, .val = 'H'},
                                      {.name = "fail-above", .has_arg = required_argument, .val = 'L'},
                                      {.name = "fail-blunt", .has_arg = required_argument, .val = 'b'},
                                      {.name = "markdown", .has_arg = required_argument, .val = 'K'},
                                      {.name = "junit", .has_arg = required_argument, .val = 'U'},
                                      {.name = "frames", .has_arg = required_argument, .val = 'A'},
                                      {.name = "time", .has_arg = required_argument, .val = 'T'},
                                      {.name = "between", .has_arg = required_argument, .val = 'B'},
                                      {.name = NULL}};

/* Read a number of 0 or more, and find its unit. @return false: there is none. */
static bool
read_number(const char *text, double *ret, const char **ret_unit)
{
    if (!pp_limit_number(text, ret, ret_unit))
        return false;
    *ret_unit += strspn(*ret_unit, " ");
    return true;
}

/* Read a percentage, with its sign or not. @param ret A share. */
static bool
read_share(const char *text, double *ret)
{
    double percent = 0;
    const char *unit = NULL;
    if (!read_number(text, &percent, &unit) || (*unit && strcmp(unit, "%") != 0) || percent > 1000)
        return false;
    *ret = percent / 100;
    return true;
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
    if (!read_number(text, &value, &given))
        return false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(unit); i++) {
        if (strcmp(given, unit[i].name) == 0) {
            *ret = value * unit[i].ns;
            return true;
        }
    }
    return false;
}

static bool
read_stat(const char *text, enum pp_diff_stat *ret)
{
    for (int stat = 0; stat < PP_DIFF_TOTAL; stat++) {
        if (strcmp(text, pp_diff_stat_name((enum pp_diff_stat)stat)) == 0) {
            *ret = (enum pp_diff_stat)stat;
            return true;
        }
    }
    return false;
}

static bool
read_entries(const char *text, size_t *ret)
{
    char *end = NULL;
    errno = 0;
    unsigned long long rows = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end)
        return false;
    *ret = rows ? (size_t)rows : SIZE_MAX;
    return true;
}

/* Append a limit. @return 0, PP_EXIT_FAILED. */
static int
take_limit(struct pp_diff_command *command, const char *text)
{
    struct pp_limit_error error = {.column = 0};
    if (command->limits == PP_DIFF_LIMITS_MOST)
        return pp_fail(PP_FORMAT_DIFF_LIMITS_MOST, PP_DIFF_LIMITS_MOST);
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

/* Read an option with a value. @return 0, PP_EXIT_FAILED. */
static int
take_value(struct pp_diff_command *command, int answer)
{
    switch (answer) {
    case 'S':
        command->how.choose_stat = false;
        return read_stat(optarg, &command->how.stat) ? 0 : pp_fail(PP_FORMAT_DIFF_VALUE, "stat", optarg);
    case 't':
        return read_share(optarg, &command->how.threshold)
                   ? 0
                   : pp_fail(PP_FORMAT_DIFF_VALUE, "threshold", optarg);
    case 'q':
        return read_share(optarg, &command->how.equivalence)
                   ? 0
                   : pp_fail(PP_FORMAT_DIFF_VALUE, "equivalence", optarg);
    case 'm':
        return read_time(optarg, &command->how.min_ns) ? 0
                                                       : pp_fail(PP_FORMAT_DIFF_VALUE, "min-time", optarg);
    case 'E':
        return read_entries(optarg, &command->entries) ? 0 : pp_fail(PP_FORMAT_REPORT_ENTRIES, optarg);
    case 'L':
        return take_limit(command, optarg);
    case 'b':
        return read_share(optarg, &command->blunt_most) ? 0
                                                        : pp_fail(PP_FORMAT_DIFF_VALUE, "fail-blunt", optarg);
    case 'K':
        command->markdown = optarg;
        return 0;
    case 'U':
        command->junit = optarg;
        return 0;
    case 'H':
        command->html = optarg;
        return pp_report_html_is_name(optarg) ? 0 : pp_fail(PP_FORMAT_REPORT_HTML_NAME, optarg);
    case 'A':
        command->window.frames = optarg;
        return 0;
    case 'T':
        command->window.time = optarg;
        return 0;
    case 'B':
        command->window.between = optarg;
        return 0;
    default:
        command->how.metric = optarg;
        return 0;
    }
}

/* Read an option. @return 0, PP_EXIT_FAILED. */
static int
take_option(struct pp_diff_command *command, int answer, const char *word)
{
    char argument[64];
    switch (answer) {
    case 'h':
        command->help = true;
        return 0;
    case 'J':
        command->json = true;
        return 0;
    case 'a':
        command->all = true;
        return 0;
    case 's':
        command->strict = true;
        return 0;
    case 'f':
        command->force = true;
        return 0;
    case 'p':
        command->how.pairs = true;
        return 0;
    case 'D':
        command->trend = true;
        return 0;
    case ':':
        return pp_fail(PP_FORMAT_NEEDS_ARGUMENT, word,
                       pp_option_argument(longs, optopt, PP_HELP_DIFF, argument, sizeof(argument)));
    case '?':
        return pp_fail(PP_FORMAT_DIFF_OPTION, word);
    default:
        return take_value(command, answer);
    }
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

/* Check what --trend excludes, and take the points. */
static int
find_points(struct pp_diff_command *command, int argc, char **argv, int first, int dashes)
{
    const char *wrong = command->how.pairs            ? "pairs"
                        : command->strict             ? "strict"
                        : command->force              ? "force"
                        : command->limits             ? "fail-above"
                        : !isnan(command->blunt_most) ? "fail-blunt"
                        : command->markdown           ? "markdown"
                        : command->junit              ? "junit"
                        : command->html               ? "html"
                                                      : NULL;
    if (wrong)
        return pp_fail(PP_FORMAT_TREND_OPTION, wrong);
    if (first == argc || dashes >= 0)
        return pp_fail(PP_TEXT_TREND_PATHS);
    command->old_path = &argv[first];
    command->olds = (size_t)(argc - first);
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

/* Check options that depend on each other, and find the sides. */
static int
check(struct pp_diff_command *command, int argc, char **argv, int dashes)
{
    struct pp_frame_window window;
    const char *wrong = pp_frame_window_parse(&command->window, &window);
    if (wrong)
        return pp_window_error_value(&command->window, wrong);
    if (!outputs_fit(command))
        return pp_fail(PP_TEXT_DIFF_ONE_OUTPUT);
    return command->trend ? find_points(command, argc, argv, optind, dashes)
                          : find_sides(command, argc, argv, optind, dashes);
}

int
pp_diff_options_read(int argc, char **argv, struct pp_diff_command *ret)
{
    struct pp_diff_command command = {
        .entries = FEW_ROWS, .how = pp_diff_options_usual, .blunt_most = (double)NAN};
    int dashes = find_dashes(argc, argv), front = dashes < 0 ? argc : dashes, rc = 0;
    opterr = 0;
    optind = 0;
    for (int answer = 0;
         rc == 0 && !command.help && (answer = getopt_long(front, argv, ":hE:", longs, NULL)) != -1;)
        rc = take_option(&command, answer, argv[optind - 1]);
    if (rc == 0 && !command.help)
        rc = check(&command, argc, argv, dashes);
    if (rc)
        pp_diff_options_finish(&command);
    else
        *ret = command;
    return rc;
}

void
pp_diff_options_finish(struct pp_diff_command *command)
{
    for (size_t i = 0; i < command->limits; i++)
        pp_limit_finish(&command->limit[i]);
    command->limits = 0;
}
