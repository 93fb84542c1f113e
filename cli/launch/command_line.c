/** @file
 * See command_line.h. */
#include "cli/launch/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch/events.h"
#include "cli/launch/window_end.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "core/config/config_number.h"
#include "core/config/config_read.h"
#include "core/config/user_metric_names.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

#define MAX_OPTIONS 64
#define LONG_BASE   1000 /* getopt_long value of the table's option i is LONG_BASE + i */
#define LONG_HELP   999
#define LONG_OWN    2000 /* of the own option i */

/* Options that only one command has. */
static const struct own {
    const char *command;
    bool handed_on; /* to another command */
    struct pp_option option;
} own_options[] = {
#define ROW(command_, name_, letter_, arg_, help_, handed_on_)                                               \
    {(command_),                                                                                             \
     (handed_on_),                                                                                           \
     {.name = (name_), .letter = (letter_), .arg = (arg_), .help = (help_), .preset = "", .not_of = ""}},
    PP_OWN_OPTION_TABLE(ROW)
#undef ROW
};
#define OWN_OPTIONS PP_ARRAY_SIZE(own_options)

/* getopt's two descriptions of the table. */
struct getopt_tables {
    struct option longs[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 4];
};

/* Does the option take an argument that may be left out? */
static bool
is_optional(const struct pp_option *option)
{
    return option->arg && *option->arg == '[';
}

/* How getopt_long() knows an option's argument. */
static int
has_argument(const struct pp_option *option)
{
    return is_optional(option) ? optional_argument : option->arg ? required_argument : no_argument;
}

/* Add the letter of an option, if it has one. @return Where the next letter goes. */
static char *
add_letter(char *letter, const struct pp_option *option)
{
    if (option->letter)
        *letter++ = option->letter;
    if (option->letter && option->arg && !is_optional(option))
        *letter++ = ':';
    return letter;
}

static void
tables_fill(struct getopt_tables *tables, const char *command)
{
    size_t count = 0;
    const struct pp_option *option = pp_options(&count);
    memset(tables, 0, sizeof(*tables));
    char *letter = tables->letters;
    *letter++ = '+'; /* stop at CMD */
    *letter++ = ':'; /* distinguish a missing argument from an unknown option */
    *letter++ = 'h';
    size_t used = 0;
    for (size_t i = 0; i < count && used < MAX_OPTIONS; i++) {
        tables->longs[used++] = (struct option){
            .name = option[i].name, .has_arg = has_argument(&option[i]), .val = LONG_BASE + (int)i};
        letter = add_letter(letter, &option[i]);
    }
    for (size_t i = 0; i < OWN_OPTIONS && used < MAX_OPTIONS; i++) {
        const struct pp_option *own = &own_options[i].option;
        if (strcmp(own_options[i].command, command) != 0)
            continue;
        tables->longs[used++] = (struct option){.name = own->name,
                                                .has_arg = own->arg ? required_argument : no_argument,
                                                .val = LONG_OWN + (int)i};
        letter = add_letter(letter, own);
    }
    tables->longs[used] = (struct option){.name = "help", .has_arg = no_argument, .val = LONG_HELP};
}

/* Find the option that getopt returned. @return NULL: there is none. */
static const struct pp_option *
option_of(int answer)
{
    size_t count = 0;
    const struct pp_option *option = pp_options(&count);
    if (answer >= LONG_BASE && answer < LONG_BASE + (int)count)
        return &option[answer - LONG_BASE];
    if (answer >= LONG_OWN && answer < LONG_OWN + (int)OWN_OPTIONS)
        return &own_options[answer - LONG_OWN].option;
    for (size_t i = 0; i < count; i++) {
        if (option[i].letter && option[i].letter == answer)
            return &option[i];
    }
    for (size_t i = 0; i < OWN_OPTIONS; i++) {
        if (own_options[i].option.letter && own_options[i].option.letter == answer)
            return &own_options[i].option;
    }
    return NULL;
}

/* Has only one command this option? */
static bool
is_own(const struct pp_option *option)
{
    size_t i = 0;
    while (i < OWN_OPTIONS && option != &own_options[i].option)
        i++;
    return i < OWN_OPTIONS;
}

/* Print what is wrong with the argument @p arg of a command, which getopt has just refused. */
static void
print_refused(const char *command, int answer, const char *arg, int refused)
{
    char error[PP_CONFIG_ERROR_MAX];
    struct pp_config scratch;
    const struct pp_option *option = option_of(refused);
    if (answer == '?' && (refused == 'p' || strncmp(arg, "--pid", 5) == 0)) {
        pp_message(PP_FORMAT_OPTION_PID, command); /* perf has this option */
    } else if (answer == ':' && option) {
        pp_message(PP_FORMAT_OPTION_ARGUMENT, option->name, option->arg);
    } else if (option && strncmp(arg, "--", 2) == 0) {
        pp_message(PP_FORMAT_OPTION_NO_ARGUMENT, option->name);
    } else if (strncmp(arg, "--", 2) == 0) {
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
        pp_config_init(&scratch);
        /* the message of the option table, with the nearest name */
        if (pp_config_set(&scratch, name, "", arg, error))
            pp_message("%s", error);
    } else {
        pp_message(PP_FORMAT_OPTION_LETTER, refused, command);
    }
}

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

/* Remember an option that only this command has. A later one replaces an earlier one of its name. */
static void
add_own(struct pp_command_line *line, const struct pp_option *option, const char *value)
{
    size_t i = 0;
    const struct own *own = own_options;
    while (&own->option != option)
        own++;
    if (own->handed_on && line->ons < PP_GIVEN_ON_MAX)
        line->on[line->ons++] = (struct pp_given_own){option->name, option->arg ? value : NULL};
    if (own->handed_on)
        return;
    while (i < line->owns && strcmp(line->own[i].name, option->name) != 0)
        i++;
    if (i == PP_GIVEN_OWN_MAX)
        return; /* the table has fewer options */
    line->own[i] = (struct pp_given_own){option->name, option->arg ? value : "1"};
    line->owns += i == line->owns;
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

/* Collect the command line's options, without their meaning. */
static int
collect(struct pp_command_line *line, int argc, char **argv)
{
    struct getopt_tables tables;
    tables_fill(&tables, argv[0]);
    opterr = 0;
    optind = 0; /* GNU: start anew, whatever was parsed before */
    for (;;) {
        int at = optind ? optind : 1;
        int answer = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (answer == -1)
            break;
        if (answer == 'h' || answer == LONG_HELP) {
            line->help = true;
            return 0;
        }
        const struct pp_option *option = option_of(answer);
        if (!option) {
            print_refused(argv[0], answer, argv[at], optopt);
            return -EINVAL;
        }
        if (is_own(option)) {
            add_own(line, option, optarg);
            continue;
        }
        if (join_lists(line, option, optarg))
            continue;
        if (line->givens == PP_GIVEN_MAX) {
            pp_message(PP_TEXT_OPTIONS_MANY);
            return -E2BIG;
        }
        line->given[line->givens++] = (struct pp_given){option, optarg ? optarg : "1"};
    }
    if (is_call_graph_word(argv, optind, argc))
        return -EINVAL;
    line->command = argv + optind;
    return 0;
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

/* The session is written five times a second: shorter intervals have no rows. */
#define INTERVAL_LEAST_NS UINT64_C(200000000)

/* Read --interval-print. @return false: the value is wrong, and this was reported. */
static bool
read_interval(struct pp_command_line *line)
{
    const char *value = pp_command_line_own(line, "interval-print");
    if (!value)
        return true;
    if (pp_config_number_time(value, 1000000, &line->interval_ns) == 0 &&
        line->interval_ns >= INTERVAL_LEAST_NS)
        return true;
    pp_message(PP_FORMAT_OPTION_INTERVAL, value);
    return false;
}

int
pp_command_line_parse(struct pp_command_line *line, int argc, char **argv)
{
    char error[PP_CONFIG_ERROR_MAX];
    memset(line, 0, sizeof(*line));
    line->words = argv;
    line->command = argv + argc;
    int rc = collect(line, argc, argv);
    if (rc || line->help)
        return rc;
    const char *programs[] = {line->command[0] ? pp_base_name(line->command[0]) : NULL, NULL};
    rc = pp_config_load(&line->config, environ, programs, error);
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
    } else if (!read_interval(line)) {
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

const char *
pp_command_line_own(const struct pp_command_line *line, const char *name)
{
    for (size_t i = 0; i < line->owns; i++)
        if (strcmp(line->own[i].name, name) == 0)
            return line->own[i].value;
    return NULL;
}

#define HELP_INDENT 30
#define HELP_WIDTH  80

/* Print words from column HELP_INDENT on, in lines of at most HELP_WIDTH; the first line is already indented.
 */
static void
print_wrapped(const char *text)
{
    size_t column = HELP_INDENT;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column > HELP_INDENT && column + 1 + word >= HELP_WIDTH) {
            pp_print(stdout, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        } else if (column > HELP_INDENT) {
            pp_print_char(stdout, ' ');
            column++;
        }
        pp_print(stdout, "%.*s", (int)word, text);
        column += word;
        text += word + strspn(text + word, " ");
    }
    pp_print_char(stdout, '\n');
}

static void
print_option(const struct pp_option *option)
{
    char left[96];
    char right[256];
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    if (is_optional(option))
        snprintf(left, sizeof(left), "%s--%s[=%s", letter, option->name, option->arg + 1);
    else
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name, option->arg ? " " : "",
                 option->arg ? option->arg : "");
    bool preset = option->preset && *option->preset;
    snprintf(right, sizeof(right), "%s%s%s%s", option->help, preset ? " [" : "", preset ? option->preset : "",
             preset ? "]" : "");
    if (strlen(left) > HELP_INDENT - 3)
        pp_print(stdout, "  %s\n%*s", left, HELP_INDENT, "");
    else
        pp_print(stdout, "  %-*s", HELP_INDENT - 2, left);
    print_wrapped(right);
}

void
pp_command_line_help(const char *command)
{
    size_t count = 0;
    const struct pp_option *option = pp_options(&count);
    puts("Options:");
    for (size_t i = 0; i < count; i++)
        if (strcmp(option[i].not_of, command) != 0)
            print_option(&option[i]);
    for (size_t i = 0; i < OWN_OPTIONS; i++)
        if (strcmp(own_options[i].command, command) == 0)
            print_option(&own_options[i].option);
    fputs(PP_TEXT_USAGE_OPTIONS, stdout);
}
