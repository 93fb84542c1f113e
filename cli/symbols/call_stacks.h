/** @file
 * Module: the call stacks of a session, and what their addresses mean. Reads stacks.csv and modules.csv,
 * whose bytes may be hostile. docs/formats/session.md describes both. See also session_symbols.c. */
#ifndef PP_CLI_SYMBOLS_CALL_STACKS_H
#define PP_CLI_SYMBOLS_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/symbols/text_pool.h"

/** Instead of a module: none holds the address. */
#define PP_SAVED_NO_MODULE SIZE_MAX

/** Why a module has no symbols, or not all of them. */
enum pp_module_state {
    PP_MODULE_UNREAD,   /**< nothing was looked up */
    PP_MODULE_LINES,    /**< the file has debug information */
    PP_MODULE_NO_LINES, /**< the file has a table of symbols only */
    PP_MODULE_STRIPPED, /**< the file has no symbol for an address */
    PP_MODULE_NO_FILE,  /**< there is no such file */
    PP_MODULE_OTHER,    /**< the file is another build than the recorded one */
    PP_MODULE_NO_ID,    /**< the build that was recorded has no build id, and the file was changed since */
    PP_MODULE_BROKEN,   /**< the file is no ELF file, or the process that read it crashed */
    PP_MODULE_SLOW,     /**< the process that read it took too long */
};

/** A file that the application had loaded. Texts belong to the pool. */
struct pp_saved_module {
    uint64_t number;      /**< in modules.csv */
    const char *path;     /**< or "[vdso]", "[anon]" */
    const char *build_id; /**< hexadecimal; "": none */
    uint64_t load_bias;   /**< address less file-relative address */
    uint64_t start, end;  /**< addresses; 0: not known */
    enum pp_module_state state;
};

/** A function and line of an address, or one of the functions inlined there. Texts belong to the pool,
 * without control characters; "": not known. */
struct pp_symbol {
    const char *function;
    const char *file;
    uint64_t start;        /**< file-relative begin of a function without a name; 0: not known */
    uint32_t line, column; /**< 0: not known */
    bool inlined;          /**< into the function of the next symbol of this address */
};

/** An address in the application: the call is there. */
struct pp_address {
    size_t module;   /**< index; PP_SAVED_NO_MODULE: offset is an absolute address */
    uint64_t offset; /**< file-relative */
    size_t symbol;   /**< first of its symbols, the innermost inlined function first */
    size_t symbols;  /**< 0: none known */
};

/** A call stack. */
struct pp_call_stack {
    uint64_t id;           /**< in the columns `stack` */
    size_t frame, frames;  /**< first of its places in pp_call_stacks.frame, the innermost first */
    const char *truncated; /**< why it ends early; "": it does not */
};

/** All call stacks of a session. Everything in it is owned; begin with all zero. */
struct pp_call_stacks {
    struct pp_saved_module *module; /**< by number, ascending */
    size_t modules, module_cap;
    struct pp_address *address; /**< each address once */
    size_t addresses, address_cap;
    struct pp_call_stack *stack; /**< by id, ascending */
    size_t stacks, stack_cap;
    size_t *frame; /**< indices of addresses */
    size_t frames, frame_cap;
    struct pp_symbol *symbol;
    size_t symbols, symbol_cap;
    struct pp_text_pool texts;
    size_t *slot; /**< index + 1 of an address by its hash; 0: free */
    size_t slots;
};

/** Size of the text that says what is wrong with a file. */
#define PP_CALL_STACKS_WHY 512

/** Where the files of a session are: in its directory or, for the fuzz target, in memory. */
struct pp_stack_files {
    int dir_fd;
    bool in_memory;
    const char *modules, *stacks, *symbols; /**< their texts, if they are in memory; borrowed */
    size_t modules_len, stacks_len, symbols_len;
};

/**
 * Read modules.csv and stacks.csv of a session.
 *
 * @param why     PP_CALL_STACKS_WHY bytes; names file, row and column of a mistake.
 * @retval 0       Read.
 * @retval -ENOENT The session has no stacks.
 * @retval -EINVAL A mistake; @p why says which.
 * @retval -errno  A file cannot be read; @p why says which.
 */
__attribute__((warn_unused_result)) int pp_call_stacks_read(const struct pp_stack_files *files,
                                                            struct pp_call_stacks *ret, char *why);

/** The stack with an id; NULL: there is none. */
const struct pp_call_stack *pp_call_stacks_find(const struct pp_call_stacks *stacks, uint64_t id);

/** Index of an address, added if it is new. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_call_stacks_address(struct pp_call_stacks *stacks, size_t module,
                                                               uint64_t offset, size_t *ret);

/** Index of the module with a number; PP_SAVED_NO_MODULE: there is none. */
size_t pp_call_stacks_module(const struct pp_call_stacks *stacks, uint64_t number);

/** Read a number of these files: decimal, or hexadecimal after "0x". @return false: it is none. */
__attribute__((warn_unused_result)) bool pp_call_stacks_number(const char *text, size_t len, uint64_t *ret);

/** Free everything. The struct is all zero afterwards. */
void pp_call_stacks_finish(struct pp_call_stacks *stacks);

/** Bytes of a function's name or a file's path at most; the rest is cut off. */
#define PP_SYMBOL_TEXT 16384U

/** Add a symbol to the last ones of an address. Texts are copied into the pool, without control characters.
 * Symbols of one address must be added one after another. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_symbols_add(struct pp_call_stacks *stacks, size_t address,
                                                       const struct pp_symbol *symbol);

#endif
