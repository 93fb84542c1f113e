/** @file
 * symbols.csv: what the addresses of a session's call stacks mean, so that the session can be read on another
 * machine. docs/formats/session.md describes the file. Its bytes may be hostile. */
#ifndef PP_CLI_SYMBOLS_SYMBOLS_FILE_H
#define PP_CLI_SYMBOLS_SYMBOLS_FILE_H

#include <stddef.h>

#include "cli/symbols/call_stacks.h"

/** Name of the file. */
#define PP_SYMBOLS_FILE "symbols.csv"
/** The file's header row. */
#define PP_SYMBOLS_HEADER "module,offset,function,file,line,column,inlined,start"

/**
 * Read symbols.csv of a session.
 *
 * @param why PP_CALL_STACKS_WHY bytes; names row and column of a mistake.
 * @retval 0       Read, or there is no such file.
 * @retval -EINVAL A mistake; @p why says which.
 * @retval -errno  The file cannot be read; @p why says why.
 */
__attribute__((warn_unused_result)) int pp_symbols_read(const struct pp_stack_files *files,
                                                        struct pp_call_stacks *stacks, char *why);

#endif
