/** @file
 * See order.h. */
#include "core/control/order.h"

#include <stdbool.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

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
