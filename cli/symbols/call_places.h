/** @file
 * Which line of the application began each pass and issued each draw of a session, by the symbols that the
 * session itself has. No file outside of the session is read. See also session_symbols.h. */
#ifndef PP_CLI_SYMBOLS_CALL_PLACES_H
#define PP_CLI_SYMBOLS_CALL_PLACES_H

#include "cli/session/saved_session.h"

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
