/** @file
 * Reads labels.csv of a session; see saved_session.h. */
#ifndef PP_CLI_SESSION_LABELS_READ_H
#define PP_CLI_SESSION_LABELS_READ_H

#include <stddef.h>

struct pp_saved_session;

/** Read labels.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). After passes.csv.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_labels(struct pp_saved_session *rec, const char *name,
                                                             const char *text, size_t len);

/** A label path for tables: as the application wrote its names, where no other path of the session looks the
 * same then; else with '\\' in front of '/' and '\\' in them. @param part The path, or its end. @return @p
 * part, or @p text. */
const char *pp_saved_label_text(const struct pp_saved_session *rec, const char *path, const char *part,
                                char *text, size_t size);

#endif
