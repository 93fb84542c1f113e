/** @file
 * See request.h. */
#include "core/control/request.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

char *
pp_line_reader_space(struct pp_line_reader *reader, size_t *ret_size)
{
    *ret_size = PP_LINE_BYTES - reader->len;
    return reader->text + reader->len;
}

void
pp_line_reader_add(struct pp_line_reader *reader, size_t bytes)
{
    assert(bytes <= PP_LINE_BYTES - reader->len);
    reader->len += bytes;
}

/* Remove the first bytes. */
static void
remove_first(struct pp_line_reader *reader, size_t bytes)
{
    reader->len -= bytes;
    memmove(reader->text, reader->text + bytes, reader->len);
}

bool
pp_line_reader_has_line(const struct pp_line_reader *reader)
{
    return memchr(reader->text, '\n', reader->len) != NULL;
}

enum pp_line
pp_line_reader_take(struct pp_line_reader *reader, char *ret_line)
{
    const char *end = memchr(reader->text, '\n', reader->len);
    *ret_line = '\0';
    if (!end && reader->len == PP_LINE_BYTES) {
        reader->skipping = true;
        reader->len = 0;
    }
    if (!end)
        return PP_LINE_NONE;
    size_t len = (size_t)(end - reader->text);
    bool skipped = reader->skipping;
    reader->skipping = false;
    if (!skipped) {
        size_t text = len > 0 && end[-1] == '\r' ? len - 1 : len;
        for (size_t i = 0; i < text; i++)
            ret_line[i] = reader->text[i] ? reader->text[i] : '\1';
        ret_line[text] = '\0';
    }
    remove_first(reader, len + 1);
    return skipped ? PP_LINE_TOO_LONG : PP_LINE_TEXT;
}

static const struct {
    const char *name;
    enum pp_order_kind kind;
} known[] = {
    {"status", PP_ORDER_STATUS}, {"start", PP_ORDER_START}, {"stop", PP_ORDER_STOP},
    {"toggle", PP_ORDER_TOGGLE}, {"level", PP_ORDER_LEVEL}, {"mark", PP_ORDER_MARK},
    {"quit", PP_ORDER_QUIT},     {"watch", PP_ORDER_WATCH},
};

static bool
is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t len = 1;
    while (*at && (len = pp_utf8_length(at)) > 0)
        at += len;
    return len > 0;
}

/* Read "frame", "pass" or "draw". */
static bool
read_level(const char *text, enum pp_level *ret)
{
    for (enum pp_level level = PP_LEVEL_FRAME; level <= PP_LEVEL_DRAW; level++)
        if (strcmp(text, pp_level_name(level)) == 0) {
            *ret = level;
            return true;
        }
    return false;
}

/* Read the interval of `watch`. */
static bool
read_interval(const char *text, uint32_t *ret)
{
    uint32_t value = 0;
    size_t digits = strspn(text, "0123456789");
    if (!*text) {
        *ret = PP_WATCH_DEFAULT_MS;
        return true;
    }
    if (text[digits] || digits > 5)
        return false;
    for (size_t i = 0; i < digits; i++)
        value = 10 * value + (uint32_t)(text[i] - '0');
    if (value < PP_WATCH_MIN_MS || value > PP_WATCH_MAX_MS)
        return false;
    *ret = value;
    return true;
}

enum pp_order_error
pp_order_parse(const char *line, struct pp_order *ret)
{
    struct pp_order order = {PP_ORDER_NONE, PP_LEVEL_FRAME, 0, NULL};
    size_t word = strcspn(line, " ");
    const char *rest = line + word + strspn(line + word, " ");
    bool good = !*rest;
    if (!*rest && word == 0) {
        *ret = order;
        return PP_ORDER_OK;
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (strlen(known[i].name) == word && strncmp(known[i].name, line, word) == 0)
            order.kind = known[i].kind;
    if (order.kind == PP_ORDER_NONE || !is_utf8(rest))
        return PP_ORDER_UNKNOWN;
    if (order.kind == PP_ORDER_LEVEL)
        good = read_level(rest, &order.level);
    else if (order.kind == PP_ORDER_WATCH)
        good = read_interval(rest, &order.interval_ms);
    else if (order.kind == PP_ORDER_MARK)
        good = *rest;
    if (!good)
        return PP_ORDER_ARGUMENT;
    order.text = order.kind == PP_ORDER_MARK ? rest : NULL;
    *ret = order;
    return PP_ORDER_OK;
}

const char *
pp_order_error_name(enum pp_order_error error)
{
    static const char *const name[] = {"", "unknown", "argument", "too_long", "too_many", "ended", "failed"};
    return name[error];
}

const char *
pp_order_error_text(enum pp_order_error error)
{
    static const char *const text[] = {"",
                                       PP_TEXT_CONTROL_UNKNOWN,
                                       PP_TEXT_CONTROL_ARGUMENT,
                                       PP_TEXT_CONTROL_TOO_LONG,
                                       PP_TEXT_CONTROL_TOO_MANY,
                                       PP_TEXT_CONTROL_ENDED,
                                       PP_TEXT_CONTROL_FAILED};
    return text[error];
}

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
