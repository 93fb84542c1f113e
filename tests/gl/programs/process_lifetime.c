/** @file
 * Applications that fork, start threads and end in unusual ways: `process_lifetime CASE`. Prints what the
 * application sees; output and exit status must be the same with and without passprobe. Knows nothing of
 * passprobe. */
#define _GNU_SOURCE
#include <GL/gl.h>
#include <GL/glx.h>
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "samples/egl_open.h"

#define SIZE 64

/* Each thread has these streams, passprobe's too. */
static __thread volatile char much[1 << 20];

static const struct egl_open_want wanted = {.width = SIZE, .height = SIZE};
static struct egl_open egl;
static EGLSurface last_surface;
static const char *self;

static void
initialize(void)
{
    if (egl_open_display(&egl, &wanted)) {
        puts("no EGL");
        exit(77);
    }
}

static EGLSurface
make_surface(void)
{
    return egl_open_surface(&egl, &wanted);
}

static EGLContext
make_context(void)
{
    return egl_open_context(&egl, &wanted, EGL_NO_CONTEXT);
}

static void
draw(int draws)
{
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < draws; i++)
        glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
}

/* Frames of two draws. */
static void
frames(EGLSurface surface, int count)
{
    for (int frame = 0; frame < count; frame++) {
        draw(2);
        eglSwapBuffers(egl.display, surface);
    }
}

static void
show(const char *what)
{
    much[sizeof(much) - 1] = 1;
    static unsigned char pixel[SIZE * SIZE * 4];
    unsigned hash = 2166136261U;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    for (size_t i = 0; i < sizeof(pixel); i++)
        hash = (hash ^ pixel[i]) * 16777619U;
    printf("%s: error %x image %x\n", what, glGetError(), hash);
    fflush(stdout);
}

static EGLSurface
start(void)
{
    initialize();
    EGLSurface surface = make_surface();
    if (!eglMakeCurrent(egl.display, surface, surface, make_context()))
        exit(77);
    last_surface = surface;
    return surface;
}

static void
wait_for(pid_t child)
{
    int status = 0;
    pid_t got;
    do
        got = waitpid(child, &status, 0);
    while (got < 0 && errno == EINTR);
    printf("child %d: exited %d status %d signal %d\n", got == child, WIFEXITED(status),
           WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    fflush(stdout);
}

/* Children. */

/* A child that leaves by exit(), with its parent's buffers and handlers. */
static void
case_fork_exit(void)
{
    EGLSurface surface = start();
    frames(surface, 3);
    draw(1);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(5);
    wait_for(child);
    eglSwapBuffers(egl.display, surface);
    frames(surface, 2);
    show("after");
}

/* The parent finds out which OpenGL there is, and closes it; the child draws. */
static void
case_fork_probe(void)
{
    EGLSurface surface = start();
    frames(surface, 2);
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(egl.display);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        frames(start(), 4);
        show("child");
        exit(7);
    }
    wait_for(child);
}

/* Both draw, each with objects that it opens itself. */
static void
case_fork_first(void)
{
    pid_t child = fork();
    if (child == 0) {
        frames(start(), 4);
        show("child");
        exit(7);
    }
    wait_for(child);
    frames(start(), 5);
    show("parent");
}

/* The process that draws is a child of a child whose parent has ended. */
static void
case_daemon(void)
{
    int ends[2];
    char got = 0;
    if (pipe(ends))
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        if (fork() > 0)
            _exit(0);
        (void)setsid();
        frames(start(), 4);
        show("daemon");
        exit(write(ends[1], "x", 1) != 1);
    }
    wait_for(child);
    close(ends[1]);
    printf("told %zd\n", read(ends[0], &got, 1));
    /* The end of the child's output, closed when the child has ended. */
    printf("gone %zd\n", read(ends[0], &got, 1));
}

static void
case_vfork(void)
{
    extern char **environ;
    char *const words[] = {(char *)"true", NULL};
    EGLSurface surface = start();
    frames(surface, 2);
    draw(1);
    pid_t child = vfork();
    if (child == 0) {
        execv("/bin/true", words);
        _exit(9);
    }
    wait_for(child);
    child = vfork();
    if (child == 0) {
        execv("/nowhere", words);
        _exit(9);
    }
    wait_for(child);
    printf("spawn %d\n", posix_spawn(&child, "/bin/true", NULL, NULL, words, environ));
    wait_for(child);
    eglSwapBuffers(egl.display, surface);
    frames(surface, 1);
    show("after");
    printf("system %d\n", system("exit 4"));
}

static void
case_plain(void)
{
    frames(start(), 5);
    show("plain");
}

/* The application starts itself once more, in a child process, during a frame. */
static void
case_exec(void)
{
    EGLSurface surface = start();
    frames(surface, 2);
    draw(2);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "plain", NULL);
        _exit(9);
    }
    wait_for(child);
    eglSwapBuffers(egl.display, surface);
    show("parent");
}

/* Threads that end with a context current, which is then destroyed. */

struct job {
    EGLSurface surface;
    EGLContext context;
};

static void *
ends_current(void *user)
{
    struct job *job = user;
    eglBindAPI(EGL_OPENGL_API);
    if (!eglMakeCurrent(egl.display, job->surface, job->surface, job->context))
        return NULL;
    frames(job->surface, 3);
    draw(1);
    return NULL;
}

static void
case_threads(void)
{
    initialize();
    for (int i = 0; i < 20; i++) {
        struct job job = {make_surface(), make_context()};
        pthread_t thread;
        if (pthread_create(&thread, NULL, ends_current, &job))
            exit(2);
        pthread_join(thread, NULL);
        eglDestroyContext(egl.display, job.context);
        eglDestroySurface(egl.display, job.surface);
    }
}

/* Ends. */

static void
draw_at_exit(void)
{
    frames(last_surface, 4);
    show("at exit");
}

/* Applications that clear their environment begin in this way. */
static void
case_cleared(void)
{
    clearenv();
    frames(start(), 3);
}

static void
case_at_exit(void)
{
    atexit(draw_at_exit);
    frames(start(), 3);
}

static void
case_at_exit_late(void)
{
    frames(start(), 3);
    atexit(draw_at_exit);
}

static int in_destructor;

__attribute__((destructor)) static void
destructor(void)
{
    if (in_destructor)
        draw_at_exit();
}

static void
case_destructor(void)
{
    in_destructor = 1;
    frames(start(), 3);
}

static void
leave(int number)
{
    (void)number;
    exit(42);
}

static void
case_handler(void)
{
    EGLSurface surface = start();
    signal(SIGUSR1, leave);
    frames(surface, 3);
    draw(1);
    raise(SIGUSR1);
}

static void
case_quick(void)
{
    frames(start(), 3);
    show("quick");
    quick_exit(8);
}

static void
case_abort(void)
{
    frames(start(), 3);
    show("abort");
    abort();
}

static void *
exits(void *user)
{
    ends_current(user);
    exit(11);
}

static void
case_thread_exits(void)
{
    initialize();
    struct job job = {make_surface(), make_context()};
    pthread_t thread;
    if (pthread_create(&thread, NULL, exits, &job))
        exit(2);
    pthread_join(thread, NULL);
}

/* A second context that is left for the first and destroyed there, again and again. */
static void
case_second(void)
{
    EGLSurface surface = start();
    EGLContext first = eglGetCurrentContext();
    for (int i = 0; i < 6; i++) {
        EGLSurface other = make_surface();
        EGLContext context = make_context();
        eglMakeCurrent(egl.display, other, other, context);
        frames(other, 5);
        eglMakeCurrent(egl.display, surface, surface, first);
        draw(1);
        if (i & 1)
            eglDestroySurface(egl.display, other);
        EGLBoolean done = eglDestroyContext(egl.display, context);
        printf("destroyed %d, current %d\n", done, eglGetCurrentContext() == first);
        printf("again %d", eglDestroyContext(egl.display, context));
        printf(" error %x\n", eglGetError());
        eglSwapBuffers(egl.display, surface);
    }
    show("first");
}

/* As Wine ends threads: a signal handler leaves all frames of the thread and calls pthread_exit() at the
 * begin of the stack. The thread was in pthread_cond_wait(), whose frame is overwritten. The process has a
 * library of the name by which Wine is known. */
static ucontext_t first_frame;
static atomic_bool killed;
static pthread_mutex_t never_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void
on_quit(int number)
{
    (void)number;
    atomic_store(&killed, true);
    setcontext(&first_frame);
}

static __attribute__((noinline)) void
overwrite_stack(void)
{
    volatile char over[16384];
    for (size_t i = 0; i < sizeof(over); i++)
        over[i] = 0x55;
}

static __attribute__((noinline)) void
wait_in_deep_frame(void)
{
    volatile char deep[4096];
    deep[0] = 0;
    pthread_mutex_lock(&never_lock);
    pthread_cond_broadcast(&never);
    while (deep[0] == 0)
        pthread_cond_wait(&never, &never_lock);
}

static void *
wait_until_killed(void *surface)
{
    getcontext(&first_frame);
    if (atomic_load(&killed)) {
        overwrite_stack();
        pthread_exit(NULL);
    }
    eglMakeCurrent(egl.display, surface, surface, make_context());
    frames(surface, 3);
    wait_in_deep_frame();
    return NULL;
}

static void
start_as_wine(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%.*s/ntdll.so", (int)(strrchr(self, '/') - self), self);
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
        exit(77);
    initialize();
    signal(SIGQUIT, on_quit);
}

/* Start a thread that draws, and kill it delay_us after it says that it may be killed. */
static pthread_t
start_and_kill(void *(*run)(void *), useconds_t delay_us)
{
    pthread_t thread;
    pthread_mutex_lock(&never_lock);
    pthread_create(&thread, NULL, run, make_surface());
    pthread_cond_wait(&never, &never_lock);
    pthread_mutex_unlock(&never_lock);
    usleep(delay_us);
    pthread_kill(thread, SIGQUIT);
    return thread;
}

static void
case_wine(void)
{
    start_as_wine();
    pthread_join(start_and_kill(wait_until_killed, 0), NULL);
    puts("ended");
}

/* The thread is killed in realloc(), which copies the block while it holds the lock of the thread's heap.
 * Then pthread_exit() would wait for that lock for ever. */
static void *
copy_until_killed(void *surface)
{
    const size_t bytes = (size_t)16 << 20;
    getcontext(&first_frame);
    while (atomic_load(&killed))
        pause();
    eglMakeCurrent(egl.display, surface, surface, make_context());
    frames(surface, 3);
    for (;;) {
        void *block = malloc(bytes);
        void *behind = malloc(2048);
        pthread_mutex_lock(&never_lock);
        pthread_cond_broadcast(&never);
        pthread_mutex_unlock(&never_lock);
        free(realloc(block, bytes + 4096));
        free(behind);
    }
    return NULL;
}

static void
case_wine_heap(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    start_as_wine();
    EGLSurface surface = make_surface();
    eglMakeCurrent(egl.display, surface, surface, make_context());
    frames(surface, 3);
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    (void)start_and_kill(copy_until_killed, 50000);
    usleep(50000);
    puts("ended");
    fflush(stdout);
    alarm(5);
}

/* The thread is killed while it has the display's lock, which libGLX's destructor takes. */
static Display *x11;

static void *
lock_display_until_killed(void *surface)
{
    getcontext(&first_frame);
    while (atomic_load(&killed))
        pause();
    eglMakeCurrent(egl.display, surface, surface, make_context());
    frames(surface, 3);
    XLockDisplay(x11);
    pthread_mutex_lock(&never_lock);
    pthread_cond_broadcast(&never);
    pthread_mutex_unlock(&never_lock);
    for (;;)
        pause();
    return NULL;
}

static void
case_wine_display(void)
{
    int any[] = {GLX_RGBA, None};
    XInitThreads();
    x11 = XOpenDisplay(NULL);
    if (!x11 || !glXChooseVisual(x11, DefaultScreen(x11), any))
        exit(77);
    start_as_wine();
    (void)start_and_kill(lock_display_until_killed, 50000);
    puts("ended");
    fflush(stdout);
    alarm(5);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"plain", case_plain},
        {"fork_exit", case_fork_exit},
        {"fork_probe", case_fork_probe},
        {"fork_first", case_fork_first},
        {"daemon", case_daemon},
        {"vfork", case_vfork},
        {"exec", case_exec},
        {"threads", case_threads},
        {"cleared", case_cleared},
        {"at_exit", case_at_exit},
        {"at_exit_late", case_at_exit_late},
        {"handler", case_handler},
        {"destructor", case_destructor},
        {"quick", case_quick},
        {"abort", case_abort},
        {"thread_exits", case_thread_exits},
        {"second", case_second},
        {"wine", case_wine},
        {"wine_heap", case_wine_heap},
        {"wine_display", case_wine_display},
    };
    self = argv[0];
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
