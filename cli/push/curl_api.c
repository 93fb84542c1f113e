/** @file
 * See curl_api.h. */
#include "cli/push/curl_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "counters/util/array_size.h"

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

const struct pp_curl_api *
pp_curl_load(void)
{
    /* The name since version 7.16.0; Debian's name of the one that uses GnuTLS in place of OpenSSL. */
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static struct pp_curl_api api;
    for (size_t i = 0; i < PP_ARRAY_SIZE(files) && !api.global_init; i++)
        if (load(files[i], &api))
            break;
    return api.global_init ? &api : NULL;
}
