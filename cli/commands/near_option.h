/** @file
 * What messages say of a wrong option: which one may be meant, and which argument it needs. Prints nothing.
 */
#ifndef PP_CLI_COMMANDS_NEAR_OPTION_H
#define PP_CLI_COMMANDS_NEAR_OPTION_H

#include <getopt.h>
#include <stddef.h>

/** The long option that is most like a word of the command line. @param longs The command's options; the last
 * one has no name. @param word "--NAME" or "--NAME=VALUE". @return Borrowed; NULL: none is near. */
const char *pp_near_option(const struct option *longs, const char *word);

/**
 * Find what an option takes, as --help calls it: "FILE".
 *
 * @param longs  The command's options; the last one has no name.
 * @param letter What getopt_long() returns for the option.
 * @param help   The text of --help.
 * @param ret    @p size bytes; "": --help does not say it.
 * @return @p ret.
 */
const char *pp_option_argument(const struct option *longs, int letter, const char *help, char *ret,
                               size_t size);

#endif
