/** @file
 * JSON text into memory, for session.json. Written by hand because it runs inside the profiled program,
 * where a library's symbols would meet the application's own; the commands read JSON with a library. */
#ifndef PP_CORE_UTIL_JSON_WRITE_H
#define PP_CORE_UTIL_JSON_WRITE_H

#include <stddef.h>
#include <stdint.h>

/** Text being built. Zero it first; free `text`. */
struct pp_json {
    char *text;
    size_t len;
    size_t cap;
    int error;      /**< -ENOMEM once it happened; nothing is added after it */
    unsigned depth; /**< for indentation */
    int first;      /**< no comma before the next element */
};

/** Open an object or array, as member @p key (NULL inside an array or at the top). */
void pp_json_open(struct pp_json *json, const char *key, char bracket);

/** Close it with '}' or ']'. */
void pp_json_close(struct pp_json *json, char bracket);

/** Members; @p key NULL inside an array. Text is escaped, bytes that are no UTF-8 become U+FFFD. NULL text is
 * null. */
void pp_json_text(struct pp_json *json, const char *key, const char *text);
void pp_json_u64(struct pp_json *json, const char *key, uint64_t value);
void pp_json_bool(struct pp_json *json, const char *key, int value);

/** A decimal with nine digits behind the point, whatever the locale. */
void pp_json_double(struct pp_json *json, const char *key, double value);

#endif
