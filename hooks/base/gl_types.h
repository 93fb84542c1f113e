/** @file
 * Types and enumerants of OpenGL, GLX and EGL, from libepoxy's headers. passprobe calls no function of
 * libepoxy: its macros only rename prototypes. */
#ifndef PP_HOOKS_BASE_GL_TYPES_H
#define PP_HOOKS_BASE_GL_TYPES_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <epoxy/gl.h>

#include <epoxy/egl.h>
#include <epoxy/glx.h>
#pragma GCC diagnostic pop

#endif
