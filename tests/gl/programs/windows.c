/** @file
 * GLX applications, by case: several windows, sizes, single buffers, pbuffers, pixmaps, ways to swap and to
 * end. Prints what an application can see. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES   1
#define GLX_GLXEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glx.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 64

static Display *display;
static GLXFBConfig config;
static XVisualInfo *visual;

static GLXContext
start(int double_buffer)
{
    const int want[] = {GLX_DRAWABLE_TYPE,
                        GLX_WINDOW_BIT | GLX_PBUFFER_BIT | GLX_PIXMAP_BIT,
                        GLX_DOUBLEBUFFER,
                        double_buffer,
                        GLX_RED_SIZE,
                        8,
                        GLX_DEPTH_SIZE,
                        24,
                        GLX_X_RENDERABLE,
                        True,
                        None};
    int count = 0;
    display = XOpenDisplay(NULL);
    GLXFBConfig *found = display ? glXChooseFBConfig(display, DefaultScreen(display), want, &count) : NULL;
    if (!count) {
        puts("no display or no config");
        exit(77);
    }
    config = found[0];
    XFree(found);
    visual = glXGetVisualFromFBConfig(display, config);
    return glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True);
}

static Window
window(unsigned width, unsigned height)
{
    XSetWindowAttributes attributes = {0};
    Window root = DefaultRootWindow(display);
    attributes.colormap = XCreateColormap(display, root, visual->visual, AllocNone);
    Window made = XCreateWindow(display, root, 0, 0, width, height, 0, visual->depth, InputOutput,
                                visual->visual, CWColormap | CWBorderPixel, &attributes);
    XMapWindow(display, made);
    XSync(display, False);
    return made;
}

static void
draw(int draws)
{
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < draws; i++)
        glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
}

static void
case_two(void)
{
    GLXContext context = start(True);
    Window big = window(200, 100), small = window(50, 60);
    for (int frame = 0; frame < 6; frame++) {
        glXMakeCurrent(display, big, context);
        draw(2);
        glXSwapBuffers(display, big);
        glXMakeContextCurrent(display, small, small, context);
        draw(1);
        glXSwapBuffers(display, small);
    }
    printf("error %x\n", glGetError());
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
}

/* What Wine does for Direct3D: a window that is never swapped shows what the driver can do, and is gone
 * before the application's window presents. */
static void
case_probed(void)
{
    GLXContext context = start(1);
    Window below = window(16, 16);
    GLXWindow probe = glXCreateWindow(display, config, below, NULL);
    glXMakeCurrent(display, probe, context);
    draw(2);
    glFinish();
    glXMakeCurrent(display, None, NULL);
    glXDestroyWindow(display, probe);
    XDestroyWindow(display, below);
    below = window(SIZE, SIZE);
    probe = glXCreateWindow(display, config, below, NULL);
    glXMakeCurrent(display, probe, context);
    for (int i = 0; i < 60; i++) {
        draw(1);
        glXSwapBuffers(display, probe);
    }
    printf("error %x\n", glGetError());
    glXMakeCurrent(display, None, NULL);
    glXDestroyContext(display, context);
}

static void
case_resize(void)
{
    GLXContext context = start(True);
    Window made = window(100, 80);
    glXMakeCurrent(display, made, context);
    for (int frame = 0; frame < 60; frame++) {
        if (frame == 20) {
            XResizeWindow(display, made, 160, 120);
            XSync(display, False);
            glViewport(0, 0, 160, 120);
        }
        draw(1);
        glXSwapBuffers(display, made);
    }
    printf("error %x\n", glGetError());
}

static void
case_single(void)
{
    GLXContext context = start(False);
    Window made = window(64, 64);
    glXMakeCurrent(display, made, context);
    for (int frame = 0; frame < 5; frame++) {
        draw(3);
        glFlush();
        glFlush();
    }
    glFinish();
    printf("error %x\n", glGetError());
}

static void
case_drawables(void)
{
    const int size[] = {GLX_PBUFFER_WIDTH, 96, GLX_PBUFFER_HEIGHT, 48, None};
    GLXContext context = start(True);
    Window idle = window(16, 16); /* a context as toolkits make it to look up functions */
    printf("current %d\n", glXMakeCurrent(display, idle, context));
    Window made = window(70, 40);
    GLXWindow glx_window = glXCreateWindow(display, config, made, NULL);
    GLXPbuffer pbuffer = glXCreatePbuffer(display, config, size);
    Pixmap pixmap = XCreatePixmap(display, made, 33, 44, (unsigned)visual->depth);
    GLXPixmap glx_pixmap = glXCreatePixmap(display, config, pixmap, NULL);
    GLXDrawable target[] = {glx_window, pbuffer, glx_pixmap};
    for (int i = 0; i < 3; i++) {
        printf("current %d\n", glXMakeContextCurrent(display, target[i], target[i], context));
        for (int frame = 0; frame < 4; frame++) {
            draw(1);
            if (i == 0)
                glXSwapBuffers(display, target[i]);
            else
                glFinish();
        }
        printf("error %x\n", glGetError());
    }
    glXMakeCurrent(display, None, NULL);
    glXDestroyPixmap(display, glx_pixmap);
    glXDestroyPbuffer(display, pbuffer);
    glXDestroyWindow(display, glx_window);
    XFreePixmap(display, pixmap);
    glXDestroyContext(display, context);
    XCloseDisplay(display);
}

typedef int64_t (*swap_msc)(Display *, GLXDrawable, int64_t, int64_t, int64_t);
typedef void (*copy_sub)(Display *, GLXDrawable, int, int, int, int);

static void
case_swaps(void)
{
    GLXContext context = start(True);
    Window made = window(64, 64);
    const char *extensions = glXQueryExtensionsString(display, DefaultScreen(display));
    int msc = strstr(extensions, "GLX_OML_sync_control") != NULL;
    int sub = strstr(extensions, "GLX_MESA_copy_sub_buffer") != NULL;
    swap_msc by_msc = (swap_msc)glXGetProcAddressARB((const GLubyte *)"glXSwapBuffersMscOML");
    copy_sub by_copy = (copy_sub)glXGetProcAddressARB((const GLubyte *)"glXCopySubBufferMESA");
    glXMakeCurrent(display, made, context);
    int frames = 0;
    for (int frame = 0; frame < 3; frame++) {
        draw(1);
        glXSwapBuffers(display, made);
        frames++;
        if (sub) {
            draw(1);
            by_copy(display, made, 0, 0, 64, 64);
            frames++;
        }
        if (msc) {
            draw(1);
            frames += by_msc(display, made, 0, 0, 0) != -1;
        }
        /* The context is made current again without need, and released and taken again. */
        glXMakeCurrent(display, made, context);
        glXMakeCurrent(display, None, NULL);
        glXMakeCurrent(display, made, context);
    }
    printf("frames %d error %x\n", frames, glGetError());
}

/* End with everything open: the display is closed under a current context. */
static void
case_leave(void)
{
    GLXContext context = start(True);
    Window made = window(64, 64);
    glXMakeCurrent(display, made, context);
    for (int frame = 0; frame < 4; frame++) {
        draw(1);
        glXSwapBuffers(display, made);
    }
    draw(1);
    XCloseDisplay(display);
    puts("left");
}

/* One display after another, at the same address with the same names, each closed with all its objects. */
static void
case_reopened(void)
{
    for (int i = 1; i < 4; i++) {
        GLXContext context = start(True);
        Window made = window(64, 64);
        glXMakeCurrent(display, made, context);
        for (int frame = 0; frame < 3; frame++) {
            draw(i);
            glXSwapBuffers(display, made);
        }
        glXMakeCurrent(display, None, NULL);
        XCloseDisplay(display);
    }
    puts("closed");
}

/* Windows that only X destroys, and pbuffers: everything that is known of them is freed with them. Nothing is
 * drawn, because rows that wait to be written take memory, too. */

static void
use_window(GLXContext context)
{
    Window made = window(16, 16);
    glXMakeCurrent(display, made, context);
    XDestroyWindow(display, made);
}

static void
use_pbuffer(GLXContext context)
{
    const int size[] = {GLX_PBUFFER_WIDTH, 16, GLX_PBUFFER_HEIGHT, 16, None};
    GLXPbuffer made = glXCreatePbuffer(display, config, size);
    glXMakeContextCurrent(display, made, made, context);
    glXMakeCurrent(display, None, NULL);
    glXDestroyPbuffer(display, made);
}

static void
case_forgotten(void)
{
    static void (*const use[])(GLXContext) = {use_window, use_pbuffer};
    GLXContext context = start(True);
    for (int k = 0; k < 2; k++) {
        size_t used = 0;
        for (int i = 0; i < 240; i++) {
            if (i == 40)
                used = mallinfo2().uordblks;
            use[k](context);
        }
        fprintf(stderr, "bytes each %zd\n", ((ssize_t)mallinfo2().uordblks - (ssize_t)used) / 200);
    }
    printf("error %x\n", glGetError());
}

/* Threads that end with a current context, which the main thread takes over. */

struct job {
    Window window;
    GLXContext context;
};

static void *
ends_current(void *user)
{
    struct job *job = user;
    glXMakeCurrent(display, job->window, job->context);
    draw(2);
    glXSwapBuffers(display, job->window);
    draw(1);
    return NULL;
}

static void
case_heir(void)
{
    XInitThreads();
    GLXContext unused = start(True);
    for (int i = 0; i < 6; i++) {
        struct job job = {window(64, 64), glXCreateNewContext(display, config, GLX_RGBA_TYPE, NULL, True)};
        pthread_t thread;
        if (pthread_create(&thread, NULL, ends_current, &job))
            exit(2);
        pthread_join(thread, NULL);
        printf("taken over %d\n", glXMakeCurrent(display, job.window, job.context));
        draw(3);
        glXSwapBuffers(display, job.window);
        draw(2);
        glXSwapBuffers(display, job.window);
        printf("error %x\n", glGetError());
        glXMakeCurrent(display, None, NULL);
        glXDestroyContext(display, job.context);
        XDestroyWindow(display, job.window);
    }
    glXDestroyContext(display, unused);
}

/* One thread draws; another thread without a context swaps. */

static pthread_barrier_t turn;

static void *
draws(void *user)
{
    const struct job *job = user;
    glXMakeCurrent(display, job->window, job->context);
    for (int frame = 0; frame < 120; frame++) {
        draw(1 + frame % 3);
        if (frame % 2)
            glFinish();
        else
            glFlush();
        pthread_barrier_wait(&turn); /* drawn */
        pthread_barrier_wait(&turn); /* swapped */
    }
    printf("error %x\n", glGetError());
    glXMakeCurrent(display, None, NULL);
    return NULL;
}

static void
case_foreign(void)
{
    pthread_t thread;
    XInitThreads();
    GLXContext context = start(True);
    struct job job = {window(64, 64), context};
    pthread_barrier_init(&turn, NULL, 2);
    if (pthread_create(&thread, NULL, draws, &job))
        exit(2);
    for (int frame = 0; frame < 120; frame++) {
        pthread_barrier_wait(&turn);
        glXSwapBuffers(display, job.window);
        pthread_barrier_wait(&turn);
    }
    pthread_join(thread, NULL);
}

/* Windows that only X destroys, without a message to GLX. */

static int errors;

static int
count_error(Display *from, XErrorEvent *event)
{
    (void)from;
    (void)event;
    errors++;
    return 0;
}

static void
case_destroyed(void)
{
    GLXContext context = start(True);
    Window first = window(100, 80);
    XSetErrorHandler(count_error);
    glXMakeCurrent(display, first, context);
    draw(1);
    glXSwapBuffers(display, first);
    XDestroyWindow(display, first);
    /* Mesa 22.3 takes a random size of gigabytes for this window: nothing is drawn. */
    for (int i = 0; i < 80; i++)
        glXSwapBuffers(display, first);
    XSync(display, False);
    printf("X errors %d\n", errors);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"two", case_two},
                 {"probed", case_probed},
                 {"resize", case_resize},
                 {"single", case_single},
                 {"drawables", case_drawables},
                 {"swaps", case_swaps},
                 {"leave", case_leave},
                 {"heir", case_heir},
                 {"foreign", case_foreign},
                 {"destroyed", case_destroyed},
                 {"reopened", case_reopened},
                 {"forgotten", case_forgotten}};
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
