/** @file
 * Functions of OpenGL that last longer; see README.md. Preloaded after passprobe, which finds these
 * functions before the driver's. For applications with one thread. */
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <string.h>

#include "tests/fake/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT EGLBoolean
eglSwapBuffers(EGLDisplay dpy, EGLSurface surface)
{
    static unsigned calls;
    static EGLBoolean (*next)(EGLDisplay, EGLSurface);
    void *found = dlsym(RTLD_NEXT, "eglSwapBuffers");
    memcpy(&next, &found, sizeof(next));
    fake_wait("present", &calls);
    return next(dpy, surface);
}

EXPORT GLenum
glClientWaitSync(GLsync sync, GLbitfield flags, GLuint64 timeout)
{
    static unsigned calls;
    static PFNGLCLIENTWAITSYNCPROC next;
    void *found = dlsym(RTLD_NEXT, "glClientWaitSync");
    memcpy(&next, &found, sizeof(next));
    fake_wait("fence", &calls);
    return next(sync, flags, timeout);
}
