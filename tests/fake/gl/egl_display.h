/** @file
 * Functions that the fakes of EGL share: one display, one configuration, surfaces of 32 x 16 pixels, and no
 * function that only eglGetProcAddress() finds. The header defines functions of EGL: one file of a library
 * includes it, after <EGL/egl.h>. */
#ifndef PP_FAKE_EGL_DISPLAY_H
#define PP_FAKE_EGL_DISPLAY_H

/** The address of this variable is the display and the configuration. */
static int fake_display;

/** The platform and the native display that the display was last got for. */
static EGLenum fake_platform;
static void *fake_native;

/** An attribute as eglQuerySurface() returns it. */
static inline EGLint
fake_surface_attribute(EGLint what)
{
    return what == EGL_WIDTH ? 32 : what == EGL_HEIGHT ? 16 : what == EGL_RENDER_BUFFER ? EGL_BACK_BUFFER : 0;
}

EGLDisplay
eglGetPlatformDisplay(EGLenum platform, void *native, const EGLAttrib *attribs)
{
    (void)attribs;
    fake_platform = platform;
    fake_native = native;
    return &fake_display;
}

EGLBoolean
eglInitialize(EGLDisplay display, EGLint *major, EGLint *minor)
{
    (void)major;
    (void)minor;
    return display == &fake_display;
}

EGLBoolean
eglChooseConfig(EGLDisplay display, const EGLint *want, EGLConfig *config, EGLint size, EGLint *count)
{
    (void)display;
    (void)want;
    *count = size;
    *config = &fake_display;
    return EGL_TRUE;
}

EGLBoolean
eglGetConfigAttrib(EGLDisplay display, EGLConfig config, EGLint what, EGLint *value)
{
    (void)display;
    (void)config;
    *value = what == EGL_RED_SIZE || what == EGL_GREEN_SIZE || what == EGL_BLUE_SIZE ? 8 : 0;
    return EGL_TRUE;
}

__eglMustCastToProperFunctionPointerType
eglGetProcAddress(const char *name)
{
    (void)name;
    return NULL;
}

#endif
