/** @file
 * JSON text in memory, for session.json. passprobe has its own writer because it runs inside the application,
 * where the symbols of a library could collide with the application's. The commands read JSON with a library.
 */
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
    int one_line;   /**< set it before the first element: everything is on one line */
};

/** Open an object or array, as member @p key (NULL inside an array or at the top). */
void pp_json_open(struct pp_json *json, const char *key, char bracket);

/** Close an object with '}' or an array with ']'. */
void pp_json_close(struct pp_json *json, char bracket);

/** Append a member; @p key is NULL inside an array. Text is escaped, and bytes that are not UTF-8 become
 * U+FFFD. A NULL text is written as null. */
void pp_json_text(struct pp_json *json, const char *key, const char *text);
void pp_json_u64(struct pp_json *json, const char *key, uint64_t value);
void pp_json_bool(struct pp_json *json, const char *key, int value);

/** Append a decimal number with nine digits after the point. Does not depend on the locale. */
void pp_json_double(struct pp_json *json, const char *key, double value);

#endif
