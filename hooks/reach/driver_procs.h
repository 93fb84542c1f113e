/** @file
 * The functions that the hooks call: the loader's dlsym and dlopen, the driver's gl*, glX* and egl*. They are
 * found without a call of the shim's exports, and dlerror() stays as it was. See also dlsym.c. */
#ifndef PP_HOOKS_REACH_DRIVER_PROCS_H
#define PP_HOOKS_REACH_DRIVER_PROCS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/util/compiler.h"
#include "hooks/reach/lookup.h"

/** Marks a symbol of this library: the compiler reaches it without the global offset table. */
#define PP_HIDDEN __attribute__((visibility("hidden")))

/** Real function pointers by id. Each entry is written once; threads that race write the same value. */
extern PP_HIDDEN _Atomic(pp_gl_proc) pp_gl_real[PP_HOOK_COUNT];

/** Find the real function of @p id and remember it. @return NULL: not in this process. Any thread. */
pp_gl_proc pp_gl_resolve(int id);

/** Remember the function that the application got for @p id. The first one stays. */
void pp_gl_remember(int id, pp_gl_proc real);

/** Real function pointer of @p id. Hot: a load and a predicted branch. */
static inline pp_gl_proc
pp_gl_real_get(int id)
{
    pp_gl_proc real = atomic_load_explicit(&pp_gl_real[id], memory_order_relaxed);
    return PP_LIKELY(real) ? real : pp_gl_resolve(id);
}

/** Other libraries' dlsym and dlopen. */
struct pp_loader {
    void *(*_Atomic dlsym)(void *handle, const char *name); /**< the loader's; the shim calls it */
    void *(*_Atomic dlopen)(const char *file, int flags);   /**< likewise */
    void *_Atomic next_dlsym; /**< what the application would call without the shim: the loader's function, or
                                   another tool's that was preloaded after the shim (`mangohud --dlsym`) */
    void *_Atomic next_dlopen; /**< likewise */
};

/** Get the loader's functions, which the first call finds. Usable before constructors ran, because drivers
 * and applications call dlsym that early. */
const struct pp_loader *pp_loader(void);

/** Is a real GL, GLX or EGL library loaded in the shim's linker namespace? */
bool pp_gl_present(void);

/** Is the object that holds @p address one of the GL libraries, in the shim's linker namespace? The object's
 * DT_SONAME decides, not its file name: glmark2 opens libGL.so, and ANGLE's libEGL.so must not match. */
bool pp_gl_owns(const void *address);

/** Keep the library that holds @p address loaded: the application may close it, but pp_gl_real points into
 * it. */
void pp_gl_keep(const void *address);

/** A function of a library that is already loaded (libX11). @return NULL: not loaded. */
pp_gl_proc pp_loaded_symbol(const char *soname, const char *name);

/** Value of an environment variable. The function reads `environ` itself, because the application may have a
 * getenv() of its own (as bash has). @return NULL: not set. */
const char *pp_env(const char *name);

#endif
