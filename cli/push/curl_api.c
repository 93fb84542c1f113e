/** @file
 * See curl_api.h. */
#include "cli/push/curl_api.h"

#include <dlfcn.h>
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

const struct pp_curl_api *
pp_curl_load(void)
{
    static struct pp_curl_api api;
    if (api.global_init)
        return &api;
    /* the file name of version 7.16.0 and all later ones */
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    struct pp_curl_api found = {NULL};
    for (size_t i = 0; i < PP_ARRAY_SIZE(functions) && library; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return NULL;
        memcpy((char *)&found + functions[i].offset, &function, sizeof(function));
    }
    api = found;
    return library ? &api : NULL;
}
