/** @file
 * GetProcAddress: the driver answers first. If it knows the name and there is a hook of that name, the
 * application gets the hook. libglvnd knows every name, whether the driver has the function or not; the hook
 * keeps this behaviour. */
#include "hooks/reach/get_proc_address.h"

#include "hooks/reach/driver_procs.h"

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
