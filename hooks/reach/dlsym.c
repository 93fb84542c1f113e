/** @file
 * What dlsym and dlopen answer. Called by the trampolines with the application's arguments; decides whether
 * the loader answers (jump) or we do. No lock of ours, no allocation: runs before constructors and inside the
 * loader. See also real.h. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "counters/util/privileged.h"
#include "hooks/reach/driver_procs.h"

extern char **environ;

/* Where the application goes on, as trampoline.S lays its stack out. */
#if defined(__x86_64__)
#define CALLER 3
#else
#define CALLER (-1)
#endif

uintptr_t pp_pick_dlsym(uintptr_t *arg, uintptr_t *result);
uintptr_t pp_pick_dlopen(uintptr_t *arg, uintptr_t *result);

/* The loader's own answer, also where another tool's dlsym is behind ours: that one would look things up for
 * itself where RTLD_NEXT and RTLD_DEFAULT ask for the caller. */
static uintptr_t
jump_dlsym(void)
{
    return (uintptr_t)pp_loader()->dlsym;
}

/* What the application would have called without us. */
static uintptr_t
jump_next_dlsym(void)
{
    return (uintptr_t)pp_loader()->next_dlsym;
}

/* What the process was started with, read once: programs may clear their environment. */
enum answer { UNREAD, NO, YES };

static enum answer disabled, keeps_deepbind;

static enum answer
is_one(const char *name)
{
    const char *value = pp_env(name);
    return value && strcmp(value, "1") == 0 ? YES : NO;
}

/* Other libraries' constructors, and the sanitizer's start-up, may call us before: libc may not have one yet.
 * The environment of a process with privileges that its caller lacks is not read: the shim is off there. */
__attribute__((constructor)) static void
read_environment(void)
{
    if (PP_UNLIKELY(keeps_deepbind == UNREAD && pp_is_privileged()))
        disabled = keeps_deepbind = YES;
    if (PP_UNLIKELY(keeps_deepbind == UNREAD && environ)) {
        disabled = is_one("PASSPROBE_DISABLE");
        keeps_deepbind = is_one("PASSPROBE_KEEP_DEEPBIND");
    }
}

static bool
off(void)
{
    read_environment();
    return disabled == YES;
}

/* Worth a look-up? Drivers call dlsym often and with other names. */
static int
hook_id(const char *name)
{
    bool gl = name && name[0] == 'g' && name[1] == 'l';
    bool egl = name && name[0] == 'e' && name[1] == 'g' && name[2] == 'l';
    int id = gl || egl ? pp_gl_lookup(name) : -1;
    return id >= 0 && pp_gl_entry[id].hook ? id : -1;
}

/* Without us, would the application's own handle find @p name? Behind us in the same list of objects. */
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

/* A handle of the object that @p caller lies in; NULL: not known, or the application itself, whose handle
 * sees our exports. It stays valid: the object is not closed while it asks. */
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

/* And RTLD_DEFAULT, which looks at what the calling object was linked with, too? A GL library that somebody
 * else opened for himself (RTLD_LOCAL) is not there for everybody. */
static bool
in_scope_of(uintptr_t caller, const char *name)
{
    if (in_global_scope(name))
        return true;
    void *handle = handle_of(caller);
    return handle && pp_loader()->dlsym(handle, name);
}

/* Is @p caller the application, or an object preloaded before us: does what it finds behind itself begin with
 * us?
 */
static bool
is_ahead(uintptr_t caller)
{
    static const char here;
    Dl_info info;
    struct link_map *ours = NULL, *theirs = NULL;
    if (!dladdr1(&here, &info, (void **)&ours, RTLD_DL_LINKMAP) ||
        !dladdr1(to_pointer(caller), &info, (void **)&theirs, RTLD_DL_LINKMAP) || !ours)
        return false;
    while (ours && ours != theirs)
        ours = ours->l_prev;
    return ours != NULL;
}

/* Go where arg[1] is not found, so that dlerror() says what it would have said without us: by the caller's
 * own handle. The application's sees our exports; in its place, that of libc. */
static uintptr_t
jump_to_fail(uintptr_t *arg)
{
    void *handle = handle_of(arg[CALLER]);
    arg[0] = (uintptr_t)(handle ? handle : handle_of(jump_dlsym()));
    return jump_dlsym();
}

/* RTLD_NEXT and RTLD_DEFAULT: our export would be found; the application must not see one where there is
 * none. */
static uintptr_t
pick_relative(uintptr_t *arg, const char *name)
{
    int saved = errno;
    uintptr_t caller = arg[CALLER];
    bool next = (void *)arg[0] == RTLD_NEXT;
    bool phantom = next ? is_ahead(caller) && !in_global_scope(name) : !in_scope_of(caller, name);
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

/* Another tool's dlsym is behind ours; whom does it want to be called where the driver has @p plain? @return
 * What our hook shall call; NULL: *result is for the application, past us: a tool that does not preload the
 * name might call it to reach the driver, and would reach itself through us. */
static void *
ask_next(int id, void *handle, void *plain, uintptr_t *result)
{
    const struct pp_loader *loader = pp_loader();
    void *(*next)(void *, const char *);
    memcpy(&next, &loader->next_dlsym, sizeof(next));
    void *found = next(handle, pp_gl_entry[id].name);
    if (found == plain)
        return plain;
    void *preloaded = loader->dlsym(RTLD_NEXT, pp_gl_entry[id].name);
    /* It took its own by the name that it exports, which is ours now. */
    if ((uintptr_t)found == (uintptr_t)pp_gl_entry[id].hook)
        return preloaded ? preloaded : plain;
    if (found && preloaded && same_object(found, preloaded))
        return found;
    *result = (uintptr_t)found;
    return NULL;
}

/* The driver has @p plain: our hook for it. */
static uintptr_t
substitute(int id, void *handle, void *plain)
{
    const struct pp_loader *loader = pp_loader();
    uintptr_t result = (uintptr_t)pp_gl_entry[id].hook;
    void *found = plain;
    if (loader->next_dlsym != to_pointer((uintptr_t)loader->dlsym))
        found = ask_next(id, handle, plain, &result);
    if (!found)
        return result;
    pp_gl_proc real;
    memcpy(&real, &found, sizeof(real));
    pp_gl_remember(id, real);
    pp_gl_keep(plain);
    return result;
}

/** dlsym(arg[0], arg[1]). @return Where to jump, or 0: *result is the answer. */
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
        /* A handle of the application itself, which sees our export. */
        *result = (uintptr_t)found;
        if (!in_global_scope(name))
            to = jump_to_fail(arg);
    } else if (found && !off() && pp_gl_owns(found)) {
        *result = substitute(id, handle, found);
    } else {
        to = jump_next_dlsym();
    }
    errno = saved;
    return to;
}

/** dlopen(arg[0], arg[1]): the loader's, but without RTLD_DEEPBIND, with which a plug-in's calls would go
 * past our exports. PASSPROBE_KEEP_DEEPBIND=1 keeps it, for a library that needs it. @return Where to jump.
 */
uintptr_t
pp_pick_dlopen(uintptr_t *arg, uintptr_t *result)
{
    (void)result;
    int flags = (int)arg[1];
    if ((flags & RTLD_DEEPBIND) && !off() && keeps_deepbind != YES) {
        flags &= ~RTLD_DEEPBIND;
        memcpy(&arg[1], &flags, sizeof(flags));
    }
    return (uintptr_t)pp_loader()->next_dlopen;
}
