/** @file
 * A plug-in that links EGL and GLES: they are there for it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#define CALL(name) name
#include "frames.h"

int reach_run(void);
void reach_ask(void);

void
reach_ask(void)
{
    static const char *const name[] = {"glClear", "eglSwapBuffers", "glXSwapBuffers", "glDrawMeshTasksNV"};
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
        printf("plug-in %s: %d\n", name[i], dlsym(RTLD_DEFAULT, name[i]) != NULL);
}

int
reach_run(void)
{
    return reach_frames();
}
