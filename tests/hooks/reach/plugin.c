/** @file
 * A plug-in that links EGL and GLES. */
#define CALL(name) name
#include "frames.h"

int reach_run(void);

int
reach_run(void)
{
    return reach_frames();
}
