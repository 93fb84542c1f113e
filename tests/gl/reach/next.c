/** @file
 * Linked; asks RTLD_NEXT, which means all libraries after the application. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "pointers.h"

static void *
find(const char *name, int egl)
{
    (void)egl;
    return dlsym(RTLD_NEXT, name);
}

int
main(void)
{
    /* Keep the libraries although nothing is called directly. */
    __typeof__(eglInitialize) *volatile keep_egl = eglInitialize;
    __typeof__(glClear) *volatile keep_gl = glClear;
    reach_find = find;
    return keep_egl && keep_gl ? reach_by_pointers() : 1;
}
