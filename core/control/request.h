/** @file
 * What a client of a control socket or of the metrics socket asks: lines, orders, requests of HTTP.
 *
 * Splits the bytes of a connection into lines of limited length. Knows no descriptor.
 *
 * Commands of the control socket: from a line to what it asks for. Pure functions. The language is in
 * docs/formats/control.md.
 *
 * Requests of HTTP 1.0 and 1.1 for one page. Reads only what is needed to answer with that page, or with an
 * error. Knows no descriptor. Source: RFC 9112. */
#ifndef PP_CORE_CONTROL_REQUEST_H
#define PP_CORE_CONTROL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"

/** Most bytes of a line, with its line end. */
#define PP_LINE_BYTES ((size_t)1024)

/** What pp_line_reader_take() found. */
enum pp_line {
    PP_LINE_NONE,    /**< no whole line yet */
    PP_LINE_TEXT,    /**< a line */
    PP_LINE_TOO_LONG /**< a line that was too long; it is skipped up to its end */
};

/** Bytes that came and are not taken. All zero: none. */
struct pp_line_reader {
    char text[PP_LINE_BYTES];
    size_t len;
    bool skipping; /**< the begin of a line that was too long is gone already */
};

/** Where the next bytes of the connection belong. @param ret_size How many have space there; 0 only if a
 * whole line waits to be taken. */
char *pp_line_reader_space(struct pp_line_reader *reader, size_t *ret_size);

/** Commit @p bytes that the caller wrote into pp_line_reader_space(). */
void pp_line_reader_add(struct pp_line_reader *reader, size_t bytes);

/** Is there a whole line? */
bool pp_line_reader_has_line(const struct pp_line_reader *reader);

/** Take the next line. @param ret_line PP_LINE_BYTES bytes: the line without its end, NUL-terminated; a NUL
 * byte of the client becomes 0x01, so that the line stays whole. Empty unless PP_LINE_TEXT. */
enum pp_line pp_line_reader_take(struct pp_line_reader *reader, char *ret_line);

/** What a client asks for. */
enum pp_order_kind {
    PP_ORDER_NONE, /**< an empty line: no answer */
    PP_ORDER_STATUS,
    PP_ORDER_START,
    PP_ORDER_STOP,
    PP_ORDER_TOGGLE,
    PP_ORDER_LEVEL,
    PP_ORDER_MARK,
    PP_ORDER_QUIT,
    PP_ORDER_WATCH
};

/** Why a command was not carried out. */
enum pp_order_error {
    PP_ORDER_OK,
    PP_ORDER_UNKNOWN,
    PP_ORDER_ARGUMENT,
    PP_ORDER_TOO_LONG,
    PP_ORDER_TOO_MANY,
    PP_ORDER_ENDED,
    PP_ORDER_FAILED
};

/** Milliseconds between two lines of `watch`. */
#define PP_WATCH_MIN_MS     100U
#define PP_WATCH_MAX_MS     60000U
#define PP_WATCH_DEFAULT_MS 1000U

/** A command. */
struct pp_order {
    enum pp_order_kind kind;
    enum pp_level level;  /**< of LEVEL */
    uint32_t interval_ms; /**< of WATCH */
    const char *text;     /**< of MARK: points into the line */
};

/** Read a command. @param ret Unchanged on an error. @return PP_ORDER_OK, PP_ORDER_UNKNOWN,
 * PP_ORDER_ARGUMENT. */
enum pp_order_error pp_order_parse(const char *line, struct pp_order *ret);

/** The word of an error for programs: "unknown", ... */
const char *pp_order_error_name(enum pp_order_error error);

/** What an error means, for people. */
const char *pp_order_error_text(enum pp_order_error error);

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
