/** @file
 * Writes symbols.csv. See also symbols_file.h, which reads it. */
#ifndef PP_CLI_SYMBOLS_SYMBOLS_WRITE_H
#define PP_CLI_SYMBOLS_SYMBOLS_WRITE_H

#include "cli/symbols/call_stacks.h"

/** Write symbols.csv into a session directory: first under another name, then in its place. @retval 0,
 * -errno. */
__attribute__((warn_unused_result)) int pp_symbols_write(int dir_fd, const struct pp_call_stacks *stacks);

#endif
