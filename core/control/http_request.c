/** @file
 * See http_request.h. */
#include "core/control/http_request.h"

#include <string.h>

/* Is this the page's path, with or without a query? */
static bool
is_page(const char *target, size_t len)
{
    static const char page[] = "/metrics";
    const char *query = memchr(target, '?', len);
    size_t path = query ? (size_t)(query - target) : len;
    return (path == 1 && *target == '/') ||
           (path == sizeof(page) - 1 && strncmp(target, page, sizeof(page) - 1) == 0);
}

/* Read "GET /metrics HTTP/1.1". @return The status of the answer. */
static unsigned
read_first(struct pp_http_request *request, const char *text)
{
    size_t method = strcspn(text, " ");
    if (!text[method])
        return 400;
    const char *target = text + method + 1;
    size_t len = strcspn(target, " ");
    if (*target != '/' || strncmp(target + len, " HTTP/1.", strlen(" HTTP/1.")) != 0)
        return 400;
    request->head = method == strlen("HEAD") && strncmp(text, "HEAD", method) == 0;
    if (!request->head && (method != strlen("GET") || strncmp(text, "GET", method) != 0))
        return 405;
    return is_page(target, len) ? 200 : 404;
}

bool
pp_http_request_take(struct pp_http_request *request, enum pp_line line, const char *text)
{
    bool first = request->lines++ == 0;
    if (first)
        request->status = line == PP_LINE_TEXT ? read_first(request, text) : 414;
    /* What does not begin like HTTP may have no empty line. */
    if (first)
        return request->status == 400 || request->status == 414;
    if (request->lines > PP_HTTP_LINES) {
        request->status = 431;
        return true;
    }
    return line == PP_LINE_TEXT && !*text;
}
