/** @file
 * A session as an SQLite database: tables with types, indexes and views. */
#ifndef PP_CLI_EXPORT_EXPORT_SQLITE_H
#define PP_CLI_EXPORT_EXPORT_SQLITE_H

#include <stddef.h>

#include "cli/export/export_format.h"

/** Version of the tables, in `PRAGMA user_version`. It rises when a query may have to change. */
#define PP_EXPORT_SQLITE_VERSION 1

/**
 * Begin a database.
 *
 * @param path An empty file, which no other process writes. Its content is undefined until end() has
 * succeeded.
 * @param ret  Owned by the caller: ret->ops->destroy().
 * @param why  @p size bytes: what went wrong, written only on failure.
 * @retval 0, -ENOMEM, -EIO.
 */
__attribute__((warn_unused_result)) int
pp_export_sqlite_create(const char *path, struct pp_export_format **ret, char *why, size_t size);

#endif
