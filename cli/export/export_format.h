/** @file
 * What a format of `passprobe export` is: something that takes tables, row by row. Knows no session. See
 * also export_choice.h. */
#ifndef PP_CLI_EXPORT_EXPORT_FORMAT_H
#define PP_CLI_EXPORT_EXPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/** What the values of a column are. */
enum pp_export_type {
    PP_EXPORT_ANY, /**< a column that passprobe does not know: each value is what it looks like */
    PP_EXPORT_INTEGER,
    PP_EXPORT_REAL,
    PP_EXPORT_TEXT,
};

/** A column of a table. Its name is unique in the table, also without regard to case. */
struct pp_export_column {
    const char *name;
    enum pp_export_type type;
};

/** What a value is. */
enum pp_export_kind {
    PP_EXPORT_IS_NULL, /**< not measured */
    PP_EXPORT_IS_INTEGER,
    PP_EXPORT_IS_REAL,
    PP_EXPORT_IS_TEXT,
    PP_EXPORT_IS_JSON, /**< text is a JSON object or array */
};

/** A value. */
struct pp_export_value {
    enum pp_export_kind kind;
    int64_t integer;  /**< of PP_EXPORT_IS_INTEGER */
    double real;      /**< of PP_EXPORT_IS_REAL; finite */
    const char *text; /**< of texts and JSON: valid UTF-8. Of PP_EXPORT_IS_REAL: how the file writes it; NULL:
                         not known. Borrowed until row() returns */
    size_t len;       /**< bytes of text */
};

struct pp_export_format;

/** The functions of a format. Each returns 0 or -errno, and on failure writes format->why. All are mandatory
 * and run on one thread. */
struct pp_export_ops {
    /** Begin a table. Several tables may be open, and none is closed before end(). @p name and @p column are
     * borrowed until the function returns. @param ret_table Owned by the format. */
    int (*table)(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
                 size_t columns, void **ret_table);
    /** Add a row. @param value As many as the table has columns. */
    int (*row)(struct pp_export_format *format, void *table, const struct pp_export_value *value);
    /** All rows were added: write what is missing. */
    int (*end)(struct pp_export_format *format);
    /** Free everything, whether or not end() was called. */
    void (*destroy)(struct pp_export_format *format);
};

/** A format that writes. It is the first member of the format's own struct. */
struct pp_export_format {
    const struct pp_export_ops *ops;
    char why[512]; /**< after a failure: what went wrong, for a message */
};

#endif
