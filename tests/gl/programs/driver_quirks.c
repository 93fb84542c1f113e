/** @file
 * Applications of the fake GL of tests/fake/gl, by case. Prints what an application can see, and on stderr
 * what the driver saw. Knows nothing of passprobe except the annotate API. */
#define EGL_EGLEXT_PROTOTYPES 1
#define GL_GLEXT_PROTOTYPES   1
#define GLX_GLXEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/glx.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/include/passprobe/annotate.h"
#include "tests/fake/gl/fake.h"

static EGLDisplay display;
static EGLConfig config;

static EGLContext
start(EGLSurface surface)
{
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    eglMakeCurrent(display, surface, surface, context);
    return context;
}

static EGLSurface
window(void)
{
    return eglCreatePlatformWindowSurface(display, config, NULL, NULL);
}

static void
draw(int draws)
{
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Results are late, frame after frame. */
static void
case_late(void)
{
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 4000; frame++) {
        draw(1);
        eglSwapBuffers(display, surface);
    }
    fprintf(stderr, "names %u\n", fake_gl_names());
    fprintf(stderr, "asked early %u\n", fake_gl_asked_early());
}

/* Frames of many draws and few, of one draw, of none, and a query buffer that is bound meanwhile. */
static void
case_threaded(void)
{
    static const int draws[] = {40, 40, 70, 10, 1, 40, 0, 40};
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 80; frame++) {
        draw(draws[frame % 8] / 2);
        if (frame % 16 == 9)
            glBindBuffer(GL_QUERY_BUFFER, 7);
        draw(draws[frame % 8] - draws[frame % 8] / 2);
        if (frame % 16 == 10)
            glBindBuffer(GL_QUERY_BUFFER, 0);
        eglSwapBuffers(display, surface);
    }
    printf("error %x\n", glGetError());
    fprintf(stderr, "caught up %u\n", fake_gl_caught_up());
}

/* A frame of very many draws, and one whose results the next frame must not change. */
static void
case_endless(void)
{
    EGLSurface surface = window();
    start(surface);
    draw(60000);
    fprintf(stderr, "names %u\n", fake_gl_names());
    for (int frame = 0; frame < 3; frame++) {
        eglSwapBuffers(display, surface);
        draw(3);
    }
    eglSwapBuffers(display, surface);
    printf("error %x\n", glGetError());
    fprintf(stderr, "asked early %u\n", fake_gl_asked_early());
}

/* OpenGL ES: the application watches for a disjoint clock; reading it resets it. */
static void
case_disjoint(void)
{
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 6; frame++) {
        GLint disjoint = -1;
        draw(2);
        if (frame == 2)
            fake_gl_disjoin();
        draw(1);
        eglSwapBuffers(display, surface);
        draw(1);
        glGetIntegerv(0x8FBB, &disjoint);
        printf("disjoint %d error %x\n", disjoint, glGetError());
    }
    fprintf(stderr, "names %u\n", fake_gl_names());
}

/* User counters, one of which comes when frames.csv is long. */
static void
case_counted(void)
{
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 600; frame++) {
        pp_counter_set("early", frame);
        if (frame >= 400)
            pp_counter_set("late", frame);
        draw(1);
        eglSwapBuffers(display, surface);
    }
}

/* A GPU that has stopped: no result ever comes. The context is released, made current again, destroyed, and
 * left. */
static void
case_hung(void)
{
    EGLSurface surface = window();
    EGLContext context = start(surface);
    for (int frame = 0; frame < 20; frame++) {
        draw(2);
        eglSwapBuffers(display, surface);
        if (frame % 4 == 3) {
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglMakeCurrent(display, surface, surface, context);
        }
    }
}

/* The context is released while the results of its last frames are still to come. */
static void
case_paused(void)
{
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 3; frame++) {
        draw(2);
        eglSwapBuffers(display, surface);
    }
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

/* A window that is waited for a few times, and never swapped. */
static void
case_seldom(void)
{
    start(window());
    for (int frame = 0; frame < 3; frame++) {
        draw(frame + 1);
        glFinish();
    }
}

/* A context that is released again and again. */
static void
case_release(void)
{
    EGLSurface surface = window();
    EGLContext context = start(surface);
    unsigned asked = 0;
    for (int frame = 0; frame < 6; frame++) {
        draw(2);
        eglSwapBuffers(display, surface);
        draw(1);
        unsigned before = fake_gl_asked();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        asked += fake_gl_asked() - before;
        eglMakeCurrent(display, surface, surface, context);
    }
    fprintf(stderr, "asked at releases %u\n", asked);
}

/* errno belongs to the application, whatever its calls do. */
#define KEEPS(call)                                                                                          \
    do {                                                                                                     \
        errno = ENOENT;                                                                                      \
        call;                                                                                                \
        if (errno != ENOENT)                                                                                 \
            printf("frame %d: %s: errno %d\n", frame, #call, errno);                                         \
    } while (0)

static void
keeps_in_frame(int frame)
{
    static unsigned char pixels[4 * 8 * 8];
    KEEPS(glClear(GL_COLOR_BUFFER_BIT));
    for (int i = 0; i < 40; i++)
        KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
    KEEPS(glUseProgram(1 + (GLuint)frame));
    KEEPS(glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "group"));
    KEEPS(pp_region_push("region"));
    KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
    KEEPS(pp_region_pop());
    KEEPS(glPopDebugGroup());
    KEEPS(glInsertEventMarkerEXT(0, "event"));
    KEEPS(glObjectLabel(GL_PROGRAM, 1, -1, "name"));
    KEEPS(glBindBuffer(GL_QUERY_BUFFER, frame % 2 ? 7 : 0));
    KEEPS(glBindBuffer(GL_PIXEL_PACK_BUFFER, 5));
    KEEPS(glDeleteBuffers(1, (const GLuint[]){5}));
    KEEPS(glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels));
    KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
    KEEPS(glFlush());
    KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
    KEEPS(glFinish());
    KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
    KEEPS(glClientWaitSync(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0), GL_SYNC_FLUSH_COMMANDS_BIT, 1));
    KEEPS(pp_frame_end());
}

static void
keeps_in_glx(void)
{
    Display *x = (Display *)&display; /* the driver does not read it */
    int frame = -1;
    GLXContext context;
    KEEPS(context = glXCreateNewContext(x, NULL, GLX_RGBA_TYPE, NULL, True));
    KEEPS(glXMakeCurrent(x, 7, context));
    keeps_in_frame(frame);
    KEEPS(glXSwapBuffers(x, 7));
    keeps_in_frame(frame);
    KEEPS(glXSwapBuffersMscOML(x, 7, 0, 1, 0));
    KEEPS(glXMakeCurrent(x, 0, NULL));
    KEEPS(glXMakeCurrent(x, 7, context));
    keeps_in_frame(frame);
    KEEPS(glXDestroyContext(x, context));
    KEEPS(glXMakeCurrent(x, 0, NULL));
}

static void
case_errno(void)
{
    int frame = 0;
    EGLSurface surface;
    EGLContext context, other;
    KEEPS(surface = window());
    KEEPS(context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL));
    KEEPS(eglMakeCurrent(display, surface, surface, context));
    for (; frame < 12; frame++) {
        keeps_in_frame(frame);
        KEEPS(eglSwapBuffers(display, surface));
        KEEPS(glDrawArrays(GL_TRIANGLES, 0, 3));
        if (frame % 4 == 1)
            KEEPS(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
        if (frame % 4 == 2)
            KEEPS(eglReleaseThread());
        KEEPS(eglMakeCurrent(display, surface, surface, context));
    }
    KEEPS(other = eglCreateContext(display, config, context, NULL));
    KEEPS(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other));
    keeps_in_frame(frame);
    KEEPS(glFrameTerminatorGREMEDY());
    keeps_in_frame(frame);
    KEEPS(eglDestroyContext(display, other));
    KEEPS(eglMakeCurrent(display, surface, surface, context));
    keeps_in_frame(frame);
    KEEPS(eglDestroySurface(display, surface));
    KEEPS(eglTerminate(display));
    keeps_in_glx();
}

/* The application's queries get the lowest free names at any time, as in another context. */
static void
case_query_names(void)
{
    EGLSurface surface = window();
    EGLContext first = start(surface), second = eglCreateContext(display, config, first, NULL);
    for (int frame = 0; frame < 8; frame++) {
        GLuint name[5];
        eglMakeCurrent(display, surface, surface, frame % 2 ? second : first);
        draw(200);
        glGenQueries(5, name);
        printf("names %u %u %u %u %u error %x\n", name[0], name[1], name[2], name[3], name[4], glGetError());
        glBeginQuery(GL_TIME_ELAPSED, name[0]);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        eglSwapBuffers(display, surface);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glEndQuery(GL_TIME_ELAPSED);
        printf("elapsed: error %x\n", glGetError());
        eglSwapBuffers(display, surface);
    }
}

/* Displays and a context end in a thread that ends with them; later ones have the same handles. */

static void *
terminates(void *user)
{
    EGLSurface surface = window();
    EGLContext context = start(surface);
    for (int frame = 0; frame < 3; frame++) {
        draw(*(const int *)user);
        eglSwapBuffers(display, surface);
    }
    draw(1);
    if (*(const int *)user == 3) {
        eglDestroyContext(display, context);
        return NULL;
    }
    eglTerminate(display);
    eglInitialize(display, NULL, NULL);
    return NULL;
}

static void
case_terminated(void)
{
    for (int draws = 1; draws < 4; draws++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, terminates, &draws) || pthread_join(thread, NULL))
            exit(2);
    }
}

/* A robust application: it notices the loss in the middle of a frame, and begins again. */
static void
case_lost(void)
{
    EGLSurface surface = window();
    EGLContext context = start(surface);
    for (int frame = 0; frame < 10; frame++) {
        draw(2);
        if (frame == 5)
            fake_gl_reset();
        printf("status %x\n", glGetGraphicsResetStatus());
        unsigned before = fake_gl_calls_when_lost();
        draw(1);
        eglSwapBuffers(display, surface);
        fprintf(stderr, "query calls after the loss %u\n", fake_gl_calls_when_lost() - before);
    }
    /* Release a lost context with open brackets, and make it current again. */
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglMakeCurrent(display, surface, surface, context);
    draw(1);
    eglSwapBuffers(display, surface);
    eglDestroyContext(display, context);
    start(surface);
    for (int frame = 0; frame < 5; frame++) {
        draw(3);
        eglSwapBuffers(display, surface);
    }
    printf("error %x status %x\n", glGetError(), glGetGraphicsResetStatus());
}

/* An application that asks only after the swap. */
static void
case_lost_late(void)
{
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 4; frame++) {
        draw(2);
        if (frame == 2)
            fake_gl_reset();
        eglSwapBuffers(display, surface);
        printf("status %x error %x\n", glGetGraphicsResetStatus(), glGetError());
    }
}

/* Thousands of surfaces and contexts, destroyed with open brackets; displays terminated with them. */
static void
case_many(void)
{
    EGLSurface kept = window();
    EGLContext context = start(kept);
    for (int i = 0; i < 3000; i++) {
        EGLSurface surface = i & 1 ? window() : eglCreatePbufferSurface(display, config, NULL);
        eglMakeCurrent(display, surface, surface, context);
        draw(1);
        if (i & 1)
            eglSwapBuffers(display, surface);
        if (i & 2)
            eglMakeCurrent(display, kept, kept, context);
        eglDestroySurface(display, surface);
        eglMakeCurrent(display, kept, kept, context);
        if (i % 100 == 99) {
            EGLContext other = eglCreateContext(display, config, context, NULL);
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
            draw(1);
            if (i & 4)
                glFinish();
            eglMakeCurrent(display, kept, kept, context);
            eglDestroyContext(display, other);
        }
    }
    EGLSurface last = window();
    eglCreateContext(display, config, context, NULL);
    eglTerminate(display);
    eglInitialize(display, NULL, NULL);
    eglMakeCurrent(display, last, last, start(last));
    draw(4);
    eglSwapBuffers(display, last);
    printf("error %x\n", glGetError());
}

/* A surface and a context for each task: everything that is known of them is freed with them. */
static void
case_forgotten(void)
{
    EGLSurface kept = window();
    EGLContext context = start(kept);
    size_t used = 0;
    for (int i = 0; i < 6000; i++) {
        if (i == 1000)
            used = mallinfo2().uordblks;
        EGLSurface surface = eglCreatePbufferSurface(display, config, NULL);
        EGLContext other = eglCreateContext(display, config, i & 1 ? context : EGL_NO_CONTEXT, NULL);
        eglMakeCurrent(display, surface, surface, other);
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
        eglDestroyContext(display, other);
        eglDestroySurface(display, surface);
        eglMakeCurrent(display, kept, kept, context);
    }
    /* The sanitizers' allocator does not report this. */
    if (used)
        fprintf(stderr, "bytes a task %zd\n", ((ssize_t)mallinfo2().uordblks - (ssize_t)used) / 5000);
}

/* Every way to end a frame in EGL, and swaps that fail. The platform is GBM. */
static void
case_swaps_egl(void)
{
    const EGLint rect[] = {0, 0, 8, 8};
    display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, NULL, NULL);
    EGLSurface surface = window();
    start(surface);
    draw(1);
    printf("%d", eglSwapBuffers(display, surface));
    draw(2);
    printf(" %d", eglSwapBuffersWithDamageKHR(display, surface, rect, 1));
    draw(3);
    printf(" %d", eglSwapBuffersWithDamageKHR(display, surface, rect, -1));
    printf(" %d", eglSwapBuffersWithDamageEXT(display, surface, rect, 1));
    draw(4);
    printf(" %d", eglSwapBuffersRegionNOK(display, surface, 1, rect));
    draw(5);
    printf(" %d", eglSwapBuffersRegion2NOK(display, surface, 1, rect));
    draw(6);
    printf(" %d", eglPostSubBufferNV(display, surface, 0, 0, 8, 8));
    draw(7);
    printf(" %d", eglCopyBuffers(display, surface, (EGLNativePixmapType)0));
    printf(" %d error %x\n", eglSwapBuffers(display, EGL_NO_SURFACE), glGetError());
}

static void
case_swaps_glx(void)
{
    Display *x = (Display *)&display; /* the driver does not read it */
    GLXContext context = glXCreateNewContext(x, NULL, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(x, 7, context);
    draw(1);
    glXSwapBuffers(x, 7);
    draw(2);
    printf("%d", (int)glXSwapBuffersMscOML(x, 7, 0, 1, 0));
    draw(3);
    printf(" %d", (int)glXSwapBuffersMscOML(x, 7, -1, 1, 0));
    glXCopySubBufferMESA(x, 7, 0, 0, 8, 8);
    draw(4);
    /* of another window: it ends that window's frame, not this one's */
    glXSwapBuffers(x, 8);
    draw(5);
    glXSwapBuffers(x, 7);
    printf(" error %x\n", glGetError());
    glXMakeCurrent(x, 0, NULL);
    glXDestroyContext(x, context);
}

/* Ends of frames if nothing is presented. */
static void
case_unpresented(void)
{
    EGLSurface surface = eglCreatePbufferSurface(display, config, NULL);
    start(surface);
    for (int frame = 0; frame < 4; frame++) {
        draw(frame + 1);
        glFlush();
        draw(1);
        glFinish();
        draw(2);
        glFrameTerminatorGREMEDY();
        draw(3);
        pp_frame_end();
    }
    printf("error %x\n", glGetError());
}

/* A window that is waited for many times before it is swapped. */
static void
wait_and_swap(int finishes)
{
    Display *x = (Display *)&display; /* the driver does not read it */
    GLXContext context = glXCreateNewContext(x, NULL, GLX_RGBA_TYPE, NULL, True);
    glXMakeCurrent(x, 7, context);
    for (int i = 0; i < finishes; i++) {
        draw(1);
        glFinish();
    }
    for (int i = 0; i < 3; i++) {
        draw(2);
        glFinish();
        draw(1);
        glXSwapBuffers(x, 7);
    }
    printf("error %x\n", glGetError());
    glXMakeCurrent(x, 0, NULL);
    glXDestroyContext(x, context);
}

static void
case_unswapped(void)
{
    wait_and_swap(150);
}

static void
case_loading(void)
{
    wait_and_swap(50);
}

static void
case_terminator(void)
{
    start(eglCreatePbufferSurface(display, config, NULL));
    for (int frame = 0; frame < 4; frame++) {
        draw(frame + 1);
        glFlush();
        draw(1);
        glFrameTerminatorGREMEDY();
        if (frame == 1)
            glFrameTerminatorGREMEDY();
    }
    printf("error %x\n", glGetError());
}

static void
case_annotated(void)
{
    start(eglCreatePbufferSurface(display, config, NULL));
    for (int frame = 0; frame < 4; frame++) {
        pp_region_push("frame");
        draw(frame + 1);
        glFlush();
        pp_region_pop();
        pp_frame_end();
    }
    printf("error %x\n", glGetError());
}

/* The context is released after each frame's end. */
static void
case_annotated_released(void)
{
    EGLSurface surface = eglCreatePbufferSurface(display, config, NULL);
    EGLContext context = start(surface);
    for (int frame = 0; frame < 4; frame++) {
        draw(frame + 1);
        pp_frame_end();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglMakeCurrent(display, surface, surface, context);
    }
    printf("error %x\n", glGetError());
}

/* Regions by every extension, nested; marks; names of objects. */
static void
case_labels(void)
{
    EGLSurface surface = window();
    start(surface);
    glObjectLabel(GL_PROGRAM, 1, -1, "by KHR_debug");
    glLabelObjectEXT(GL_PROGRAM_OBJECT_EXT, 2, 16, "by EXT_debug_label and more");
    for (int frame = 0; frame < 3; frame++) {
        draw(1);
        glUseProgram(1);
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "khr");
        draw(1);
        glUseProgram(2);
        glPushGroupMarkerEXT(0, "marker");
        glInsertEventMarkerEXT(5, "event, cut");
        draw(2);
        glPushGroupMarkerEXT(3, "cut here");
        draw(1);
        glPopGroupMarkerEXT();
        glPopGroupMarkerEXT();
        glPopDebugGroup();
        glUseProgram(3);
        glStringMarkerGREMEDY(0, "gremedy");
        glStringMarkerGREMEDY(4, "string");
        eglSwapBuffers(display, surface);
    }
    printf("error %x\n", glGetError());
}

/* Regions of the annotate API alone, left and entered between actions that begin passes. */
static void
case_regions(void)
{
    static unsigned char pixels[4 * 8 * 8];
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 3; frame++) {
        pp_region_push("shadow");
        draw(1);
        glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        pp_region_pop();
        pp_region_push("light");
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        pp_region_push("inner");
        glClear(GL_COLOR_BUFFER_BIT);
        pp_region_pop();
        glDrawArrays(GL_TRIANGLES, 0, 3);
        pp_region_pop();
        glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        eglSwapBuffers(display, surface);
    }
    printf("error %x\n", glGetError());
}

static EGLContext moved;
static EGLSurface moved_to;

static void *
draw_elsewhere(void *unused)
{
    (void)unused;
    eglMakeCurrent(display, moved_to, moved_to, moved);
    for (int i = 0; i < 2; i++) { /* as many changes as the other thread saw */
        pp_region_push("before");
        pp_region_pop();
    }
    pp_region_push("there");
    glDrawArrays(GL_TRIANGLES, 0, 1);
    pp_region_pop();
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return NULL;
}

static void
group(const char *name)
{
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name);
}

/* Regions of a thread and groups of its context, opened and closed in turn. Each draw has another number of
 * vertices. */
static void
case_nested(void)
{
    pthread_t thread;
    moved_to = window();
    moved = start(moved_to);
    for (int frame = 0; frame < 3; frame++) {
        int count = 10;
        pp_region_push("R");
        group("G");
        glDrawArrays(GL_TRIANGLES, 0, count++);
        pp_region_push("S");
        glDrawArrays(GL_TRIANGLES, 0, count++);
        group("H");
        glDrawArrays(GL_TRIANGLES, 0, count++);
        pp_region_pop(); /* S, while H is open in it */
        glDrawArrays(GL_TRIANGLES, 0, count++);
        pp_region_pop(); /* R, around all */
        glDrawArrays(GL_TRIANGLES, 0, count++);
        pp_region_push("R");
        glDrawArrays(GL_TRIANGLES, 0, count++);
        glPopDebugGroup(); /* H */
        glDrawArrays(GL_TRIANGLES, 0, count++);
        pp_region_pop();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (pthread_create(&thread, NULL, draw_elsewhere, NULL) || pthread_join(thread, NULL))
            exit(2);
        eglMakeCurrent(display, moved_to, moved_to, moved);
        glDrawArrays(GL_TRIANGLES, 0, count++);
        glPopDebugGroup(); /* G */
        glDrawArrays(GL_TRIANGLES, 0, count++);
        eglSwapBuffers(display, moved_to);
    }
    printf("error %x\n", glGetError());
}

/* Names that contain the separator of paths. */
static void
case_slashes(void)
{
    static const char *const path[][3] = {
        {"a", "b"}, {"a/b"}, {"a\\", "b"}, {"a\\/b"}, {"", "b"},
        {"/b"},     {""},    {"a", ""},    {"a/"},    {"(no name)"},
    };
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 2; frame++) {
        for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
            for (size_t k = 0; path[i][k]; k++)
                pp_region_push(path[i][k]);
            draw(1);
            glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, (unsigned char[256]){0});
            for (size_t k = 0; path[i][k]; k++)
                pp_region_pop();
        }
        eglSwapBuffers(display, surface);
    }
    printf("error %x\n", glGetError());
}

/* Two passes a frame. */
static void
case_finished(void)
{
    static unsigned char pixels[4 * 8 * 8];
    EGLSurface surface = window();
    start(surface);
    for (int frame = 0; frame < 4; frame++) {
        draw(2);
        glReadPixels(0, 0, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        eglSwapBuffers(display, surface);
    }
    fprintf(stderr, "finishes %u\n", fake_gl_finishes());
    printf("error %x\n", glGetError());
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"late", case_late},
        {"threaded", case_threaded},
        {"endless", case_endless},
        {"disjoint", case_disjoint},
        {"counted", case_counted},
        {"hung", case_hung},
        {"paused", case_paused},
        {"seldom", case_seldom},
        {"lost", case_lost},
        {"many", case_many},
        {"forgotten", case_forgotten},
        {"swaps_egl", case_swaps_egl},
        {"swaps_glx", case_swaps_glx},
        {"labels", case_labels},
        {"regions", case_regions},
        {"nested", case_nested},
        {"slashes", case_slashes},
        {"terminator", case_terminator},
        {"annotated", case_annotated},
        {"unpresented", case_unpresented},
        {"finished", case_finished},
        {"unswapped", case_unswapped},
        {"loading", case_loading},
        {"release", case_release},
        {"errno", case_errno},
        {"query_names", case_query_names},
        {"lost_late", case_lost_late},
        {"annotated_released", case_annotated_released},
        {"terminated", case_terminated},
    };
    EGLint count;
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    eglInitialize(display, NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    eglChooseConfig(display, NULL, &config, 1, &count);
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
