/** @file
 * Commands of the control socket: from a line to what it asks for. Pure functions. The language is in
 * docs/formats/control.md. */
#ifndef PP_CORE_CONTROL_ORDER_H
#define PP_CORE_CONTROL_ORDER_H

#include <stdint.h>

#include "core/config/config.h"

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

#endif
