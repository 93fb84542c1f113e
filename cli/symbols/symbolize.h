/** @file
 * Finds the symbols of all addresses of a session's call stacks. Each file is read by a child process, so a
 * hostile or broken file does no harm. Prints nothing. See also symbols_file.h. */
#ifndef PP_CLI_SYMBOLS_SYMBOLIZE_H
#define PP_CLI_SYMBOLS_SYMBOLIZE_H

#include <stddef.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/debug_file.h"

/**
 * Look up the addresses that have no line yet, in the files of their modules.
 *
 * @param stacks Its symbols grow, and the states of its modules are set. A child process reads the files one
 * after another, and each may take two minutes.
 * @retval 0, -ENOMEM, -errno (no child process can be made).
 */
__attribute__((warn_unused_result)) int pp_symbolize(struct pp_call_stacks *stacks,
                                                     const struct pp_debug_places *places);

#endif
