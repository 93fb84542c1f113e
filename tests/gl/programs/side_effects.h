/** @file
 * Functions that the cases of side_effects.c share. */
#ifndef SIDE_EFFECTS_H
#define SIDE_EFFECTS_H

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>

#include "samples/egl_open.h"

#define SIZE 64

extern struct egl_open egl;

/** Print glGetError() and clear it. */
void show_errors(const char *where);

/** The picture, as a number. */
unsigned image_hash(void);

/** One glBegin..glEnd. */
void triangle(float x);

/** Print how many names are queries. */
void show_alive(void);

/** End the frame and print what EGL says. */
void swap(EGLSurface surface);

/* Cases of side_effects_lists.c. */
void case_begin_end(EGLSurface surface);
void case_begin_swap(EGLSurface surface);
void case_lists(EGLSurface surface);
void case_list_queries(EGLSurface surface);
void case_list_swap(EGLSurface surface);
void case_open_lists(EGLSurface surface);
void case_open_refused(EGLSurface surface);
void case_open_nested(EGLSurface surface);
void case_modes(EGLSurface surface);

#endif
