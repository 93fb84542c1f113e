/** @file
 * See command_line.h. */
#include "cli/launch/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/events.h"
#include "cli/launch/window_end.h"
#include "cli/text/message.h"
#include "core/config/config_read.h"
#include "core/config/user_metric_names.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Append a list of events or of tags to an earlier one, as perf does with events. @return false: the option
 * is no such list, or the first one. */
static bool
join_lists(struct pp_command_line *line, const struct pp_option *option, const char *value)
{
    static const char *const list[] = {"events", "tag"};
    struct pp_given *before = NULL;
    size_t which = 0;
    while (which < PP_ARRAY_SIZE(list) && strcmp(option->name, list[which]) != 0)
        which++;
    for (size_t i = 0; i < line->givens && which < PP_ARRAY_SIZE(list); i++)
        if (line->given[i].option == option)
            before = &line->given[i];
    if (!before)
        return false;
    char *joined = line->joined[which];
    if (before->value != joined)
        snprintf(joined, sizeof(line->joined[which]), "%s", before->value);
    size_t len = strlen(joined);
    /* a list that is too long is refused when its value is set */
    snprintf(joined + len, sizeof(line->joined[which]) - len, ",%s", value);
    before->value = joined;
    return true;
}

/* Refuse "--call-graph dwarf", which perf takes: the value would be run as the application. @param at Index
 * of the first word that is no option. */
static bool
is_call_graph_word(char **argv, int at, int argc)
{
    static const char *const words[] = {"fp", "dwarf", "lbr", "unwind"};
    if (at >= argc || strcmp(argv[at - 1], "--call-graph") != 0)
        return false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(words); i++)
        if (strcmp(argv[at], words[i]) == 0) {
            pp_message(PP_FORMAT_CALL_GRAPH_WORD, i == 0 ? "fp" : "unwind", argv[at]);
            return true;
        }
    return false;
}

/* Take the options with a variable, whose values are set when the configuration is known. */
static void
take_given(struct pp_command_line *line, const struct pp_given_options *options)
{
    size_t count = 0;
    const struct pp_option *option = pp_options(&count);
    for (size_t i = 0; i < options->len; i++) {
        const struct pp_given *given = &options->given[i];
        if (given->option >= option && given->option < option + count &&
            !join_lists(line, given->option, given->value))
            line->given[line->givens++] = *given;
    }
}

const char *
pp_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Say where the list of events came from, for messages. */
static const char *
events_place(const struct pp_command_line *line)
{
    const char *variable = "PASSPROBE_EVENTS";
    const char *value = getenv(variable);
    return pp_command_line_gave(line, "events") ? "--events"
           : value && *value                    ? variable
                                                : "passprobe.conf: events";
}

int
pp_command_line_parse(struct pp_command_line *line, const struct pp_command_options *own, int argc,
                      char **argv)
{
    char error[PP_CONFIG_ERROR_MAX];
    struct pp_given_options options;
    struct pp_command_options command = *own;
    memset(line, 0, sizeof(*line));
    line->words = argv;
    line->command = argv + argc;
    command.launches = true;
    size_t count = 0;
    const struct pp_option *option = pp_options(&count);
    command.of[0] = (struct pp_option_rows){option, count, NULL};
    command.of[1] = (struct pp_option_rows){own->of[0].row, own->of[0].len, &line->own};
    command.of[2] = own->of[1];
    int read = pp_options_read(&command, argc, argv, &options);
    line->help = read > 0;
    if (read < 0)
        pp_message("%s", options.error);
    if (read)
        return read < 0 ? read : 0;
    if (is_call_graph_word(argv, argc - options.words, argc))
        return -EINVAL;
    line->command = options.word;
    take_given(line, &options);
    const char *programs[] = {line->command[0] ? pp_base_name(line->command[0]) : NULL, NULL};
    int rc = pp_config_load(&line->config, environ, programs, error);
    if (rc && strcmp(argv[0], "doctor") == 0) {
        memcpy(line->config_error, error, sizeof(error));
        rc = 0;
    }
    for (size_t i = 0; rc == 0 && i < line->givens; i++) {
        char place[64];
        snprintf(place, sizeof(place), "--%s", line->given[i].option->name);
        const char *name = line->given[i].option->name;
        struct pp_metrics_error where;
        rc = pp_config_set(&line->config, name, line->given[i].value, place, error);
        if (rc && strcmp(name, "metrics") == 0 && pp_user_metrics_check(line->given[i].value, &where) &&
            where.line) {
            pp_fail_text(where.text); /* this message also shows the line */
            return rc;
        }
    }
    bool endless = line->config.stop && !pp_window_ends(&line->config);
    if (rc) {
        pp_message("%s", error);
    } else if (endless && line->command[0] && strcmp(argv[0], "doctor") != 0) {
        pp_message(PP_TEXT_OPTION_STOP);
        rc = -EINVAL;
    } else if (line->command[0]) {
        rc = pp_events_check(&line->config, events_place(line));
    }
    return rc;
}

int
pp_command_line_set(struct pp_command_line *line, const char *name, const char *value)
{
    char error[PP_CONFIG_ERROR_MAX];
    char place[64];
    size_t count = 0;
    size_t kept = 0;
    const struct pp_option *option = pp_options(&count);
    while (count && strcmp(option->name, name) != 0) {
        option++;
        count--;
    }
    snprintf(place, sizeof(place), "--%s", name);
    int rc = pp_config_set(&line->config, name, value, place, error);
    if (rc) {
        pp_message("%s", error);
        return rc;
    }
    for (size_t i = 0; i < line->givens; i++)
        if (strcmp(line->given[i].option->name, name) != 0)
            line->given[kept++] = line->given[i];
    if (kept == PP_GIVEN_MAX) {
        pp_message(PP_TEXT_OPTIONS_MANY);
        return -E2BIG;
    }
    line->given[kept++] = (struct pp_given){option, value};
    line->givens = kept;
    return 0;
}

bool
pp_command_line_gave(const struct pp_command_line *line, const char *name)
{
    for (size_t i = 0; i < line->givens; i++) {
        if (strcmp(line->given[i].option->name, name) == 0)
            return true;
    }
    return false;
}
