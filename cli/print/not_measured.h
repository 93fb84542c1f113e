/** @file
 * What could not be measured, and why, as stat, record and report say it. See also recording.h. */
#ifndef PP_CLI_PRINT_NOT_MEASURED_H
#define PP_CLI_PRINT_NOT_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/session/session_read.h"

/** Print a block for each reason: in stat's looks, or with @p lead "# " in report's. Nothing if nothing is
 * missing. */
void pp_missing_print(FILE *out, const struct pp_recording *rec, const char *lead);

/** Say a line for each reason on stderr. */
void pp_missing_say(const struct pp_recording *rec);

/** Room for what is damaged. */
#define PP_DAMAGE_MAX 1024

/** Did the session lose data after it was written: files that cannot be read, in full or at all, rows that
 * are not as they were? An application that was killed loses its last second, which is no damage. @param text
 * What, file by file; at most @p size bytes. @return It did. */
bool pp_missing_damage(const struct pp_recording *rec, char *text, size_t size);

/** A line on stderr for each of the session's files of which more was written than tables can tell apart.
 * @param dir Names the session. */
void pp_missing_say_left_out(const struct pp_recording *rec, const char *dir);

/** The same, and a line on what is damaged. */
void pp_missing_say_unread(const struct pp_recording *rec, const char *dir);

#endif
