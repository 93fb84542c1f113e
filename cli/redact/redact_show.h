/** @file
 * Prints what a session says after its redaction, so that the user can look at it before it leaves the
 * machine: session.json, and the different texts of columns. Commands that send other rows print their texts
 * so, too. */
#ifndef PP_CLI_REDACT_REDACT_SHOW_H
#define PP_CLI_REDACT_REDACT_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/redact/redact_text.h"
#include "counters/util/name_table.h"

/** Most texts of a column that are shown. */
#define PP_SHOWN_TEXTS_MOST 100U

/** The different texts of a column. Begin with all zero. */
struct pp_shown_texts {
    struct pp_name_table seen;
    char *text[PP_SHOWN_TEXTS_MOST]; /**< owned, in the order in which they came */
    size_t texts;
    bool more; /**< there are others */
};

/** Remember a text, unless it is known. @param text @p len bytes. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_shown_texts_add(struct pp_shown_texts *texts, const char *text,
                                                           size_t len);

/** Print the texts, under a line with the names of the file or table and of the column. Without texts nothing
 * is printed. */
void pp_shown_texts_print(FILE *out, const struct pp_shown_texts *texts, const char *table,
                          const char *column);

/** Free everything. */
void pp_shown_texts_finish(struct pp_shown_texts *texts);

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
