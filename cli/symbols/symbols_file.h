/** @file
 * symbols.csv: what the addresses of a session's call stacks mean, so that the session can be read on another
 * machine. docs/formats/session.md describes the file. Reads and writes it, and finds with it which line of
 * the application began each pass and issued each draw. Its bytes may be hostile. */
#ifndef PP_CLI_SYMBOLS_SYMBOLS_FILE_H
#define PP_CLI_SYMBOLS_SYMBOLS_FILE_H

#include <stddef.h>

#include "cli/session/saved_session.h"
#include "cli/symbols/call_stacks.h"

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

/** Write symbols.csv into a session directory: first under another name, then in its place. @retval 0,
 * -errno. */
__attribute__((warn_unused_result)) int pp_symbols_write(int dir_fd, const struct pp_call_stacks *stacks);

/**
 * Find the innermost call of each pass and draw: `calls.at` becomes "FILE:LINE", the function where no line
 * is known, MODULE+0xOFFSET where no function is known either. Where the session has no stacks, nothing
 * changes.
 *
 * @retval 0       Found. A file that is damaged gives no places; `annotate` says what is wrong with it.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_call_places_find(struct pp_saved_session *rec);

#endif
