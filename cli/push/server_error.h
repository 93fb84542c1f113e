/** @file
 * What a ClickHouse server says when it refuses a request. Reads bytes of any server; opens nothing. */
#ifndef PP_CLI_PUSH_SERVER_ERROR_H
#define PP_CLI_PUSH_SERVER_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/** What a failed step of a push means. */
enum pp_push_failure {
    PP_PUSH_AGAIN,   /**< it may succeed later: the network, or a server with too much to do */
    PP_PUSH_GIVE_UP, /**< it will not succeed before someone changes something */
    PP_PUSH_REFUSED, /**< the session is refused; others may be accepted */
    PP_PUSH_STOPPED  /**< the user stopped it */
};

/** A failed step. */
struct pp_push_error {
    enum pp_push_failure failure;
    int code;       /**< of ClickHouse; 0: there is none */
    char text[768]; /**< one line: what went wrong, and what to do */
};

/** Note a failure, with a text. */
__attribute__((format(printf, 3, 4))) void
pp_push_error_set(struct pp_push_error *error, enum pp_push_failure failure, const char *format, ...);

/**
 * Find out what an answer with an error means.
 *
 * @param status   Of HTTP.
 * @param text     The answer; @p len bytes and a NUL.
 * @param password Is replaced wherever the answer has it; "": there is none.
 */
void pp_push_error_of_answer(struct pp_push_error *ret, long status, const char *text, size_t len,
                             const char *password);

#endif
