/** @file
 * A session as JSON lines: one object for each row, with the table's name as its first member. */
#ifndef PP_CLI_EXPORT_EXPORT_JSONL_H
#define PP_CLI_EXPORT_EXPORT_JSONL_H

#include <stddef.h>
#include <stdio.h>

#include "cli/export/export_format.h"

/**
 * Begin to write.
 *
 * @param out Borrowed; end() flushes it.
 * @param ret Owned by the caller: ret->ops->destroy().
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_export_jsonl_create(FILE *out, struct pp_export_format **ret);

#endif
