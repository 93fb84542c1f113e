/** @file
 * A GL, GLES and EGL for machines without one (other architectures under emulation): the functions that
 * frames.h needs, with contexts without timer queries. Built once for each soname. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stddef.h>

#include "../../fake/gl/egl_display.h"

static EGLContext current;
static EGLSurface surface;
static float color[4];

EGLBoolean
eglBindAPI(EGLenum api)
{
    return api == EGL_OPENGL_ES_API;
}

EGLSurface
eglCreatePbufferSurface(EGLDisplay display, EGLConfig config, const EGLint *attribs)
{
    (void)display;
    (void)config;
    (void)attribs;
    return &surface;
}

EGLBoolean
eglQuerySurface(EGLDisplay display, EGLSurface which, EGLint what, EGLint *value)
{
    (void)display;
    (void)which;
    *value = fake_surface_attribute(what);
    return EGL_TRUE;
}

EGLContext
eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share, const EGLint *attribs)
{
    (void)display;
    (void)config;
    (void)share;
    (void)attribs;
    return &current;
}

EGLBoolean
eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context)
{
    (void)display;
    (void)read;
    surface = draw;
    current = context;
    return EGL_TRUE;
}

EGLContext
eglGetCurrentContext(void)
{
    return current;
}

EGLBoolean
eglSwapBuffers(EGLDisplay display, EGLSurface which)
{
    return display == &fake_display && which == surface;
}

EGLBoolean
eglTerminate(EGLDisplay display)
{
    return display == &fake_display;
}

const GLubyte *
glGetString(GLenum name)
{
    return (const GLubyte *)(name == GL_VERSION ? "OpenGL ES 2.0 fake" : name == GL_EXTENSIONS ? "" : "fake");
}

void
glGetIntegerv(GLenum name, GLint *value)
{
    (void)name;
    *value = 0;
}

void
glClearColor(GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha)
{
    color[0] = red;
    color[1] = green;
    color[2] = blue;
    color[3] = alpha;
}

void
glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixel)
{
    unsigned char *to = pixel;
    (void)x;
    (void)y;
    (void)format;
    (void)type;
    for (int i = 0; i < width * height * 4; i++)
        to[i] = (unsigned char)(color[i % 4] * 255.0f + 0.5f);
}

void
glClear(GLbitfield mask)
{
    (void)mask;
}

void
glDrawArrays(GLenum mode, GLint first, GLsizei count)
{
    (void)mode;
    (void)first;
    (void)count;
}

void
glViewport(GLint x, GLint y, GLsizei width, GLsizei height)
{
    (void)x;
    (void)y;
    (void)width;
    (void)height;
}

GLenum
glGetError(void)
{
    return GL_NO_ERROR;
}
