/** @file
 * The values of `passprobe export --as`. A file export_NAME.c has a format, and the row that describes it. */
#ifndef PP_CLI_EXPORT_EXPORT_CHOICE_H
#define PP_CLI_EXPORT_EXPORT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pp_export_format;
struct pp_viewer_format;

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
