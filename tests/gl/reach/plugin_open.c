/** @file
 * A plug-in that opens EGL and GLES itself. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "pointers.h"

int reach_run(void);

static void *
find(const char *name, int egl)
{
    void *library = dlopen(egl ? "libEGL.so.1" : "libGLESv2.so.2", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

int
reach_run(void)
{
    reach_find = find;
    return reach_by_pointers();
}
