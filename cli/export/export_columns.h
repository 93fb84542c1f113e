/** @file
 * Name and type of each column of a session's file in a database. Knows the columns of
 * docs/formats/session.md. */
#ifndef PP_CLI_EXPORT_EXPORT_COLUMNS_H
#define PP_CLI_EXPORT_EXPORT_COLUMNS_H

#include <stdbool.h>

#include "cli/export/export_format.h"
#include "cli/session/csv_read.h"

/** The columns of a file. Begin with all zero. */
struct pp_export_columns {
    struct pp_export_column *column; /**< owned */
    char **name;                     /**< of each column; owned, and so is the array */
    size_t columns;
};

/**
 * Make the columns of a header row.
 *
 * A name that an earlier column has, without regard to the case of ASCII letters, gets a number, as in
 * "app:a_2". Databases do not distinguish "app:A" from "app:a". So does the name "table", because a row of
 * JSON lines has such a member. A column without a name becomes "column_N". Bytes that are no UTF-8 become
 * '?'.
 *
 * @param place Type of the columns `device` and `surface`.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_export_columns_make(const struct pp_cell *cell, size_t cells,
                                                               enum pp_export_type place,
                                                               struct pp_export_columns *ret);

/** Free the columns. */
void pp_export_columns_finish(struct pp_export_columns *columns);

/** Replace bytes that are no UTF-8 by '?', in place. @return @p text. */
char *pp_export_utf8(char *text);

/** Is the text valid UTF-8? */
bool pp_export_is_utf8(const char *text);

/**
 * The value of a cell.
 *
 * @param ret Its text is the cell's.
 * @return false: the column has numbers, and the cell is none; the value is NULL then.
 */
__attribute__((warn_unused_result)) bool
pp_export_value_of(const struct pp_cell *cell, enum pp_export_type type, struct pp_export_value *ret);

#endif
