/** @file
 * The functions of libcurl, which is loaded when it is first needed: libcurl and the libraries that it needs
 * would double the time in which every other command starts. */
#ifndef PP_CLI_PUSH_CURL_API_H
#define PP_CLI_PUSH_CURL_API_H

#include <curl/curl.h>

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

/** Load libcurl, which then stays loaded. By one thread. @return Static; NULL: it is not installed. */
const struct pp_curl_api *pp_curl_load(void);

#endif
