/** @file
 * The command line of stat, record, compare, top and doctor: the options that also have a variable
 * (core/config/config.h), and those that only a command has. See also cli/options/options.h, environ.h (hands
 * the options to the application), session_dir.h. */
#ifndef PP_CLI_LAUNCH_COMMAND_LINE_H
#define PP_CLI_LAUNCH_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/options.h"
#include "core/config/config.h"
#include "pp_options.h"

/** Options of these commands that have no variable: each command has some of them. */
struct pp_run_given {
    PP_RUN_OPTIONS
};

/** A parsed command line. Plain data; borrows argv. */
struct pp_command_line {
    struct pp_config config;             /**< file, environment and command line together */
    struct pp_given given[PP_GIVEN_MAX]; /**< what the command line said, in order */
    size_t givens;
    struct pp_run_given own;
    char **words;                           /**< all of it; words[0] is the sub-command's name */
    char **command;                         /**< NULL-terminated; command[0] is NULL if there is none */
    bool help;                              /**< --help or -h */
    char joined[2][8192];                   /**< the lists of several --events and --tag as one; internal */
    char config_error[PP_CONFIG_ERROR_MAX]; /**< `doctor` only: what is wrong with the configuration; "":
                                               nothing */
};

/**
 * Parse `COMMAND [OPTIONS] [--] CMD [ARG..]`; options end at the first argument that is none. Prints --help.
 *
 * @param own  The command: its name, its help; of[0] has its rows in struct pp_run_given, of[1] options of
 * another command, or nothing.
 * @param argv argv[0] is the sub-command's name. Not reordered. `doctor` goes on with a broken configuration,
 * which it reports.
 * @retval 0       Parsed; help may be set, command may be empty.
 * @retval -EINVAL Something is wrong and has been said on stderr.
 */
__attribute__((warn_unused_result)) int pp_command_line_parse(struct pp_command_line *line,
                                                              const struct pp_command_options *own, int argc,
                                                              char **argv);

/**
 * Set an option of the table as if it were given last on the command line: it replaces earlier ones of its
 * name. Prints what is wrong with the value.
 *
 * @param name Long name. @param value Borrowed until the line is used no more; "1" for a flag.
 * @retval 0, -EINVAL, -E2BIG (too many options).
 */
__attribute__((warn_unused_result)) int pp_command_line_set(struct pp_command_line *line, const char *name,
                                                            const char *value);

/** Was this option, which has a variable, on the command line? @param name Long name. */
bool pp_command_line_gave(const struct pp_command_line *line, const char *name);

/** Base name of a path; borrowed from it. */
const char *pp_base_name(const char *path);

#endif
