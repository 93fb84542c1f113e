/** @file
 * Reads the command line of any command by the rows that docs/options.yaml is made into. See also
 * core/config/option.h. */
#ifndef PP_CLI_OPTIONS_OPTIONS_H
#define PP_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/config/option.h"

/** Options of a command that are stored in one struct. */
struct pp_option_rows {
    const struct pp_option *row; /**< static */
    size_t len;
    void *base; /**< the struct; NULL: the caller stores the values */
};

/** A command. */
struct pp_command_options {
    const char *name;            /**< "report" */
    const char *usage;           /**< what --help says before the options */
    bool launches;               /**< options end at the first word that is none: the application */
    struct pp_option_rows of[3]; /**< in the order of --help; names and letters differ */
};

/** One option as given. */
struct pp_given {
    const struct pp_option *option; /**< static */
    const char *value;              /**< borrowed from argv, "1" for a flag */
};

/** Most options of one command line. */
#define PP_GIVEN_MAX 512

/** The options of a command line, in order. */
struct pp_given_options {
    struct pp_given given[PP_GIVEN_MAX];
    size_t len;
    char **word; /**< what follows the options, or is none; NULL-terminated. Borrowed */
    int words;
    char error[1024]; /**< what is wrong with the command line, with the name of the option */
};

/**
 * Read a command line: store defaults and values, and check that options go together. Prints --help.
 *
 * @param argv argv[0] is not read. Words that are no options are moved to the end, unless the command
 * launches an application.
 * @param ret  Filled in on success; on failure, only its error is.
 * @retval 0, -EINVAL. @retval 1 --help was given: its text was printed, and nothing else is known.
 */
__attribute__((warn_unused_result)) int pp_options_read(const struct pp_command_options *command, int argc,
                                                        char **argv, struct pp_given_options *ret);

#endif
