/** @file
 * The functions behind our hooks: the loader's dlsym and dlopen, the driver's gl*, glX* and egl*. Found
 * without calling our own exports and without leaving anything in dlerror(). See also pick.h. */
#ifndef PP_HOOKS_REACH_DRIVER_PROCS_H
#define PP_HOOKS_REACH_DRIVER_PROCS_H

#include <stdbool.h>

#include "hooks/reach/lookup.h"

#define PP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define PP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/** Off the hot path: what it needs saved costs nothing where it is not called. */
#define PP_SLOW __attribute__((noinline))

/** Known to lie in this library: reached without a look into its table of addresses. */
#define PP_HIDDEN __attribute__((visibility("hidden")))

/** Real pointers by id. Entries are written once, with the same value by whoever comes first. */
extern PP_HIDDEN pp_gl_proc pp_gl_real[PP_HOOK_COUNT];

/** Find the real function of @p id and remember it. @return NULL: not in this process. Any thread. */
pp_gl_proc pp_gl_resolve(int id);

/** Note what the application itself was given for @p id; the first answer stays. */
void pp_gl_remember(int id, pp_gl_proc real);

/** Real pointer of @p id. Hot: a load and a predicted branch. */
static inline pp_gl_proc
pp_gl_real_get(int id)
{
    pp_gl_proc real = __atomic_load_n(&pp_gl_real[id], __ATOMIC_RELAXED);
    return PP_LIKELY(real != NULL) ? real : pp_gl_resolve(id);
}

/** The dlsym and dlopen behind ours: the loader's own, which we use, and the next ones, which the application
 * would have got; those are another tool's where one was preloaded behind us (`mangohud --dlsym`). */
struct pp_loader {
    void *(*dlsym)(void *handle, const char *name);
    void *(*dlopen)(const char *file, int flags);
    void *next_dlsym;
    void *next_dlopen;
};

/** Found at the first call; usable before constructors ran, since drivers and programs call dlsym that early.
 */
const struct pp_loader *pp_loader(void);

/** Is a real GL, GLX or EGL library loaded in the namespace that we live in? */
bool pp_gl_present(void);

/** Does the object that holds @p address call itself one of the GL libraries, in our namespace? By DT_SONAME:
 * glmark2 opens the development link, ANGLE's own libEGL.so must not match. */
bool pp_gl_owns(const void *address);

/** The application may close the library that holds @p address, which our table points into: from now on it
 * stays. */
void pp_gl_keep(const void *address);

/** A function of a library that is loaded already (libX11); NULL if not. */
pp_gl_proc pp_loaded_symbol(const char *soname, const char *name);

/** Value of an environment variable, read from the vector itself: the application may interpose getenv (bash
 * does). NULL: not set. */
const char *pp_env(const char *name);

#endif
