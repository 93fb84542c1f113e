/** @file
 * GetProcAddress of GLX and EGL. A hook runs for every such call of the application, with or without a
 * context. It calls the real function exactly once. */
#ifndef PP_HOOKS_REACH_GET_PROC_ADDRESS_H
#define PP_HOOKS_REACH_GET_PROC_ADDRESS_H

#include "hooks/reach/lookup.h"

typedef __GLXextFuncPtr (*pp_glx_get_proc)(const GLubyte *name);
typedef __eglMustCastToProperFunctionPointerType (*pp_egl_get_proc)(const char *name);

__GLXextFuncPtr pp_gl_glx_get_proc_address(pp_glx_get_proc real, const GLubyte *name);
__eglMustCastToProperFunctionPointerType pp_gl_egl_get_proc_address(pp_egl_get_proc real, const char *name);

#endif
