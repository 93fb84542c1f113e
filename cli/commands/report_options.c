/** @file
 * See report_options.h. */
#include "cli/commands/report_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/near_option.h"
#include "cli/commands/report_flame.h"
#include "cli/commands/report_html.h"
#include "cli/commands/report_openmetrics.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

#define FEW_DRAWS 20U

/* Options by the letters that getopt_long() returns for them. */
static const struct option longs[] = {{.name = "help", .val = 'h'},
                                      {.name = "entries", .has_arg = required_argument, .val = 'E'},
                                      {.name = "verbose", .val = 'v'},
                                      {.name = "frame", .has_arg = required_argument, .val = 'F'},
                                      {.name = "worst", .has_arg = required_argument, .val = 'W'},
                                      {.name = "json", .val = 'J'},
                                      {.name = "baseline", .val = 'N'},
                                      {.name = "csv", .val = 'C'},
                                      {.name = "folded", .val = 'O'},
                                      {.name = "flame", .has_arg = required_argument, .val = 'G'},
                                      {.name = "html", .has_arg = required_argument, .val = 'H'},
                                      {.name = "openmetrics", .has_arg = required_argument, .val = 'M'},
                                      {.name = "trace", .has_arg = required_argument, .val = 'R'},
                                      {.name = "frames", .has_arg = required_argument, .val = 'A'},
                                      {.name = "time", .has_arg = required_argument, .val = 'T'},
                                      {.name = "between", .has_arg = required_argument, .val = 'B'},
                                      {.name = "pass", .has_arg = required_argument, .val = 'P'},
                                      {.name = "by", .has_arg = required_argument, .val = 'b'},
                                      {.name = "sort", .has_arg = required_argument, .val = 'S'},
                                      {.name = "percent-limit", .has_arg = required_argument, .val = 'L'},
                                      {.name = NULL}};

/* Print that there is no such option. @return PP_EXIT_FAILED. */
static int
unknown(const char *word)
{
    const char *near = pp_near_option(longs, word);
    return near ? pp_fail(PP_FORMAT_OPTION_NEAR, word, near) : pp_fail(PP_FORMAT_REPORT_OPTION, word);
}

/* Read a number of rows; 0 represents all. @return false: the text is no such number. */
static bool
parse_entries(const char *text, struct pp_report_options *options)
{
    char *end = NULL;
    errno = 0;
    unsigned long long rows = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end)
        return false;
    options->passes = options->others = options->entries = rows ? (size_t)rows : SIZE_MAX;
    options->all = !rows;
    return true;
}

/* Read a share in percent: digits with at most one point, also after "%". @return false: it is none. */
static bool
parse_percent(const char *text, double *ret)
{
    double value = 0, unit = 1;
    bool point = false, digits = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = true;
        unit = point ? unit / 10 : unit;
        value = point ? value + unit * (*text - '0') : 10 * value + (*text - '0');
    }
    *ret = value;
    return digits && !*text && value <= 100;
}

/* Remember an option whose value is checked when the session is read. @return false: it is another one. */
static bool
take_text(struct pp_report_options *options, int answer)
{
    const struct {
        int answer;
        const char **value;
    } text[] = {{'F', &options->frame},       {'W', &options->worst},          {'A', &options->window.frames},
                {'T', &options->window.time}, {'B', &options->window.between}, {'P', &options->view.pass}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(text); i++) {
        if (answer == text[i].answer) {
            *text[i].value = optarg;
            return true;
        }
    }
    return false;
}

/* Read an option. @return 0, PP_EXIT_FAILED. */
static int
take_option(struct pp_report_options *options, int answer, const char *word)
{
    char argument[64];
    if (take_text(options, answer))
        return 0;
    switch (answer) {
    case 'h':
        options->help = true;
        return 0;
    case 'v':
        options->verbose = options->view.all_columns = true;
        return 0;
    case 'J':
        options->json = true;
        return 0;
    case 'N':
        options->baseline = true;
        return 0;
    case 'C':
        options->csv = true;
        return 0;
    case 'O':
        options->folded = true;
        return 0;
    case 'G':
        options->flame = optarg;
        return pp_report_flame_is_name(optarg) ? 0 : pp_fail(PP_FORMAT_REPORT_FLAME, optarg);
    case 'H':
        options->html = optarg;
        return pp_report_html_is_name(optarg) ? 0 : pp_fail(PP_FORMAT_REPORT_HTML_NAME, optarg);
    case 'M':
        options->openmetrics = optarg;
        return pp_report_openmetrics_is_name(optarg) ? 0 : pp_fail(PP_FORMAT_REPORT_PROM, optarg);
    case 'R':
        pp_report_trace_take(&options->trace, optarg);
        return 0;
    case 'E':
        return parse_entries(optarg, options) ? 0 : pp_fail(PP_FORMAT_REPORT_ENTRIES, optarg);
    case 'S':
        return pp_view_sort_parse(optarg, &options->view.sort) ? 0 : pp_fail(PP_FORMAT_REPORT_SORT, optarg);
    case 'b':
        return pp_view_by_parse(optarg, &options->view.by) ? 0 : pp_fail(PP_FORMAT_REPORT_BY, optarg);
    case 'L':
        return parse_percent(optarg, &options->view.percent_limit) ? 0
                                                                   : pp_fail(PP_FORMAT_REPORT_LIMIT, optarg);
    case ':':
        return pp_fail(PP_FORMAT_NEEDS_ARGUMENT, word,
                       pp_option_argument(longs, optopt, PP_HELP_REPORT, argument, sizeof(argument)));
    default:
        return unknown(word);
    }
}

/* Options by their letters, and the letters of those that would have no effect together with each. */
static const struct {
    char option;
    const char *others;
} not_with[] = {{'F', "WATBCPbSLEOGHR"}, {'W', "JCPbSLEOGHR"},    {'J', "CbEOGHR"}, {'C', "EOGHR"},
                {'O', "GHRPbSLEv"},      {'G', "HRPbSLEv"},       {'H', "RPbSLEv"}, {'R', "PbSLEv"},
                {'N', "FWJCPbSLEOGHRv"}, {'M', "FWJCPbSLEOGHRNv"}};

/* The name of an option. */
static const char *
name_of(char letter)
{
    size_t i = 0;
    while (longs[i].name && longs[i].val != letter)
        i++;
    return longs[i].name;
}

/* Refuse two options of which one would have no effect. @param given Letters of the options. @return 0,
 * PP_EXIT_FAILED. */
static int
check_pairs(const char *given)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(not_with); i++) {
        const char *other = strpbrk(given, not_with[i].others);
        if (strchr(given, not_with[i].option) && other)
            return pp_fail(PP_FORMAT_REPORT_NOT_BOTH, name_of(not_with[i].option), name_of(*other));
    }
    return 0;
}

int
pp_report_options_read(int argc, char **argv, struct pp_report_options *ret)
{
    struct pp_report_options options = {.passes = SIZE_MAX, .others = FEW_DRAWS};
    opterr = 0;
    optind = 0;
    char given[PP_ARRAY_SIZE(longs) + 1] = ""; /* each letter once */
    int rc = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, ":hvE:", longs, NULL)) != -1 && !options.help;) {
        rc = take_option(&options, answer, argv[optind - 1]);
        if (rc)
            return rc;
        if (!strchr(given, answer))
            given[strlen(given)] = (char)answer;
    }
    if (options.trace.format && !options.trace.file && optind < argc)
        options.trace.file = argv[optind++];
    if (!options.help && options.trace.format && !options.trace.file)
        return pp_fail(PP_TEXT_REPORT_TRACE);
    if (!options.help && argc - optind > 1)
        return pp_fail(PP_TEXT_REPORT_ONE);
    rc = check_pairs(given);
    if (rc)
        return rc;
    options.view.fold = !options.all;
    options.session = optind < argc ? argv[optind] : NULL;
    *ret = options;
    return 0;
}
