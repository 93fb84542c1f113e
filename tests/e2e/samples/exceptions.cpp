// An application that throws C++ exceptions through functions that clear: test_stacks.py runs it bare and with -g.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <cstdio>
#include <stdexcept>

static int destroyed;

struct Guard {
    ~Guard() { destroyed++; }
};

__attribute__((noinline)) static void
deeper(int depth)
{
    Guard guard;
    glClear(GL_COLOR_BUFFER_BIT);
    if (depth == 0)
        throw std::runtime_error("bottom");
    deeper(depth - 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

int
main()
{
    auto open = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    EGLDisplay display = open(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE};
    EGLConfig config;
    EGLint configs = 0;
    eglInitialize(display, nullptr, nullptr);
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display, attributes, &config, 1, &configs);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    if (!eglMakeCurrent(display, surface, surface, context))
        return 1;
    int caught = 0;
    for (int frame = 0; frame < 200; frame++) {
        try {
            deeper(10);
        } catch (const std::runtime_error &) {
            caught++;
        }
        eglSwapBuffers(display, surface);
    }
    std::printf("%d caught, %d destroyed, error %x\n", caught, destroyed, glGetError());
    return 0;
}
