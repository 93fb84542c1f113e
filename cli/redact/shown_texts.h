/** @file
 * The different texts of a column, for commands that show what would leave the machine. Knows no file and no
 * table. See redact_show.h. */
#ifndef PP_CLI_REDACT_SHOWN_TEXTS_H
#define PP_CLI_REDACT_SHOWN_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

#endif
