/** @file
 * frames.h through pointers that LOOK_UP(name) finds at run time. */
#ifndef REACH_POINTERS_H
#define REACH_POINTERS_H

#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <string.h>

#include "frames_list.h"

#define POINTER(name) static __typeof__(name) *pointer_to_##name;
REACH_EGL(POINTER)
REACH_GL(POINTER)
#define CALL(name) pointer_to_##name
#include "frames.h"

static void *(*reach_find)(const char *name, int egl);
static int reach_missing;

static void
reach_store(void *to, const char *name, int egl)
{
    void *found = reach_find(name, egl);
    if (!found) {
        fprintf(stderr, "%s not found\n", name);
        reach_missing++;
    }
    memcpy(to, &found, sizeof(found));
}

/* Look everything up by reach_find and run. */
static int
reach_by_pointers(void)
{
#define FIND_EGL(name) reach_store(&pointer_to_##name, #name, 1);
#define FIND_GL(name)  reach_store(&pointer_to_##name, #name, 0);
    REACH_EGL(FIND_EGL)
    REACH_GL(FIND_GL)
    return reach_missing ? 1 : reach_frames();
}

#endif
