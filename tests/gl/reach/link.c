/** @file
 * Linked, called through the PLT or, with -fno-plt, the GOT. */
#define CALL(name)            name
#define EGL_EGLEXT_PROTOTYPES 1
#include "frames.h"

int
main(void)
{
    return reach_frames();
}
