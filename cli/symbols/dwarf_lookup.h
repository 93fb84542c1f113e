/** @file
 * Functions, inlined functions and lines of addresses, by libdw; in a file without symbols, the begins of its
 * functions, from the unwind table. Each unit of debug information is walked once for all its addresses.
 * Reads hostile files: only for child processes. */
#ifndef PP_CLI_SYMBOLS_DWARF_LOOKUP_H
#define PP_CLI_SYMBOLS_DWARF_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/debug_file.h"

/** One function of an address. Texts are borrowed, as the file has them; "": not known. */
struct pp_found_symbol {
    const char *function;
    const char *file;
    uint64_t start; /**< file-relative begin of a function without a name; 0: not known */
    uint32_t line, column;
    bool inlined; /**< into the function that is found next for this address */
};

/** Receives the functions of an address, the innermost first. @return false: stop. */
typedef bool pp_found_function(void *data, size_t index, const struct pp_found_symbol *symbol);

/**
 * Look up addresses.
 *
 * @param offset File-relative addresses, ascending, each once.
 * @param found  Called for each address with symbols; @p index is that of the address.
 * @retval 0       All were looked up.
 * @retval -ENOMEM No memory.
 * @retval -EPIPE  @p found returned false.
 */
__attribute__((warn_unused_result)) int pp_dwarf_lookup(struct pp_debug_file *file, const uint64_t *offset,
                                                        size_t count, pp_found_function *found, void *data);

#endif
