/** @file
 * The marks of a session in `report -v`. */
#ifndef PP_CLI_PRINT_MARKS_H
#define PP_CLI_PRINT_MARKS_H

#include "cli/session/saved_session.h"

/** Print the marks that the application or `passprobe ctl` set, in order: frame, seconds since the session
 * began, text. Prints nothing if there are none. @param most Rows at most; the last line says how many there
 * are more. */
void pp_marks_print(FILE *out, const struct pp_saved_session *rec, size_t most);

#endif
