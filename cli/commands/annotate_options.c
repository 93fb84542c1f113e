/** @file
 * See annotate_options.h. */
#include "cli/commands/annotate_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/near_option.h"
#include "cli/print/message.h"
#include "pp_options.h"
#include "pp_texts.h"

#define FEW_ROWS 20U

static const struct option longs[] = {{.name = "help", .val = 'h'},
                                      {.name = "by", .has_arg = required_argument, .val = 'b'},
                                      {.name = "sort", .has_arg = required_argument, .val = 'S'},
                                      {.name = "callers", .val = 'r'},
                                      {.name = "callees", .val = 'e'},
                                      {.name = "json", .val = 'J'},
                                      {.name = "entries", .has_arg = required_argument, .val = 'E'},
                                      {.name = "skip-module", .has_arg = required_argument, .val = 'K'},
                                      {.name = "skip-function", .has_arg = required_argument, .val = 'F'},
                                      {.name = "debug-dir", .has_arg = required_argument, .val = 'D'},
                                      {.name = "debuginfod", .val = 'd'},
                                      {.name = "prefix-map", .has_arg = required_argument, .val = 'M'},
                                      {.name = "frames", .has_arg = required_argument, .val = 'A'},
                                      {.name = "time", .has_arg = required_argument, .val = 'T'},
                                      {.name = "between", .has_arg = required_argument, .val = 'B'},
                                      {.name = NULL}};

/* Read a number of rows; 0 represents all. @return false: the text is no such number. */
static bool
parse_entries(const char *text, size_t *ret)
{
    char *end = NULL;
    errno = 0;
    unsigned long long rows = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end)
        return false;
    *ret = rows ? (size_t)rows : SIZE_MAX;
    return true;
}

static void
take_sort(struct pp_annotate_options *options, const char *key)
{
    options->counter = NULL;
    options->sort = strcmp(key, "self") == 0    ? PP_ANNOTATE_SELF
                    : strcmp(key, "total") == 0 ? PP_ANNOTATE_TOTAL
                                                : PP_ANNOTATE_COUNTER;
    if (options->sort == PP_ANNOTATE_COUNTER)
        options->counter = key;
}

/* Remember one more value. @return 0, PP_EXIT_FAILED. */
static int
repeat(struct pp_repeated *list, const char *name)
{
    if (list->len == PP_ANNOTATE_REPEATED)
        return pp_fail(PP_FORMAT_ANNOTATE_REPEATED, name, PP_ANNOTATE_REPEATED);
    list->value[list->len++] = optarg;
    return 0;
}

/* Print that the value of --by is wrong. @return PP_EXIT_FAILED. */
static int
wrong_by(const char *value)
{
    const char *near = pp_annotate_by_near(value);
    return near ? pp_fail(PP_FORMAT_ANNOTATE_BY_NEAR, value, near) : pp_fail(PP_FORMAT_ANNOTATE_BY, value);
}

/* Read an option with a value. @return 0, PP_EXIT_FAILED. */
static int
take_value(struct pp_annotate_options *options, int answer)
{
    switch (answer) {
    case 'E':
        return parse_entries(optarg, &options->entries) ? 0 : pp_fail(PP_FORMAT_REPORT_ENTRIES, optarg);
    case 'b':
        options->by_given = true;
        return pp_annotate_by_parse(optarg, &options->by) ? 0 : wrong_by(optarg);
    case 'K':
        return repeat(&options->skip, "skip-module");
    case 'F':
        return repeat(&options->skip_function, "skip-function");
    case 'D':
        return repeat(&options->folder, "debug-dir");
    case 'M':
        return strchr(optarg, '=') ? repeat(&options->map, "prefix-map")
                                   : pp_fail(PP_FORMAT_ANNOTATE_MAP, optarg);
    case 'A':
        options->window.frames = optarg;
        return 0;
    case 'T':
        options->window.time = optarg;
        return 0;
    case 'B':
        options->window.between = optarg;
        return 0;
    default:
        take_sort(options, optarg);
        return 0;
    }
}

/* Print that there is no such option. @return PP_EXIT_FAILED. */
static int
unknown(const char *word)
{
    const char *near = pp_near_option(longs, word);
    return near ? pp_fail(PP_FORMAT_OPTION_NEAR, word, near) : pp_fail(PP_FORMAT_ANNOTATE_OPTION, word);
}

/* Read an option. @return 0, PP_EXIT_FAILED. */
static int
take_option(struct pp_annotate_options *options, int answer, const char *word)
{
    char argument[64];
    switch (answer) {
    case 'h':
        options->help = true;
        return 0;
    case 'J':
        options->json = true;
        return 0;
    case 'r':
        options->callers = true;
        return 0;
    case 'e':
        options->callees = true;
        return 0;
    case 'd':
        options->debuginfod = true;
        return 0;
    case ':':
        return pp_fail(PP_FORMAT_NEEDS_ARGUMENT, word,
                       pp_option_argument(longs, optopt, PP_HELP_ANNOTATE, argument, sizeof(argument)));
    case '?':
        return unknown(word);
    default:
        return take_value(options, answer);
    }
}

int
pp_annotate_options_read(int argc, char **argv, struct pp_annotate_options *ret)
{
    struct pp_annotate_options options = {.entries = FEW_ROWS};
    opterr = 0;
    optind = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, ":hE:", longs, NULL)) != -1 && !options.help;) {
        int rc = take_option(&options, answer, argv[optind - 1]);
        if (rc)
            return rc;
    }
    if (!options.help && argc - optind > 2)
        return pp_fail(PP_TEXT_ANNOTATE_TWO);
    for (int i = 0; i < 2 && optind + i < argc; i++)
        options.word[i] = argv[optind + i];
    *ret = options;
    return 0;
}
