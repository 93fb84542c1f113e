/** @file
 * What dlsym and dlopen return. The trampolines call these functions with the application's arguments. The
 * functions decide who answers: the loader, to which the trampoline then jumps, or the shim. They take no
 * lock of passprobe and allocate nothing, because they run before constructors and inside the loader. See
 * also driver_procs.h. */
#include "hooks/reach/dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "core/load/load.h"
#include "counters/util/sandbox.h"
#include "hooks/reach/driver_procs.h"

extern char **environ;

/* Index in `arg` of the address to which the application's call returns; trampoline.S lays out the stack. */
#if defined(__x86_64__)
#define CALLER 3
#else
#define CALLER (-1)
#endif

/* Make the loader answer, also if another tool's dlsym is next: RTLD_NEXT and RTLD_DEFAULT depend on the
 * caller, and the loader would take the other tool for the caller. */
static uintptr_t
jump_dlsym(void)
{
    return (uintptr_t)pp_loader()->dlsym;
}

/* Make the function answer that the application would have called without the shim. */
static uintptr_t
jump_next_dlsym(void)
{
    return (uintptr_t)pp_loader()->next_dlsym;
}

enum answer { UNREAD, NO, YES };

/* Variables as they were at the start of the process: the application may clear its environment later. */
static enum answer disabled, keeps_deepbind;

static enum answer
read_switch(const char *name)
{
    const char *value = pp_env(name);
    return value && strcmp(value, "1") == 0 ? YES : NO;
}

/* Read the variables once there is an environment: constructors of other libraries and the start-up of a
 * sanitizer may call dlsym before. In a process with privileges that its caller lacks, no variable is read
 * and passprobe is off. */
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

/* Id of the entry point that has a hook of this name; -1: there is none. The first letters are compared
 * first, because drivers call dlsym often with other names. */
static int
hook_id(const char *name)
{
    bool gl = name && name[0] == 'g' && name[1] == 'l';
    bool egl = name && name[0] == 'e' && name[1] == 'g' && name[2] == 'l';
    int id = gl || egl ? pp_gl_lookup(name) : -1;
    return id >= 0 && pp_gl_entry[id].hook ? id : -1;
}

/* Does an object after the shim in the application's list of objects have @p name? Then the application would
 * find the name without the shim, too. */
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
 * includes the shim's exports. The handle stays valid, because the object is not closed while it calls. */
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

/* Would RTLD_DEFAULT find @p name without the shim? It also searches the libraries that the calling object
 * was linked with. A GL library that another object opened with RTLD_LOCAL is not visible to everybody. */
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

/* Jump to a search that does not find arg[1], so that dlerror() has the same text as without the shim. The
 * search uses the caller's handle. If the caller is the application, whose handle includes the shim's
 * exports, the search uses libc's handle. */
static uintptr_t
jump_to_fail(uintptr_t *arg)
{
    void *handle = handle_of(arg[CALLER]);
    arg[0] = (uintptr_t)(handle ? handle : handle_of(jump_dlsym()));
    return jump_dlsym();
}

/* Answer a search by RTLD_NEXT or RTLD_DEFAULT. It would find the shim's export, which the application must
 * not get if the driver has no such function. */
static uintptr_t
pick_relative(uintptr_t *arg, const char *name)
{
    int saved = errno;
    uintptr_t caller = arg[CALLER];
    bool next = (void *)arg[0] == RTLD_NEXT;
    bool absent = next ? is_before_shim(caller) && !in_global_scope(name) : !in_scope_of(caller, name);
    uintptr_t to = absent ? jump_to_fail(arg) : jump_dlsym();
    errno = saved;
    return to;
}

static bool
same_object(const void *a, const void *b)
{
    Dl_info info_a, info_b;
    return dladdr(a, &info_a) && dladdr(b, &info_b) && info_a.dli_fbase == info_b.dli_fbase;
}

/* Another tool's dlsym is next, and the driver has @p driver_function: find the function that the tool wants
 * to be called.
 * @return The function that the hook shall call. NULL: the application gets *result, the tool's function, and
 * not the hook. This is for a tool that does not export the name: it might call the exported name to reach
 * the driver. That is the hook, which would call the tool again. */
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
    /* The tool looked for the exported name, and found the hook. */
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
        /* The handle is the application's, which includes the shim's exports. */
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
    const char *file = (const char *)arg[0];
    if (file && strcmp(file, "libpassprobe-core.so.0") == 0)
        (void)pp_core_open();
    if ((flags & RTLD_DEEPBIND) && !is_disabled() && keeps_deepbind != YES) {
        flags &= ~RTLD_DEEPBIND;
        memcpy(&arg[1], &flags, sizeof(flags));
    }
    return (uintptr_t)pp_loader()->next_dlopen;
}

/* GetProcAddress: the driver answers first. If it knows the name and there is a hook of that name, the
 * application gets the hook. libglvnd knows every name, whether the driver has the function or not; the hook
 * keeps this behaviour. */

static pp_gl_proc
wrap(const char *name, pp_gl_proc real)
{
    int id = real && name ? pp_gl_lookup(name) : -1;
    if (id < 0)
        return real;
    pp_gl_remember(id, real);
    return pp_gl_entry[id].hook ? pp_gl_entry[id].hook : real;
}

__GLXextFuncPtr
pp_gl_glx_get_proc_address(pp_glx_get_proc real, const GLubyte *name)
{
    return real ? (__GLXextFuncPtr)wrap((const char *)name, (pp_gl_proc)real(name)) : NULL;
}

__eglMustCastToProperFunctionPointerType
pp_gl_egl_get_proc_address(pp_egl_get_proc real, const char *name)
{
    return real ? (__eglMustCastToProperFunctionPointerType)wrap(name, (pp_gl_proc)real(name)) : NULL;
}
