/** @file
 * Linked, addresses taken in static data. */
#include <EGL/egl.h>
#include <GLES2/gl2.h>

#define CALL(name) (*address_of_##name)
#include "frames_list.h"

#define ADDRESS(name) static __typeof__(name) *volatile address_of_##name = name;
REACH_EGL(ADDRESS)
REACH_GL(ADDRESS)

#include "frames.h"

int
main(void)
{
    return reach_frames();
}
