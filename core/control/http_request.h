/** @file
 * Requests of HTTP 1.0 and 1.1 for one page. Reads only what is needed to answer with that page, or with an
 * error. Knows no descriptor. Source: RFC 9112. */
#ifndef PP_CORE_CONTROL_HTTP_REQUEST_H
#define PP_CORE_CONTROL_HTTP_REQUEST_H

#include <stdbool.h>

#include "core/control/line_reader.h"

/** Most header lines of a request. */
#define PP_HTTP_LINES 100U

/** A request so far. All zero: nothing came. */
struct pp_http_request {
    unsigned lines;  /**< so far, with the first one */
    unsigned status; /**< of the answer: 200, 400, 404, 405, 414, 431; 0: not known yet */
    bool head;       /**< the answer has no content */
};

/**
 * Take a line of the request.
 *
 * @param line What pp_line_reader_take() found: PP_LINE_TEXT or PP_LINE_TOO_LONG.
 * @param text The line.
 * @return true: the request is complete; answer with @p request->status.
 */
bool pp_http_request_take(struct pp_http_request *request, enum pp_line line, const char *text);

#endif
