/** @file
 * Everything by eglGetProcAddress, which is linked. */
#include "pointers.h"

static void *
find(const char *name, int egl)
{
    void *found;
    __eglMustCastToProperFunctionPointerType proc = eglGetProcAddress(name);
    (void)egl;
    memcpy(&found, &proc, sizeof(proc));
    return found;
}

int
main(void)
{
    reach_find = find;
    return reach_by_pointers();
}
