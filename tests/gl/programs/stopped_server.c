/** @file
 * An application in an X window. The X server stops for 60 frames, then the window becomes larger, and the
 * application's viewport with it, and later it is destroyed. The driver of tests/fake/gl asks the server only
 * in eglQuerySurface, so only what asks it waits. Arguments: how the application opens its display, and what
 * it does in each frame ("viewport": it draws to a part of the window; "parts": to three parts of it, and it
 * prints how many requests others made on its connection; "switches": it makes the window current anew).
 * "mesa": for a driver that waits for the server itself, the server does not stop, and the program ends
 * before the window. Knows nothing of passprobe. */
#define _GNU_SOURCE           1 /* struct ucred */
#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STOPS = 20, GOES_ON = 80, DESTROYS = 160, FRAMES = 240 };

static Display *x;
static Window shown;
static pid_t server;
static int x_errors;
static int wakes; /* of a connection on which the application expects nothing */

static EGLDisplay display;
static EGLSurface surface;

static void
let_the_server_go_on(int number)
{
    (void)number;
    kill(server, SIGCONT);
    _exit(3);
}

static int
count_error(Display *from, XErrorEvent *error)
{
    (void)from;
    (void)error;
    x_errors++;
    return 0;
}

static void
open_window(void)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    x = XOpenDisplay(NULL);
    if (!x || getsockopt(XConnectionNumber(x), SOL_SOCKET, SO_PEERCRED, &peer, &size))
        abort();
    server = peer.pid;
    XSetErrorHandler(count_error);
    shown = XCreateSimpleWindow(x, DefaultRootWindow(x), 0, 0, 64, 48, 0, 0, 0);
    XSelectInput(x, shown, StructureNotifyMask);
    XSync(x, False);
}

/* Make the window's surface on a display of EGL, of which `which` says how it is got. */
static EGLContext
open_egl(const char *which)
{
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RED_SIZE, 8, EGL_ALPHA_SIZE, 0, EGL_NONE};
    EGLConfig config;
    EGLint count;
    uint32_t number = (uint32_t)shown;
    void *(*connection)(Display *) = (void *(*)(Display *))dlsym(RTLD_DEFAULT, "XGetXCBConnection");
    if (strcmp(which, "default") == 0)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    else if (strcmp(which, "display") == 0)
        display = eglGetDisplay((EGLNativeDisplayType)x);
    else if (strcmp(which, "x11") == 0)
        display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, x, NULL);
    else
        display = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, connection(x), NULL);
    eglInitialize(display, NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display, wanted, &config, 1, &count);
    if (strcmp(which, "x11") == 0)
        surface = eglCreatePlatformWindowSurface(display, config, &shown, NULL);
    else if (strcmp(which, "xcb") == 0)
        surface = eglCreatePlatformWindowSurface(display, config, &number, NULL);
    else
        surface = eglCreateWindowSurface(display, config, (EGLNativeWindowType)shown, NULL);
    return eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
}

static int
events(void)
{
    XEvent event;
    int count = 0;
    for (XSync(x, False); XPending(x) > 0; count++)
        XNextEvent(x, &event);
    return count;
}

/* Did an answer or an event come that is not taken yet? The server may answer late. */
static bool
is_readable(void)
{
    struct pollfd fd = {.fd = XConnectionNumber(x), .events = POLLIN};
    return poll(&fd, 1, 100) > 0;
}

/* Make the window current; `context` NULL: no window. */
static void
make_current(void *context)
{
    if (surface)
        eglMakeCurrent(display, context ? surface : EGL_NO_SURFACE, context ? surface : EGL_NO_SURFACE,
                       context);
    else
        glXMakeCurrent(x, context ? shown : None, context);
}

static void
swap(void)
{
    if (surface)
        eglSwapBuffers(display, surface);
    else
        glXSwapBuffers(x, shown);
    XFlush(x);
}

/* How many requests were made on the connection, with this one. */
static unsigned long
requests(void)
{
    XNoOp(x);
    return NextRequest(x);
}

/* Draw to three parts of the window, one after the other. */
static void
draw_parts(void *context)
{
    static const GLint part[3][4] = {{0, 0, 64, 20}, {0, 20, 32, 28}, {32, 20, 30, 20}};
    unsigned long before = 0;
    make_current(context);
    for (int frame = 0; frame < 400; frame++) {
        if (frame < 150)
            XSync(x, False); /* answers come before the next swap */
        if (frame == 150)    /* three parts: three questions */
            before = requests();
        for (int i = 0; i < 3; i++) {
            glViewport(part[i][0], part[i][1], part[i][2], part[i][3]);
            glClear(GL_COLOR_BUFFER_BIT);
            glDrawArrays(GL_TRIANGLES, 0, 3);
        }
        swap();
    }
    printf("requests %lu\n", requests() - before - 1);
}

int
main(int argc, char **argv)
{
    const char *does = argc > 2 ? argv[2] : "";
    bool mesa = strcmp(does, "mesa") == 0;
    void *context;
    if (argc < 2 || !dlopen("libX11-xcb.so.1", RTLD_NOW | RTLD_GLOBAL) ||
        !dlopen("libxcb.so.1", RTLD_NOW | RTLD_GLOBAL))
        return 2;
    open_window();
    if (strcmp(argv[1], "glx") == 0)
        context = glXCreateNewContext(x, NULL, GLX_RGBA_TYPE, NULL, True);
    else
        context = open_egl(argv[1]);
    if (strcmp(does, "parts") == 0) {
        draw_parts(context);
        return 0;
    }
    make_current(context);
    signal(SIGALRM, let_the_server_go_on);
    alarm(20);
    for (int frame = 0; frame < (mesa ? DESTROYS : FRAMES); frame++) {
        if (frame == STOPS && !mesa)
            kill(server, SIGSTOP);
        if (frame == GOES_ON) {
            kill(server, SIGCONT);
            wakes += strcmp(does, "viewport") != 0 && is_readable();
            XResizeWindow(x, shown, 100, 80);
        }
        if (frame == DESTROYS)
            XDestroyWindow(x, shown);
        if (frame >= GOES_ON)
            XSync(x, False); /* answers come before the next swap */
        if (strcmp(does, "switches") == 0) {
            make_current(NULL);
            make_current(context);
        }
        if (frame == GOES_ON)
            glViewport(0, 0, 100, 80);
        if (strcmp(does, "viewport") == 0)
            glViewport(0, 0, 32, 24);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        swap();
    }
    printf("error %x, X errors %d, events %d, wakes %d\n", glGetError(), x_errors, events(), wakes);
    return 0;
}
