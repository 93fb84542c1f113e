/** @file
 * Requests to an HTTP server, by libcurl. Trusts nothing of an answer: its size and the time it takes are
 * bounded, and no redirection is followed. Knows no SQL. */
#ifndef PP_CLI_PUSH_HTTP_H
#define PP_CLI_PUSH_HTTP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/push/push_url.h"

/** Bytes of an answer that are read, where the options say nothing else. */
#define PP_HTTP_ANSWER_MAX (1U << 20)

/** How a server is reached. Borrowed until pp_http_destroy(). */
struct pp_http_options {
    const struct pp_push_url *url;
    const char *password;              /**< "": there is none */
    const char *ca_file;               /**< certificates that are trusted, PEM; NULL: those of the system */
    size_t answer_max;                 /**< bytes of an answer that are read; 0: PP_HTTP_ANSWER_MAX */
    unsigned timeout_s;                /**< a request fails after so long without progress */
    const volatile sig_atomic_t *stop; /**< not 0: requests end at once; NULL: nothing ends them */
};

/** A connection, which is opened by the first request and kept. */
struct pp_http;

/** What a server answered. */
struct pp_http_answer {
    long status; /**< of HTTP */
    char *text;  /**< NUL-terminated; owned, free(); never NULL after success */
    size_t len;
};

/**
 * Prepare requests.
 *
 * @param why 256 bytes for the reason of a failure.
 * @retval 0, -ENOMEM.
 * @retval -ENOTSUP libcurl is not installed, or passprobe was built without it.
 */
__attribute__((warn_unused_result)) int pp_http_create(const struct pp_http_options *options,
                                                       struct pp_http **ret, char *why);

/** Free everything. NULL is allowed. */
void pp_http_destroy(struct pp_http *http);

/** A parameter of a request. */
struct pp_http_param {
    const char *name, *value; /**< value: any text; it is encoded */
};

/** What is special about a request. */
enum pp_http_kind {
    PP_HTTP_ANY = 0,
    PP_HTTP_GZIP = 1, /**< its body is compressed */
    /** A request that must not be carried out twice gets a connection of its own. On a connection that was
     * used before, libcurl 7.88 sends a request again by itself if the connection ends before an answer
     * comes. */
    PP_HTTP_ONCE = 2,
};

/**
 * Send a POST request, and wait for the answer.
 *
 * @param param  Parameters of the address. @param body @p len bytes. @param kind Of enum pp_http_kind, joined
 * by |.
 * @param ret    Filled on success; the status may be that of an error.
 * @param why    256 bytes for the reason of a failure. It does not contain the password.
 * @retval 0
 * @retval -ECANCELED stop was set.
 * @retval -EPROTO    The server's certificate, or what it speaks, is refused: trying again does not help.
 * @retval -EFBIG     The answer is too long.
 * @retval -ENOMEM    No memory.
 * @retval -EIO       There is no connection, or it broke: the request may have been carried out or not.
 */
__attribute__((warn_unused_result)) int pp_http_post(struct pp_http *http, const struct pp_http_param *param,
                                                     size_t params, const void *body, size_t len,
                                                     unsigned kind, struct pp_http_answer *ret, char *why);

#endif
