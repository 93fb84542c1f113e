/** @file
 * `passprobe decode intel-oa`. */
#ifndef PP_CLI_COMMANDS_DECODE_OA_H
#define PP_CLI_COMMANDS_DECODE_OA_H

#include "cli/commands/decode.h"

/** Decode an Intel OA file. @return exit status. */
int pp_decode_oa(const struct pp_decode *decode);

#endif
