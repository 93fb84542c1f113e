/** @file
 * Stat's summary of a session, 80 columns wide. Prints numbers under the names of their definitions;
 * decides nothing. */
#ifndef PP_CLI_PRINT_SUMMARY_H
#define PP_CLI_PRINT_SUMMARY_H

#include <stdio.h>

#include "cli/session/saved_session.h"

/**
 * Print a session: a block of tables for each surface that matters, then what concerns all surfaces.
 *
 * @param rec Its series get sorted.
 * @param command As typed, for the title.
 * @param dir Of the session.
 * @param end A sentence on how the recorded process ended, if it did not end regularly; else "".
 */
void pp_summary_print(FILE *out, struct pp_saved_session *rec, const char *command, const char *dir,
                      const char *end);

#endif
