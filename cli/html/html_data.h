/** @file
 * The figures of a session that the page holds, as JSON. script/ reads them; README.md describes them. Prints
 * nothing. */
#ifndef PP_CLI_HTML_HTML_DATA_H
#define PP_CLI_HTML_HTML_DATA_H

#include <jansson.h>

#include "cli/session/saved_session.h"

/**
 * Make the data of a page. Its size does not grow with the session: rows beyond a limit are counted.
 *
 * @param rec Read from a directory; its series get sorted, and its tables show all surfaces afterwards.
 * @param dir Path of the session.
 * @param ret A new reference.
 * @retval 0, -ENOMEM, -errno (a file cannot be read).
 */
__attribute__((warn_unused_result)) int pp_html_data_make(struct pp_saved_session *rec, const char *dir,
                                                          json_t **ret);

#endif
