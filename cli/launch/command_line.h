/** @file
 * The command line of stat, record, compare and doctor. Parses by core/config/config.h's table, so that every
 * option of the table is an option here. See also environ.h (hands the options to the application),
 * session_dir.h.
 */
#ifndef PP_CLI_LAUNCH_COMMAND_LINE_H
#define PP_CLI_LAUNCH_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config/config.h"

/** One option as given. */
struct pp_given {
    const struct pp_option *option; /**< static */
    const char *value;              /**< borrowed from argv, "1" for a flag */
};

#define PP_GIVEN_MAX 256

/** An option that only this command has, as given. */
struct pp_given_own {
    const char *name;  /**< static */
    const char *value; /**< borrowed from argv, "1" for a flag */
};

#define PP_GIVEN_OWN_MAX 16

/** Most options that are handed on to another command. */
#define PP_GIVEN_ON_MAX 64

/** A parsed command line. Plain data; borrows argv. */
struct pp_command_line {
    struct pp_config config;             /**< file, environment and command line together */
    struct pp_given given[PP_GIVEN_MAX]; /**< what the command line said, in order */
    size_t givens;
    struct pp_given_own own[PP_GIVEN_OWN_MAX]; /**< the last one of a name counts */
    size_t owns;
    struct pp_given_own on[PP_GIVEN_ON_MAX]; /**< options of another command, to which they are handed on, in
                                                order; the value of a flag is NULL */
    size_t ons;
    uint64_t interval_ns;                   /**< --interval-print of `stat`; 0: not given */
    char **words;                           /**< all of it; words[0] is the sub-command's name */
    char **command;                         /**< NULL-terminated; command[0] is NULL if there is none */
    bool help;                              /**< --help or -h */
    char joined[2][8192];                   /**< the lists of several --events and --tag as one; internal */
    char config_error[PP_CONFIG_ERROR_MAX]; /**< `doctor` only: what is wrong with the configuration; "":
                                               nothing */
};

/**
 * Parse `COMMAND [OPTIONS] [--] CMD [ARG..]`; options end at the first argument that is none.
 *
 * @param argv argv[0] is the sub-command's name. Not reordered. `doctor` goes on with a broken configuration,
 * which it reports.
 * @retval 0       Parsed; help may be set, command may be empty.
 * @retval -EINVAL Something is wrong and has been said on stderr.
 */
__attribute__((warn_unused_result)) int pp_command_line_parse(struct pp_command_line *line, int argc,
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

/** Was this option on the command line? @param name Long name. */
bool pp_command_line_gave(const struct pp_command_line *line, const char *name);

/** The value of an option that only this command has; NULL: it was not given. @param name Long name. */
const char *pp_command_line_own(const struct pp_command_line *line, const char *name);

/** Print the table of options of a command ("stat", "record", "doctor"), for its --help. */
void pp_command_line_help(const char *command);

/** Base name of a path; borrowed from it. */
const char *pp_base_name(const char *path);

#endif
