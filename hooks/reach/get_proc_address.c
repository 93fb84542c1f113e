/** @file
 * GetProcAddress: the driver answers first. If it knows the name and we hook that name, the application gets
 * our hook. Under libglvnd every name is known, so an answer proves nothing, and our hook changes nothing
 * about that. */
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
