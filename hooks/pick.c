/** @file
 * Room: what dlsym and dlopen answer. Called by the trampolines with the program's arguments; decides whether
 * the loader answers (jump) or we do. No lock of ours, no allocation: runs before constructors and inside the
 * loader. Next room: real.h. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "hooks/real.h"

/* A name that nobody has, spelled so that dlerror() still names what was asked for. */
static const char phantom[] = "passprobe-phantom";

/* Where the program goes on, as trampoline.S lays its stack out. */
#if defined(__x86_64__)
#define CALLER 3
#else
#define CALLER (-1)
#endif

uintptr_t pp_pick_dlsym(uintptr_t *arg, uintptr_t *result);
uintptr_t pp_pick_dlopen(uintptr_t *arg, uintptr_t *result);

static uintptr_t
jump_dlsym(void)
{
    return (uintptr_t)pp_loader()->dlsym;
}

static bool
off(void)
{
    const char *disable = pp_env("PASSPROBE_DISABLE");
    return disable && strcmp(disable, "1") == 0;
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

/* Without us, would the program's own handle find @p name? Behind us in the same list of objects. */
static bool
in_global_scope(const char *name)
{
    return pp_loader()->dlsym(RTLD_NEXT, name) != NULL;
}

/* And RTLD_DEFAULT, which looks at what the calling object was linked with, too? A GL library that somebody
 * else opened for himself (RTLD_LOCAL) is not there for everybody. */
static bool
in_scope_of(uintptr_t caller, const char *name)
{
    Dl_info info;
    const void *address;
    if (in_global_scope(name))
        return true;
    memcpy(&address, &caller, sizeof(address));
    void *handle = dladdr(address, &info) && info.dli_fname && *info.dli_fname
                       ? pp_loader()->dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : NULL;
    bool found = handle && pp_loader()->dlsym(handle, name);
    if (handle)
        (void)dlclose(handle);
    return found;
}

/** dlsym(arg[0], arg[1]). @return Where to jump, or 0: *result is the answer. */
uintptr_t
pp_pick_dlsym(uintptr_t *arg, uintptr_t *result)
{
    const char *name = (const char *)arg[1];
    void *handle = (void *)arg[0];
    int id = hook_id(name);
    if (id < 0 || handle == RTLD_NEXT)
        return jump_dlsym();
    int saved = errno;
    pp_gl_proc hook = pp_gl_entry[id].hook;
    if (handle == RTLD_DEFAULT) {
        /* Our export would be found; the program must not see one where there is none. */
        if (!in_scope_of(arg[CALLER], name))
            arg[1] = (uintptr_t)phantom;
        errno = saved;
        return jump_dlsym();
    }
    void *found = pp_loader()->dlsym(handle, name);
    if ((uintptr_t)found == (uintptr_t)hook) {
        /* A handle of the program itself, which sees our export. */
        if (!in_global_scope(name))
            found = pp_loader()->dlsym(handle, phantom);
    } else if (found && !off() && pp_gl_owns(found)) {
        pp_gl_proc real;
        memcpy(&real, &found, sizeof(real));
        pp_gl_remember(id, real);
        pp_gl_keep(found);
        found = (void *)(uintptr_t)hook;
    }
    *result = (uintptr_t)found;
    errno = saved;
    return 0;
}

/** dlopen(arg[0], arg[1]): the loader's, but without RTLD_DEEPBIND, with which a plug-in's calls would go
 * past our exports. PASSPROBE_KEEP_DEEPBIND=1 keeps it, for a library that needs it. @return Where to jump.
 */
uintptr_t
pp_pick_dlopen(uintptr_t *arg, uintptr_t *result)
{
    (void)result;
    int flags = (int)arg[1];
    if ((flags & RTLD_DEEPBIND) && !off()) {
        const char *keep = pp_env("PASSPROBE_KEEP_DEEPBIND");
        if (!keep || strcmp(keep, "1") != 0)
            flags &= ~RTLD_DEEPBIND;
        memcpy(&arg[1], &flags, sizeof(flags));
    }
    return (uintptr_t)pp_loader()->dlopen;
}
