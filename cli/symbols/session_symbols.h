/** @file
 * The call stacks of a session with all symbols that can be found here. See also session_symbols.c. */
#ifndef PP_CLI_SYMBOLS_SESSION_SYMBOLS_H
#define PP_CLI_SYMBOLS_SESSION_SYMBOLS_H

#include "cli/session/saved_session.h"
#include "cli/symbols/call_stacks.h"
#include "cli/symbols/dwarf_lookup.h"

/** Was the session recorded on this machine, as its name says? False where the name was removed. */
bool pp_session_is_from_here(const struct pp_saved_session *rec);

/** When a session began, in seconds since 1970; NaN: not known. */
double pp_session_recorded_s(const struct pp_saved_session *rec);

/**
 * Read a session's call stacks, and find their symbols: in symbols.csv, then in files of this machine, and in
 * the map that a just-in-time compiler left here.
 *
 * @param places Where debug information is; its recorded_s is that of the session.
 * @param why    PP_CALL_STACKS_WHY bytes.
 * @retval 0       Read; the caller calls pp_call_stacks_finish().
 * @retval -ENOENT The session has no call stacks.
 * @retval -errno  A file is wrong, or cannot be read; @p why says which.
 */
__attribute__((warn_unused_result)) int pp_session_symbols_read(const struct pp_saved_session *rec,
                                                                const struct pp_debug_places *places,
                                                                struct pp_call_stacks *ret, char *why);

#endif
