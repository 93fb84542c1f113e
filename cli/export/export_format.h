/** @file
 * What a format of `passprobe export` is: something that takes tables, row by row, and knows no session. Also
 * the values of --as: a file export_NAME.c has a format, and the row that describes it. */
#ifndef PP_CLI_EXPORT_EXPORT_FORMAT_H
#define PP_CLI_EXPORT_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pp_export_format;
struct pp_viewer_format;

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

/** The formats, in the order of the documentation. */
#define PP_EXPORT_CHOICES(X)                                                                                 \
    X(sqlite)                                                                                                \
    X(jsonl)                                                                                                 \
    X(presentmon)                                                                                            \
    X(mangohud)

/** A format: of tables, or for viewers of frame times. */
struct pp_export_choice {
    const char *ending; /**< of the file, after the session's name and a dot */
    /**
     * Begin to write tables. NULL: the format is for viewers.
     *
     * @param path An empty file, which no other process writes. Its content is undefined until end() has
     * succeeded. NULL: only @p out is there.
     * @param out  The same file or stdout, borrowed; end() flushes it. NULL with opens_path.
     * @param ret  Owned by the caller: ret->ops->destroy().
     * @param why  @p size bytes: what went wrong, written only on failure.
     * @retval 0, -ENOMEM, -EIO.
     */
    int (*create)(const char *path, FILE *out, struct pp_export_format **ret, char *why, size_t size);
    bool opens_path; /**< create() opens the file by itself, so that the format cannot go to stdout */
    const struct pp_viewer_format *viewer; /**< NULL: the format is one of tables */
};

#define PP_EXPORT_DECLARE(name) extern const struct pp_export_choice pp_export_as_##name;
PP_EXPORT_CHOICES(PP_EXPORT_DECLARE)
#undef PP_EXPORT_DECLARE

#endif
