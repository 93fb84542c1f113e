/** @file
 * At the end of `record` and `stat`: finds the symbols of the call stacks, and keeps them in the session. */
#ifndef PP_CLI_COMMANDS_KEEP_SYMBOLS_H
#define PP_CLI_COMMANDS_KEEP_SYMBOLS_H

#include "cli/launch/command_line.h"
#include "cli/launch/session_dir.h"

/** Write symbols.csv into each session that has call stacks, unless --symbols=later was given. Prints a
 * message where this fails: `passprobe annotate` then looks for symbols itself. */
void pp_keep_symbols(const struct pp_command_line *line, const struct pp_sessions *sessions);

#endif
