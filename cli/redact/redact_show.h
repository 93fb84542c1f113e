/** @file
 * Prints what a session says after its redaction, so that the user can look at it before it leaves the
 * machine. */
#ifndef PP_CLI_REDACT_REDACT_SHOW_H
#define PP_CLI_REDACT_REDACT_SHOW_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/redact/redact_text.h"

/**
 * Print session.json, and of each file the different texts of its columns of texts, at most 100 of a column.
 * Columns of numbers and of fixed words are left out.
 *
 * @param redact NULL: everything as it is.
 * @param json   session.json, redacted; NULL: there is none.
 * @param file   Names of CSV files; NULL after the last one. Files that are missing are left out.
 * @retval 0, -errno: a file cannot be read.
 */
__attribute__((warn_unused_result)) int pp_redact_show(FILE *out, struct pp_redaction *redact, int dir_fd,
                                                       const json_t *json, const char *const *file);

#endif
