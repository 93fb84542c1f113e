/** @file
 * See options.h. getopt_long() finds the options, so that abbreviations, "-E5" and "--name=VALUE" are what
 * users know. */
#include "cli/options/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

#define MAX_OPTIONS 96
#define LONG_BASE   1000 /* getopt_long() returns LONG_BASE + i for the long name of option i */
#define LONG_HELP   999

/* The rows of a command as one list, and as getopt_long() takes them. */
struct tables {
    const struct pp_command_options *command;
    const struct pp_option *row[MAX_OPTIONS];
    void *base[MAX_OPTIONS];
    size_t len;
    struct option longs[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 4];
};

/* Does the option take an argument that may be left out? */
static bool
is_optional(const struct pp_option *option)
{
    return option->arg && *option->arg == '[';
}

static void
add_row(struct tables *tables, const struct pp_option *option, void *base, char **letter)
{
    size_t i = tables->len++;
    assert(i < MAX_OPTIONS);
    tables->row[i] = option;
    tables->base[i] = base;
    tables->longs[i] = (struct option){.name = option->name,
                                       .has_arg = is_optional(option) ? optional_argument
                                                  : option->arg       ? required_argument
                                                                      : no_argument,
                                       .val = LONG_BASE + (int)i};
    if (option->letter)
        *(*letter)++ = option->letter;
    if (option->letter && option->arg && !is_optional(option))
        *(*letter)++ = ':';
}

static void
tables_fill(struct tables *tables, const struct pp_command_options *command)
{
    memset(tables, 0, sizeof(*tables));
    tables->command = command;
    char *letter = tables->letters;
    if (command->launches)
        *letter++ = '+'; /* stop at the application */
    *letter++ = ':';     /* tell a missing argument from an unknown option */
    *letter++ = 'h';
    for (size_t i = 0; i < PP_ARRAY_SIZE(command->of); i++)
        for (size_t k = 0; k < command->of[i].len; k++)
            add_row(tables, &command->of[i].row[k], command->of[i].base, &letter);
    tables->longs[tables->len] = (struct option){.name = "help", .has_arg = no_argument, .val = LONG_HELP};
}

/* The index of the option that getopt_long() means. @return tables->len: there is none. */
static size_t
index_of(const struct tables *tables, int answer)
{
    size_t i = 0;
    while (i < tables->len && answer != LONG_BASE + (int)i && answer != tables->row[i]->letter)
        i++;
    return answer ? i : tables->len;
}

/* Note what is wrong. @return -EINVAL. */
__attribute__((format(printf, 2, 3))) static int
fail(struct pp_given_options *options, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(options->error, sizeof(options->error), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

/* Say that there is no such option. @param name As given, without what follows '=': it may be a secret.
 * @return -EINVAL. */
static int
refuse_unknown(const struct tables *tables, const char *name, struct pp_given_options *options)
{
    const char *command = tables->command->name;
    if (tables->command->launches && (strcmp(name, "-p") == 0 || strcmp(name, "--pid") == 0))
        return fail(options, PP_FORMAT_OPTION_PID, command); /* perf has this option */
    bool is_long = name[1] == '-';
    struct pp_nearest nearest = pp_nearest_begin(name + 2, is_long ? strlen(name + 2) : 0);
    for (size_t i = 0; is_long && i < tables->len; i++)
        pp_nearest_offer(&nearest, tables->row[i]->name, strlen(tables->row[i]->name));
    return nearest.found ? fail(options, PP_FORMAT_CONFIG_OPTION_NEAR, name, name + 2, nearest.found)
                         : fail(options, PP_FORMAT_OPTION_UNKNOWN, name, command);
}

/* Say what is wrong with an option that getopt_long() refused. @param refused Letter or value of the
 * option; 0: an unknown long one. @param word The word that getopt_long() has just read. @return -EINVAL. */
static int
refuse(const struct tables *tables, int answer, int refused, const char *word,
       struct pp_given_options *options)
{
    char name[64] = {'-', (char)refused, '\0'};
    size_t i = index_of(tables, refused);
    bool is_long = !refused || refused >= LONG_HELP;
    if (is_long && i < tables->len)
        snprintf(name, sizeof(name), "--%s", tables->row[i]->name);
    else if (is_long)
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    if (answer == ':' && i < tables->len)
        return fail(options, PP_FORMAT_NEEDS_ARGUMENT, name, tables->row[i]->arg);
    return refused && is_long ? fail(options, PP_FORMAT_OPTION_NO_ARGUMENT, name)
                              : refuse_unknown(tables, name, options);
}

/* How often an option was given. */
static size_t
count_of(const struct pp_given_options *options, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < options->len; i++)
        count += strcmp(options->given[i].option->name, name) == 0;
    return count;
}

/* Note an option, and store its value. @return 0, -EINVAL. */
static int
take(const struct tables *tables, size_t i, const char *value, struct pp_given_options *options)
{
    const struct pp_option *option = tables->row[i];
    char why[256];
    if (options->len == PP_GIVEN_MAX)
        return fail(options, "%s", PP_TEXT_OPTIONS_MANY);
    if (option->times && count_of(options, option->name) == option->times)
        return option->times == 1 ? fail(options, PP_FORMAT_OPTION_ONCE, option->name)
                                  : fail(options, PP_FORMAT_OPTION_TIMES, option->name, option->times);
    options->given[options->len++] = (struct pp_given){option, value ? value : "1"};
    if (!tables->base[i] ||
        pp_option_store(option, tables->base[i], value ? value : "1", why, sizeof(why)) == 0)
        return 0;
    return fail(options, PP_FORMAT_OPTION_VALUE, option->name, value ? value : "1", why);
}

/* Is a name in a list of names between blanks? */
static bool
is_in(const char *list, const char *name)
{
    char between[64];
    snprintf(between, sizeof(between), " %s ", name);
    return strstr(list, between) != NULL;
}

/* Refuse options of which one has no effect. @return 0, -EINVAL. */
static int
check_pairs(const struct tables *tables, struct pp_given_options *options)
{
    for (size_t i = 0; i < tables->len; i++) {
        const struct pp_option *option = tables->row[i];
        if ((!option->not_with && !option->needs) || !count_of(options, option->name))
            continue;
        for (size_t k = 0; option->not_with && k < options->len; k++)
            if (is_in(option->not_with, options->given[k].option->name))
                return fail(options, PP_FORMAT_REPORT_NOT_BOTH, option->name, options->given[k].option->name);
        if (option->needs && !count_of(options, option->needs))
            return fail(options, PP_FORMAT_OPTION_NEEDS, option->name, option->needs);
    }
    return 0;
}

static void
print_help(const struct pp_command_options *command)
{
    fputs(command->usage, stdout);
    if (command->launches)
        fputs("\nOptions:\n", stdout);
    for (size_t i = 0; i < PP_ARRAY_SIZE(command->of); i++)
        for (size_t k = 0; k < command->of[i].len; k++) {
            const struct pp_option *option = &command->of[i].row[k];
            if (!option->not_of || strcmp(option->not_of, command->name) != 0)
                fputs(option->help, stdout);
        }
    fputs(PP_TEXT_USAGE_HELP, stdout);
    if (command->launches)
        fputs("\n" PP_TEXT_USAGE_OPTIONS, stdout);
}

int
pp_options_read(const struct pp_command_options *command, int argc, char **argv, struct pp_given_options *ret)
{
    struct tables tables;
    tables_fill(&tables, command);
    for (size_t i = 0; i < PP_ARRAY_SIZE(command->of); i++)
        if (command->of[i].base)
            pp_option_presets(command->of[i].row, command->of[i].len, command->of[i].base);
    ret->len = 0;
    opterr = 0;
    optind = 0; /* GNU: start anew, whatever was parsed before */
    for (int answer = 0; (answer = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1;) {
        if (answer == 'h' || answer == LONG_HELP) {
            print_help(command);
            return 1;
        }
        size_t i = index_of(&tables, answer);
        int rc = i == tables.len ? refuse(&tables, answer, optopt, argv[optind - 1], ret)
                                 : take(&tables, i, optarg, ret);
        if (rc)
            return rc;
    }
    ret->word = argv + optind;
    ret->words = argc - optind;
    return check_pairs(&tables, ret);
}
