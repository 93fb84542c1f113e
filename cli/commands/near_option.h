/** @file
 * The option that is meant by an unknown one, for the messages of report and annotate. Prints nothing. */
#ifndef PP_CLI_COMMANDS_NEAR_OPTION_H
#define PP_CLI_COMMANDS_NEAR_OPTION_H

#include <getopt.h>

/** The long option that is most like a word of the command line. @param longs The command's options; the last
 * one has no name. @param word "--NAME" or "--NAME=VALUE". @return Borrowed; NULL: none is near. */
const char *pp_near_option(const struct option *longs, const char *word);

#endif
