/** @file
 * Finds the file with a module's debug information by the build id that was recorded. Reads hostile files:
 * only for child processes. See also dwarf_lookup.h. */
#ifndef PP_CLI_SYMBOLS_DEBUG_FILE_H
#define PP_CLI_SYMBOLS_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/call_stacks.h"

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

#endif
