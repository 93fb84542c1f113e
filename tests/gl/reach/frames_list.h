/** @file
 * The functions that frames.h calls, for applications that look them up. */
#ifndef REACH_FRAMES_LIST_H
#define REACH_FRAMES_LIST_H

#define REACH_EGL(X)                                                                                         \
    X(eglGetPlatformDisplay)                                                                                 \
    X(eglInitialize)                                                                                         \
    X(eglBindAPI)                                                                                            \
    X(eglChooseConfig)                                                                                       \
    X(eglCreatePbufferSurface) X(eglCreateContext) X(eglMakeCurrent) X(eglSwapBuffers) X(eglTerminate)
#define REACH_GL(X) X(glClear) X(glClearColor) X(glDrawArrays) X(glViewport) X(glReadPixels) X(glGetError)

#endif
