/** @file
 * See http.h. */
#include "cli/push/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/** Functions of libcurl, with its names. */
struct pp_curl_api {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_free) free;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_setopt) easy_setopt;
    __typeof__(&curl_easy_getinfo) easy_getinfo;
    __typeof__(&curl_easy_perform) easy_perform;
    __typeof__(&curl_easy_escape) easy_escape;
    __typeof__(&curl_easy_strerror) easy_strerror;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
};

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
    {"curl_global_init", offsetof(struct pp_curl_api, global_init)},
    {"curl_free", offsetof(struct pp_curl_api, free)},
    {"curl_easy_init", offsetof(struct pp_curl_api, easy_init)},
    {"curl_easy_cleanup", offsetof(struct pp_curl_api, easy_cleanup)},
    {"curl_easy_setopt", offsetof(struct pp_curl_api, easy_setopt)},
    {"curl_easy_getinfo", offsetof(struct pp_curl_api, easy_getinfo)},
    {"curl_easy_perform", offsetof(struct pp_curl_api, easy_perform)},
    {"curl_easy_escape", offsetof(struct pp_curl_api, easy_escape)},
    {"curl_easy_strerror", offsetof(struct pp_curl_api, easy_strerror)},
    {"curl_slist_append", offsetof(struct pp_curl_api, slist_append)},
    {"curl_slist_free_all", offsetof(struct pp_curl_api, slist_free_all)},
};

/* Find all functions in a library. @return false: it is not installed, or has not all of them. */
static bool
load(const char *file, struct pp_curl_api *ret)
{
    struct pp_curl_api found;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(functions); i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function) {
            dlclose(library);
            return false;
        }
        memcpy((char *)&found + functions[i].offset, &function, sizeof(function));
    }
    *ret = found;
    return true;
}

/* Load libcurl, which then stays loaded. By one thread. @return Static; NULL: it is not installed. */
static const struct pp_curl_api *
curl_load(void)
{
    /* The name since version 7.16.0; Debian's name of the one that uses GnuTLS in place of OpenSSL. */
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static struct pp_curl_api api;
    for (size_t i = 0; i < PP_ARRAY_SIZE(files) && !api.global_init; i++)
        if (load(files[i], &api))
            break;
    return api.global_init ? &api : NULL;
}

#define WHY_MAX 256

struct pp_http {
    struct pp_http_options options;
    const struct pp_curl_api *api;
    CURL *curl;
    struct curl_slist *headers, *headers_gzip;
    char error[CURL_ERROR_SIZE];
    char *text; /* of the answer; owned */
    size_t len, cap;
    bool too_long, no_memory;
};

static size_t
on_bytes(char *data, size_t one, size_t len, void *user)
{
    struct pp_http *http = user;
    (void)one; /* always 1 */
    http->too_long =
        http->len + len > (http->options.answer_max ? http->options.answer_max : PP_HTTP_ANSWER_MAX);
    if (http->too_long)
        return 0;
    http->no_memory = pp_grow_large_array(&http->text, &http->cap, http->len + len + 1, 1);
    if (http->no_memory)
        return 0;
    memcpy(http->text + http->len, data, len);
    http->len += len;
    http->text[http->len] = '\0';
    return len;
}

static int
on_progress(void *user, curl_off_t to_get, curl_off_t got, curl_off_t to_send, curl_off_t sent)
{
    const struct pp_http *http = user;
    (void)to_get;
    (void)got;
    (void)to_send;
    (void)sent;
    return http->options.stop && *http->options.stop;
}

/* Set what all requests have in common. */
static bool
set_options(struct pp_http *http)
{
    const struct pp_http_options *o = &http->options;
    CURL *curl = http->curl;
    __typeof__(&curl_easy_setopt) set = http->api->easy_setopt;
    long timeout = (long)o->timeout_s;
    bool ok = set(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_USERNAME, o->url->user) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_PASSWORD, o->password) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_CONNECTTIMEOUT, timeout < 15 ? timeout : 15L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_LOW_SPEED_TIME, timeout) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_TIMEOUT, 10 * timeout) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_ERRORBUFFER, http->error) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_WRITEDATA, http) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_NOPROGRESS, 0L) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_XFERINFOFUNCTION, on_progress) == CURLE_OK;
    ok = ok && set(curl, CURLOPT_XFERINFODATA, http) == CURLE_OK;
    /* A proxy is another machine: what stays on this one needs none, and the password must not leave it. */
    ok = ok && (!pp_push_url_is_local(o->url) || set(curl, CURLOPT_NOPROXY, "*") == CURLE_OK);
    return ok && (!o->ca_file || set(curl, CURLOPT_CAINFO, o->ca_file) == CURLE_OK);
}

/* Add a header to a list. @return false: no memory. */
static bool
add_header(const struct pp_http *http, struct curl_slist **list, const char *header)
{
    struct curl_slist *longer = http->api->slist_append(*list, header);
    if (longer)
        *list = longer;
    return longer != NULL;
}

int
pp_http_create(const struct pp_http_options *options, struct pp_http **ret, char *why)
{
    static const char type[] = "Content-Type: application/octet-stream";
    const struct pp_curl_api *api = curl_load();
    if (!api) {
        snprintf(why, WHY_MAX, "%s", PP_TEXT_PUSH_NO_CURL);
        return -ENOTSUP;
    }
    struct pp_http *http = calloc(1, sizeof(*http));
    bool ok = http && api->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    if (http)
        http->api = api;
    if (ok) {
        http->options = *options;
        http->curl = api->easy_init();
        ok = http->curl && set_options(http) && add_header(http, &http->headers, type) &&
             add_header(http, &http->headers, "Expect:") && add_header(http, &http->headers_gzip, type) &&
             add_header(http, &http->headers_gzip, "Expect:") &&
             add_header(http, &http->headers_gzip, "Content-Encoding: gzip");
    }
    if (!ok) {
        pp_http_destroy(http);
        snprintf(why, WHY_MAX, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    *ret = http;
    return 0;
}

void
pp_http_destroy(struct pp_http *http)
{
    if (!http)
        return;
    http->api->easy_cleanup(http->curl);
    http->api->slist_free_all(http->headers);
    http->api->slist_free_all(http->headers_gzip);
    free(http->text);
    free(http);
}

/* Append to an address that asprintf() made. @return false: no memory, and it is freed. */
static bool
append(const struct pp_http *http, char **io_address, const char *name, const char *value)
{
    char *longer = NULL;
    char *encoded = http->api->easy_escape(http->curl, value, 0);
    if (!encoded || asprintf(&longer, "%s%s=%s&", *io_address, name, encoded) < 0)
        longer = NULL;
    http->api->free(encoded);
    free(*io_address);
    *io_address = longer;
    return longer != NULL;
}

/* The address of a request; NULL: no memory. */
static char *
address_of(const struct pp_http *http, const struct pp_http_param *param, size_t params)
{
    const struct pp_push_url *url = http->options.url;
    char *address = NULL;
    bool v6 = strchr(url->host, ':') != NULL;
    if (asprintf(&address, "http%s://%s%s%s:%u/?", url->tls ? "s" : "", v6 ? "[" : "", url->host,
                 v6 ? "]" : "", (unsigned)url->port) < 0)
        return NULL;
    for (size_t i = 0; i < params && address; i++)
        if (!append(http, &address, param[i].name, param[i].value))
            return NULL;
    return address;
}

/* What a failed request means. */
static int
failure_of(const struct pp_http *http, CURLcode code, char *why)
{
    const char *text = *http->error ? http->error : http->api->easy_strerror(code);
    snprintf(why, WHY_MAX, "%.*s", (int)strcspn(text, "\r\n"), text);
    if (http->too_long) {
        snprintf(why, WHY_MAX, "%s", PP_TEXT_PUSH_ANSWER_LONG);
        return -EFBIG;
    }
    if (http->no_memory || code == CURLE_OUT_OF_MEMORY)
        return -ENOMEM;
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return -ECANCELED;
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
        code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
        return -EPROTO;
    return -EIO;
}

int
pp_http_post(struct pp_http *http, const struct pp_http_param *param, size_t params, const void *body,
             size_t len, unsigned kind, struct pp_http_answer *ret, char *why)
{
    char *address = address_of(http, param, params);
    const struct pp_curl_api *api = http->api;
    CURL *curl = http->curl;
    http->len = 0;
    http->too_long = http->no_memory = false;
    http->error[0] = '\0';
    bool ok = address && api->easy_setopt(curl, CURLOPT_URL, address) == CURLE_OK &&
              api->easy_setopt(curl, CURLOPT_POST, 1L) == CURLE_OK &&
              api->easy_setopt(curl, CURLOPT_FRESH_CONNECT, kind & PP_HTTP_ONCE ? 1L : 0L) == CURLE_OK &&
              api->easy_setopt(curl, CURLOPT_POSTFIELDS, body) == CURLE_OK &&
              api->easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len) == CURLE_OK &&
              api->easy_setopt(curl, CURLOPT_HTTPHEADER,
                               kind & PP_HTTP_GZIP ? http->headers_gzip : http->headers) == CURLE_OK;
    CURLcode code = ok ? api->easy_perform(curl) : CURLE_OUT_OF_MEMORY;
    free(address);
    if (code != CURLE_OK)
        return failure_of(http, code, why);
    struct pp_http_answer answer = {.len = http->len, .text = malloc(http->len + 1)};
    if (!answer.text)
        return failure_of(http, CURLE_OUT_OF_MEMORY, why);
    if (http->len)
        memcpy(answer.text, http->text, http->len);
    answer.text[http->len] = '\0';
    api->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
    *ret = answer;
    return 0;
}
