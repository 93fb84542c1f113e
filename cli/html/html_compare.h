/** @file
 * A comparison of sessions as one HTML page, with the frames of both sides. See also html_report.h. */
#ifndef PP_CLI_HTML_HTML_COMPARE_H
#define PP_CLI_HTML_HTML_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit_check.h"

/**
 * Make the data of the page: `diff` as diff --json writes it, `old` and `new` as pp_html_data_make() makes
 * them of each side's first run, with its tags; null where that is a summary without frames.
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

/** Write the page. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_html_compare_write(FILE *out, const json_t *data);

#endif
