/** @file
 * `passprobe decode mali`. */
#ifndef PP_CLI_COMMANDS_DECODE_MALI_H
#define PP_CLI_COMMANDS_DECODE_MALI_H

#include "cli/commands/decode.h"

/** Decode a Mali file. @return exit status. */
int pp_decode_mali(const struct pp_decode *decode);

#endif
