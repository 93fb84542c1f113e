/** @file
 * A session, or a comparison, as one HTML page that needs no other file and no network: the page, and its
 * figures as JSON. See README.md. */
#ifndef PP_CLI_HTML_HTML_PAGE_H
#define PP_CLI_HTML_HTML_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit_check.h"
#include "cli/session/saved_session.h"

/** Write the page of a session. @param data As pp_html_data_make() makes it. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_report_write(FILE *out, const json_t *data);

/* The figures of a session that the page holds, as JSON. script/ reads them; README.md describes them. Prints
 * nothing. */

/**
 * Make the data of a session's page. Its size does not grow with the session: rows beyond a limit are
 * counted.
 *
 * @param rec Read from a directory; its series get sorted, and its tables show all surfaces afterwards.
 * @param dir Path of the session.
 * @param ret A new reference.
 * @retval 0, -ENOMEM, -errno (a file cannot be read).
 */
__attribute__((warn_unused_result)) int pp_html_data_make(struct pp_saved_session *rec, const char *dir,
                                                          json_t **ret);

/* A comparison of sessions as one HTML page, with the frames of both sides. */

/**
 * Make the data of a comparison's page: `diff` as diff --json writes it, `old` and `new` as
 * pp_html_data_make() makes them of each side's first run, with its tags; null where that is a summary
 * without frames.
 *
 * @param checks What the limits say, as for diff --json. @param window Frames that count; as for the
 * comparison.
 * @param ret A new reference.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_html_compare_make(const struct pp_diff *diff,
                                                             const struct pp_limit_checks *checks,
                                                             const struct pp_window_given *window,
                                                             json_t **ret);

/** Write the page of a comparison. @param data As pp_html_compare_make() makes it. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_compare_write(FILE *out, const json_t *data);

#endif
