/** @file
 * The hooks of the functions that return addresses of others: dlsym, dlopen, GetProcAddress of GLX and EGL.
 * For dlsym and dlopen, trampoline.S calls them and then jumps to what they return, so that the loader sees
 * the application as the caller. The hooks of GetProcAddress run for every such call of the application, with
 * or without a context. They call the real function exactly once. */
#ifndef PP_HOOKS_REACH_DLSYM_H
#define PP_HOOKS_REACH_DLSYM_H

#include <stdint.h>

#include "hooks/reach/lookup.h"

/** dlsym(arg[0], arg[1]). @return Address to jump to, or 0: *result is the answer. */
uintptr_t pp_pick_dlsym(uintptr_t *arg, uintptr_t *result);

/** dlopen(arg[0], arg[1]) without RTLD_DEEPBIND: with this flag, the calls of the opened library would bypass
 * the shim's exports. PASSPROBE_KEEP_DEEPBIND=1 keeps the flag, for a library that needs it. @return Address
 * to jump to. */
uintptr_t pp_pick_dlopen(uintptr_t *arg, uintptr_t *result);

typedef __GLXextFuncPtr (*pp_glx_get_proc)(const GLubyte *name);
typedef __eglMustCastToProperFunctionPointerType (*pp_egl_get_proc)(const char *name);

__GLXextFuncPtr pp_gl_glx_get_proc_address(pp_glx_get_proc real, const GLubyte *name);
__eglMustCastToProperFunctionPointerType pp_gl_egl_get_proc_address(pp_egl_get_proc real, const char *name);

#endif
