/** @file
 * Bytes of a client of the control socket and of the metrics socket: whatever comes, and in whatever pieces,
 * lines are within their limits, and each becomes a command, an error, or the answer of a request. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/control/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As in core/config/config.c, whose table of options this target does not need. */
const char *
pp_level_name(enum pp_level level)
{
    static const char *const name[] = {"frame", "pass", "draw"};
    return name[level];
}

static void
take_order(const char *line)
{
    struct pp_order order = {.kind = PP_ORDER_NONE};
    enum pp_order_error error = pp_order_parse(line, &order);
    assert(error == PP_ORDER_OK || error == PP_ORDER_UNKNOWN || error == PP_ORDER_ARGUMENT);
    if (error == PP_ORDER_OK && order.kind == PP_ORDER_MARK)
        assert(order.text > line && *order.text);
    if (error == PP_ORDER_OK && order.kind == PP_ORDER_WATCH)
        assert(order.interval_ms >= PP_WATCH_MIN_MS && order.interval_ms <= PP_WATCH_MAX_MS);
    assert(*pp_order_error_text(error) || error == PP_ORDER_OK);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_line_reader reader = {.len = 0};
    struct pp_http_request request = {.lines = 0};
    char line[PP_LINE_BYTES];
    size_t piece = size ? (size_t)data[0] + 1 : 1;
    for (size_t at = 0; at < size;) {
        size_t space = 0;
        char *to = pp_line_reader_space(&reader, &space);
        size_t bytes = piece < size - at ? piece : size - at;
        bytes = bytes < space ? bytes : space;
        assert(bytes > 0); /* taking lines always makes space */
        memcpy(to, data + at, bytes);
        pp_line_reader_add(&reader, bytes);
        at += bytes;
        for (enum pp_line kind; (kind = pp_line_reader_take(&reader, line)) != PP_LINE_NONE;) {
            assert(memchr(line, '\0', sizeof(line)) && !strchr(line, '\n'));
            assert(kind == PP_LINE_TEXT || !*line);
            take_order(line);
            if (pp_http_request_take(&request, kind, line)) {
                assert(request.status >= 200 && request.status < 500);
                request = (struct pp_http_request){.lines = 0};
            }
        }
    }
    return 0;
}
