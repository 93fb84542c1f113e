/** @file
 * Unwinders of other projects; see unwinder.h. */
#include "core/stack/unwinder.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "core/stack/unwind_table.h"

/* Values that libgcc and its callbacks return. Source: Itanium C++ ABI, "Exception Handling".
 */
enum { REASON_NO_REASON = 0, REASON_END_OF_STACK = 5 };

struct list {
    const struct pp_unwinder *unwinder;
    uintptr_t *ip;
    uint32_t count;
    uint32_t size;
};

/* A symbol as a function. ISO C has no conversion between the two pointers, POSIX requires it. */
static void
find_function(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);
    memcpy(ret_function, &symbol, sizeof(symbol));
}

static int
visit(void *context, void *user)
{
    struct list *list = user;
    uintptr_t ip = list->unwinder->gcc_ip(context);
    if (ip == 0 || list->count == list->size)
        return REASON_END_OF_STACK;
    list->ip[list->count++] = ip;
    return pp_unwind_table_knows(ip - 1) ? REASON_NO_REASON : REASON_END_OF_STACK;
}

uint32_t
pp_unwinder_list(const struct pp_unwinder *unwinder, uintptr_t *ret_ip, uint32_t size)
{
    struct list list = {.unwinder = unwinder, .ip = ret_ip, .size = size};
    int count = 0;
    if (unwinder->unw_backtrace)
        count = unwinder->unw_backtrace((void **)ret_ip, (int)size);
    else if (unwinder->gcc_backtrace)
        (void)unwinder->gcc_backtrace(visit, &list);
    return count > 0 ? (uint32_t)count : list.count;
}

/* May libunwind be used in this process? It frees a thread's cache in the last of all destructors, with a
 * lock. ThreadSanitizer has forgotten the thread by then and crashes in that lock. Source: libunwind 1.6.2,
 * trace_cache_free(); gcc 12, thread_finalize() of TSan. Remove this when libunwind frees earlier. */
static bool
may_use_libunwind(void)
{
    return !dlsym(RTLD_DEFAULT, "__tsan_init");
}

void
pp_unwinder_open(struct pp_unwinder *unwinder)
{
    uintptr_t ip[8];
    void *library = may_use_libunwind() ? dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL) : NULL;
    memset(unwinder, 0, sizeof(*unwinder));
    if (library)
        find_function(library, "unw_backtrace", &unwinder->unw_backtrace);
    unwinder->name = unwinder->unw_backtrace ? "libunwind" : NULL;
    /* Without the guard of visit(), libgcc may abort the process. */
    if (!unwinder->name && pp_unwind_table_works()) {
        library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library) {
            find_function(library, "_Unwind_Backtrace", &unwinder->gcc_backtrace);
            find_function(library, "_Unwind_GetIP", &unwinder->gcc_ip);
        }
        if (unwinder->gcc_backtrace && unwinder->gcc_ip)
            unwinder->name = "libgcc";
        else
            memset(unwinder, 0, sizeof(*unwinder));
    }
    (void)pp_unwinder_list(unwinder, ip, sizeof(ip) / sizeof(ip[0]));
}
