/** @file
 * Room: what could not be measured, and why, as stat, record and report say it. Next room: recording.h. */
#ifndef PP_CLI_MISSING_H
#define PP_CLI_MISSING_H

#include <stdio.h>

#include "cli/recording.h"

/** Print a block for each reason: in stat's looks, or with @p lead "# " in report's. Nothing if nothing is
 * missing. */
void pp_missing_print(FILE *out, const struct pp_recording *rec, const char *lead);

/** Say a line for each reason on stderr. */
void pp_missing_say(const struct pp_recording *rec);

/** A line on stderr for each of the session's files that cannot be read, in full or at all, and for rows that
 * were left out. @param dir Names the session. */
void pp_missing_say_unread(const struct pp_recording *rec, const char *dir);

#endif
