/** @file
 * Adds symbols to the addresses of call stacks. Knows no file. */
#ifndef PP_CLI_SYMBOLS_SYMBOL_TABLE_H
#define PP_CLI_SYMBOLS_SYMBOL_TABLE_H

#include <stddef.h>

#include "cli/symbols/call_stacks.h"

/** Bytes of a function's name or a file's path at most; the rest is cut off. */
#define PP_SYMBOL_TEXT 16384U

/** Add a symbol to the last ones of an address. Texts are copied into the pool, without control characters.
 * Symbols of one address must be added one after another. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_symbols_add(struct pp_call_stacks *stacks, size_t address,
                                                       const struct pp_symbol *symbol);

#endif
