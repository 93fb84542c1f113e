/** @file
 * Checks rows, and gives them to the sink. For push_rows.c. */
#ifndef PP_CLI_PUSH_PUSH_ROW_GIVE_H
#define PP_CLI_PUSH_PUSH_ROW_GIVE_H

#include "cli/push/push_rows.h"

/** Note a failure. @return @p rc. */
int pp_push_rows_fail(struct pp_push_rows *rows, int rc);

/** Can a column of this type have the value? Cuts a text that is too long. */
bool pp_push_row_fit(struct pp_push_rows *rows, enum pp_push_type type, struct pp_export_value *value);

/** Redact a text, unless nothing is redacted. The new text is valid until the next pp_push_rows_give()
 * returns.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_push_row_redact(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value);

/**
 * Redact and check a row, count it and give it to the sink. A value that its column cannot have becomes NULL,
 * or ""; if the column must have one and is no text, the row is left out.
 *
 * @param value As many as the table has columns; changed.
 * @retval 0, -errno.
 */
__attribute__((warn_unused_result)) int pp_push_rows_give(struct pp_push_rows *rows, enum pp_push_table table,
                                                          struct pp_export_value *value,
                                                          const struct pp_push_pair *pair, size_t pairs);

#endif
