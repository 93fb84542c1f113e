/** @file
 * What dlsym and dlopen return. The trampolines call these functions with the application's arguments. They
 * decide whether the loader answers (by a jump to it) or we do. They take no lock of ours and allocate
 * nothing, because they run before constructors and inside the loader. See also driver_procs.h. */
#include "hooks/reach/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "counters/util/privileged.h"
#include "hooks/reach/driver_procs.h"

extern char **environ;

/* Where the application's call returns to, in the stack as trampoline.S lays it out. */
#if defined(__x86_64__)
#define CALLER 3
#else
#define CALLER (-1)
#endif

/* Make the loader answer. Also used if another tool's dlsym is behind ours: that tool would search from its
 * own address for RTLD_NEXT and RTLD_DEFAULT, which depend on the caller. */
static uintptr_t
jump_dlsym(void)
{
    return (uintptr_t)pp_loader()->dlsym;
}

/* The function that the application would have called without us. */
static uintptr_t
jump_next_dlsym(void)
{
    return (uintptr_t)pp_loader()->next_dlsym;
}

/* Environment at the start of the process, read once: applications may clear it. */
enum answer { UNREAD, NO, YES };

static enum answer disabled, keeps_deepbind;

static enum answer
read_switch(const char *name)
{
    const char *value = pp_env(name);
    return value && strcmp(value, "1") == 0 ? YES : NO;
}

/* Constructors of other libraries and the sanitizer's start-up may call us before libc has an environment. In
 * a process with privileges that its caller lacks, the environment is not read: there passprobe is off. */
__attribute__((constructor)) static void
read_environment(void)
{
    if (PP_UNLIKELY(keeps_deepbind == UNREAD && pp_is_privileged()))
        disabled = keeps_deepbind = YES;
    if (PP_UNLIKELY(keeps_deepbind == UNREAD && environ)) {
        disabled = read_switch("PASSPROBE_DISABLE");
        keeps_deepbind = read_switch("PASSPROBE_KEEP_DEEPBIND");
    }
}

static bool
is_disabled(void)
{
    read_environment();
    return disabled == YES;
}

/* Is the name worth a look-up? Drivers call dlsym often, with other names. @return Id of the entry point, or
 * -1. */
static int
hook_id(const char *name)
{
    bool gl = name && name[0] == 'g' && name[1] == 'l';
    bool egl = name && name[0] == 'e' && name[1] == 'g' && name[2] == 'l';
    int id = gl || egl ? pp_gl_lookup(name) : -1;
    return id >= 0 && pp_gl_entry[id].hook ? id : -1;
}

/* Would the application's handle find @p name without us, that is, behind us in the same list of objects? */
static bool
in_global_scope(const char *name)
{
    return pp_loader()->dlsym(RTLD_NEXT, name) != NULL;
}

static void *
to_pointer(uintptr_t address)
{
    void *pointer;
    memcpy(&pointer, &address, sizeof(pointer));
    return pointer;
}

/* A handle of the object that @p caller is in. NULL: not known, or the application itself, whose handle
 * includes our exports. The handle stays valid, because the object is not closed while it calls. */
static void *
handle_of(uintptr_t caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(to_pointer(caller), &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !*map->l_name)
        return NULL;
    void *handle = pp_loader()->dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        (void)dlclose(handle);
    return handle;
}

/* Would RTLD_DEFAULT find @p name without us? It also searches the libraries that the calling object was
 * linked with. A GL library that another object opened with RTLD_LOCAL is not visible to everybody. */
static bool
in_scope_of(uintptr_t caller, const char *name)
{
    if (in_global_scope(name))
        return true;
    void *handle = handle_of(caller);
    return handle && pp_loader()->dlsym(handle, name);
}

/* Is @p caller the application, or an object that was preloaded before the shim? Then its search by RTLD_NEXT
 * begins with the shim. */
static bool
is_before_shim(uintptr_t caller)
{
    static const char here;
    Dl_info info;
    struct link_map *shim = NULL, *object = NULL;
    if (!dladdr1(&here, &info, (void **)&shim, RTLD_DL_LINKMAP) ||
        !dladdr1(to_pointer(caller), &info, (void **)&object, RTLD_DL_LINKMAP) || !shim)
        return false;
    while (shim && shim != object)
        shim = shim->l_prev;
    return shim != NULL;
}

/* Jump to a search that does not find arg[1], so that dlerror() has the same text as without us. The search
 * uses the caller's handle. The application's handle includes our exports, so libc's handle replaces it. */
static uintptr_t
jump_to_fail(uintptr_t *arg)
{
    void *handle = handle_of(arg[CALLER]);
    arg[0] = (uintptr_t)(handle ? handle : handle_of(jump_dlsym()));
    return jump_dlsym();
}

/* RTLD_NEXT and RTLD_DEFAULT would find our export. The application must not get an export if the driver has
 * none. */
static uintptr_t
pick_relative(uintptr_t *arg, const char *name)
{
    int saved = errno;
    uintptr_t caller = arg[CALLER];
    bool next = (void *)arg[0] == RTLD_NEXT;
    bool phantom = next ? is_before_shim(caller) && !in_global_scope(name) : !in_scope_of(caller, name);
    uintptr_t to = phantom ? jump_to_fail(arg) : jump_dlsym();
    errno = saved;
    return to;
}

static bool
same_object(const void *a, const void *b)
{
    Dl_info info_a, info_b;
    return dladdr(a, &info_a) && dladdr(b, &info_b) && info_a.dli_fbase == info_b.dli_fbase;
}

/* Another tool's dlsym is behind ours, and the driver has @p driver_function: find the function that the tool
 * wants to be called.
 * @return The function that the hook shall call. NULL: *result goes to the application directly, not to the
 * hook. A tool that does not preload the name might call it to reach the driver, and would reach itself
 * through us.
 */
static void *
ask_other_tool(int id, void *handle, void *driver_function, uintptr_t *result)
{
    const struct pp_loader *loader = pp_loader();
    void *(*next)(void *, const char *);
    memcpy(&next, &loader->next_dlsym, sizeof(next));
    void *found = next(handle, pp_gl_entry[id].name);
    if (found == driver_function)
        return driver_function;
    void *preloaded = loader->dlsym(RTLD_NEXT, pp_gl_entry[id].name);
    /* The tool found its function by the exported name, which is ours now. */
    if ((uintptr_t)found == (uintptr_t)pp_gl_entry[id].hook)
        return preloaded ? preloaded : driver_function;
    if (found && preloaded && same_object(found, preloaded))
        return found;
    *result = (uintptr_t)found;
    return NULL;
}

/* The driver has @p driver_function: return the hook for it. */
static uintptr_t
hook_for(int id, void *handle, void *driver_function)
{
    const struct pp_loader *loader = pp_loader();
    uintptr_t result = (uintptr_t)pp_gl_entry[id].hook;
    void *found = driver_function;
    if (loader->next_dlsym != to_pointer((uintptr_t)loader->dlsym))
        found = ask_other_tool(id, handle, driver_function, &result);
    if (!found)
        return result;
    pp_gl_proc real;
    memcpy(&real, &found, sizeof(real));
    pp_gl_remember(id, real);
    pp_gl_keep(driver_function);
    return result;
}

uintptr_t
pp_pick_dlsym(uintptr_t *arg, uintptr_t *result)
{
    const char *name = (const char *)arg[1];
    void *handle = (void *)arg[0];
    int id = hook_id(name);
    if (id < 0)
        return jump_next_dlsym();
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT)
        return pick_relative(arg, name);
    int saved = errno;
    uintptr_t to = 0;
    void *found = pp_loader()->dlsym(handle, name);
    if ((uintptr_t)found == (uintptr_t)pp_gl_entry[id].hook) {
        /* A handle of the application, which includes our export. */
        *result = (uintptr_t)found;
        if (!in_global_scope(name))
            to = jump_to_fail(arg);
    } else if (found && !is_disabled() && pp_gl_owns(found)) {
        *result = hook_for(id, handle, found);
    } else {
        to = jump_next_dlsym();
    }
    errno = saved;
    return to;
}

uintptr_t
pp_pick_dlopen(uintptr_t *arg, uintptr_t *result)
{
    (void)result;
    int flags = (int)arg[1];
    if ((flags & RTLD_DEEPBIND) && !is_disabled() && keeps_deepbind != YES) {
        flags &= ~RTLD_DEEPBIND;
        memcpy(&arg[1], &flags, sizeof(flags));
    }
    return (uintptr_t)pp_loader()->next_dlopen;
}
