/** @file
 * Ends frames in many ways: `frame_ends WINSYS API SURFACE BEFORE FRAME COUNT AFTER`. Runs the steps BEFORE
 * once, FRAME `COUNT` times and AFTER once. Each letter is a step: d draw to the surface, o draw to a
 * framebuffer object, f glFinish, l glFlush, s swap, t glFrameTerminatorGREMEDY, m an end of a frame by
 * annotate.h, r release the context and make it current again, w wait 20 ms. Prints the nanoseconds of each
 * wait. Exit status 77: the system lacks what was asked for. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "annotate/include/passprobe/annotate.h"
#include "samples/egl_open.h"

#define SIZE    64
#define WAIT_NS 20000000

static struct egl_open egl;

static struct {
    Display *display;
    GLXDrawable drawable;
    GLXContext context;
} glx;

static GLuint framebuffer;
static void (*terminate)(void);

static _Noreturn void
skip(const char *why)
{
    puts(why);
    exit(77);
}

static void
current(int on)
{
    if (glx.context)
        glXMakeContextCurrent(glx.display, on ? glx.drawable : None, on ? glx.drawable : None,
                              on ? glx.context : NULL);
    else
        eglMakeCurrent(egl.display, on ? egl.surface : EGL_NO_SURFACE, on ? egl.surface : EGL_NO_SURFACE,
                       on ? egl.context : EGL_NO_CONTEXT);
}

static void
start_egl(int es, const char *surface)
{
    const struct egl_open_want want = {.es = es, .major = es ? 3 : 2, .width = SIZE, .height = SIZE};
    if (egl_open_display(&egl, &want))
        skip("no configuration of EGL");
    egl.context = egl_open_context(&egl, &want, EGL_NO_CONTEXT);
    if (!strcmp(surface, "pbuffer"))
        egl.surface = egl_open_surface(&egl, &want);
    if (egl.context == EGL_NO_CONTEXT)
        skip("no context of EGL");
}

static void
start_glx(const char *surface)
{
    const int want[] = {GLX_DRAWABLE_TYPE,
                        GLX_WINDOW_BIT | GLX_PBUFFER_BIT | GLX_PIXMAP_BIT,
                        GLX_DOUBLEBUFFER,
                        strcmp(surface, "pixmap") != 0,
                        GLX_X_RENDERABLE,
                        True,
                        None};
    const int size[] = {GLX_PBUFFER_WIDTH, SIZE, GLX_PBUFFER_HEIGHT, SIZE, None};
    int count = 0;
    glx.display = XOpenDisplay(NULL);
    GLXFBConfig *config =
        glx.display ? glXChooseFBConfig(glx.display, DefaultScreen(glx.display), want, &count) : NULL;
    XVisualInfo *visual = count ? glXGetVisualFromFBConfig(glx.display, config[0]) : NULL;
    if (!visual)
        skip("no configuration of GLX");
    Window root = DefaultRootWindow(glx.display);
    if (!strcmp(surface, "pbuffer")) {
        glx.drawable = glXCreatePbuffer(glx.display, config[0], size);
    } else if (!strcmp(surface, "pixmap")) {
        Pixmap pixmap = XCreatePixmap(glx.display, root, SIZE, SIZE, (unsigned)visual->depth);
        glx.drawable = glXCreatePixmap(glx.display, config[0], pixmap, NULL);
    } else {
        XSetWindowAttributes attributes = {.colormap =
                                               XCreateColormap(glx.display, root, visual->visual, AllocNone)};
        glx.drawable = XCreateWindow(glx.display, root, 0, 0, SIZE, SIZE, 0, visual->depth, InputOutput,
                                     visual->visual, CWColormap | CWBorderPixel, &attributes);
        XMapWindow(glx.display, glx.drawable);
    }
    glx.context = glXCreateNewContext(glx.display, config[0], GLX_RGBA_TYPE, NULL, True);
    if (!glx.context)
        skip("no context of GLX");
}

static void
start(char **word)
{
    GLuint texture;
    int es = !strcmp(word[2], "es");
    if (!strcmp(word[1], "glx"))
        start_glx(word[3]);
    else
        start_egl(es, word[3]);
    current(1);
    if (!glGetString(GL_VERSION))
        skip("the context cannot be made current");
    terminate =
        (void (*)(void))(glx.context ? glXGetProcAddressARB((const GLubyte *)"glFrameTerminatorGREMEDY")
                                     : eglGetProcAddress("glFrameTerminatorGREMEDY"));
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

static long long
now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
wait_a_while(void)
{
    long long from = now_ns();
    (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    printf("waited %lld\n", now_ns() - from);
}

static void
draw(GLuint to)
{
    glBindFramebuffer(GL_FRAMEBUFFER, to);
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
swap(void)
{
    if (glx.context)
        glXSwapBuffers(glx.display, glx.drawable);
    else
        eglSwapBuffers(egl.display, egl.surface);
}

static void
run(const char *steps)
{
    for (; *steps; steps++) {
        if (*steps == 'd' || *steps == 'o')
            draw(*steps == 'o' ? framebuffer : 0);
        else if (*steps == 'f')
            glFinish();
        else if (*steps == 'l')
            glFlush();
        else if (*steps == 's')
            swap();
        else if (*steps == 't' && terminate)
            terminate();
        else if (*steps == 'm')
            pp_frame_end();
        else if (*steps == 'r')
            current(0), current(1);
        else if (*steps == 'w')
            wait_a_while();
        else
            skip("a step that is not known");
    }
}

int
main(int argc, char **argv)
{
    if (argc != 8) {
        fprintf(stderr, "usage: frame_ends WINSYS API SURFACE BEFORE FRAME COUNT AFTER\n");
        return 2;
    }
    start(argv);
    run(argv[4]);
    for (int i = atoi(argv[6]); i > 0; i--)
        run(argv[5]);
    run(argv[7]);
    printf("error %x\n", glGetError());
    return 0;
}
