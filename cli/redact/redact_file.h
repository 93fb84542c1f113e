/** @file
 * Passes a file of a session through the redaction. Knows which files a session has. See also redact_text.h,
 * redact_json.h. */
#ifndef PP_CLI_REDACT_REDACT_FILE_H
#define PP_CLI_REDACT_REDACT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/redact/redact_text.h"

/** Takes the redacted bytes, part by part. @return 0; else what pp_redact_file() returns. */
typedef int pp_redact_sink(void *data, const char *bytes, size_t len);

/** Bytes of a row, above which a file is refused: readers refuse cells of 1 MiB already. */
#define PP_REDACT_ROW_MAX ((size_t)8 << 20)

/** Does the file of this name hold paths of the machine that recorded the session? Then its texts are
 * redacted by pp_redact_words(). */
bool pp_redact_has_paths(const char *name);

/**
 * Redact a file row by row: paths of modules and sources (modules.csv, symbols.csv) by pp_redact_words(), the
 * other files by pp_redact_text(). Labels and names of the application's own stay. Not for session.json.
 *
 * @param name Of the file, which decides how it is redacted.
 * @param fd   Open for reading, at its begin; borrowed.
 * @retval 0
 * @retval -EFBIG  A row is longer than PP_REDACT_ROW_MAX.
 * @retval -errno  Reading failed, no memory, or what @p sink returned.
 */
__attribute__((warn_unused_result)) int pp_redact_file(struct pp_redaction *redaction, const char *name,
                                                       int fd, pp_redact_sink *sink, void *data);

#endif
