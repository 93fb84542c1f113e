/** @file
 * See http.h: what replaces http.c where passprobe is built without libcurl. */
#include <errno.h>
#include <stdio.h>

#include "cli/push/http.h"
#include "pp_texts.h"

#define WHY_MAX 256

int
pp_http_create(const struct pp_http_options *options, struct pp_http **ret, char *why)
{
    (void)options;
    (void)ret;
    snprintf(why, WHY_MAX, "%s", PP_TEXT_PUSH_NO_CURL);
    return -ENOTSUP;
}

void
pp_http_destroy(struct pp_http *http)
{
    (void)http;
}

int
pp_http_post(struct pp_http *http, const struct pp_http_param *param, size_t params, const void *body,
             size_t len, unsigned kind, struct pp_http_answer *ret, char *why)
{
    (void)http;
    (void)param;
    (void)params;
    (void)body;
    (void)len;
    (void)kind;
    (void)ret;
    snprintf(why, WHY_MAX, "%s", PP_TEXT_PUSH_NO_CURL);
    return -ENOTSUP;
}
