/** @file
 * Functions, inlined functions and lines of addresses, by libdw; in a file without symbols, the begins of its
 * functions, from the unwind table. Each unit of debug information is walked once for all its addresses.
 * The unwind table's sorted index is .eh_frame_hdr. Reads hostile files: only for child processes. */
#ifndef PP_CLI_SYMBOLS_DWARF_LOOKUP_H
#define PP_CLI_SYMBOLS_DWARF_LOOKUP_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/call_stacks.h"

/* Finds the file with a module's debug information by the build id that was recorded. Reads hostile files:
 * only for child processes. */

/** Where debug information is looked for. Texts are borrowed. */
struct pp_debug_places {
    const char *const *folder; /**< of the user: trees like /usr/lib/debug, or folders with files */
    size_t folders;
    bool debuginfod;   /**< ask the servers of DEBUGINFOD_URLS */
    double recorded_s; /**< when the session began, in seconds since 1970; NaN: not known */
};

/** A module's debug information. */
struct pp_debug_file {
    Dwfl *dwfl;
    Dwfl_Module *module; /**< its addresses are file-relative */
    char *paths;         /**< owned; libdwfl reads it */
};

/**
 * Find and open a file with the module's build id: one with debug information, else one with symbols.
 *
 * @param ret Call pp_debug_file_close() whatever is returned.
 * @return PP_MODULE_LINES: opened, with debug information; PP_MODULE_NO_LINES: opened, without; else why no
 * file was opened.
 */
enum pp_module_state pp_debug_file_open(const struct pp_saved_module *module,
                                        const struct pp_debug_places *places, struct pp_debug_file *ret);

/** Close the file. */
void pp_debug_file_close(struct pp_debug_file *file);

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

/** Where the function of an address begins. @param offset File-relative. @return File-relative; 0: the unwind
 * table does not have the address. */
uint64_t pp_function_start(Dwfl_Module *module, uint64_t offset);

/** The last address in an index that is not above another one. @param index The bytes of .eh_frame_hdr.
 * @param at Address of its first byte. @return 0: none; or the index has another form than linkers write. */
uint64_t pp_function_start_find(const unsigned char *index, size_t len, uint64_t at, uint64_t wanted);

#endif
