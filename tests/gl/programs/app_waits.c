/** @file
 * Draws, hands the actions to the GPU in one of several ways, waits, and swaps: `app_waits WAY`. Prints for
 * each frame the nanoseconds that it waited before the swap, between its passes, and within its last pass.
 * Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "samples/egl_open.h"

#define SIZE    64
#define FRAMES  6
#define WAIT_NS 20000000

static struct egl_open egl;
static GLuint query, buffer, texture;
static unsigned char pixels[4 * SIZE * SIZE];

static long long
now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long long
wait_a_while(void)
{
    long long start = now_ns();
    (void)nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    return now_ns() - start;
}

static void
draw(void)
{
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Ways to hand draws to the GPU. */

static void
none(void)
{
}

static void
fence(void)
{
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
    glDeleteSync(sync);
}

static void
fence_flush(void)
{
    GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
    while (glClientWaitSync(sync, 0, 0) == GL_TIMEOUT_EXPIRED)
        ;
    glDeleteSync(sync);
}

static void
ask(void)
{
    GLuint found;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &found);
}

static void
poll_query(void)
{
    GLuint there = 0;
    while (!there)
        glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &there);
}

static void
map(void)
{
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    (void)glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 4, GL_MAP_READ_BIT);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
}

static void
map_whole(void)
{
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    (void)glMapBuffer(GL_PIXEL_PACK_BUFFER, GL_READ_ONLY);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
}

static void
read_pixels(void)
{
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

/* Deleting a bound buffer unbinds it, and waits, too. */
static void
read_unbound(void)
{
    GLuint made;
    glGenBuffers(1, &made);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, made);
    glDeleteBuffers(1, &made);
    read_pixels();
}

static void
read_buffer(void)
{
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, sizeof(pixels), pixels);
}

static void
blit(void)
{
    glBlitFramebuffer(0, 0, SIZE / 2, SIZE / 2, SIZE / 2, SIZE / 2, SIZE, SIZE, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
}

static void
blit_finish(void)
{
    blit();
    glFinish();
}

static void
upload(void)
{
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
egl_wait(void)
{
    eglWaitClient();
}

static void
release(void)
{
    EGLContext context = eglGetCurrentContext();
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglMakeCurrent(egl.display, egl.surface, egl.surface, context);
}

static void
egl_fence(void)
{
    EGLSync sync = eglCreateSync(egl.display, EGL_SYNC_FENCE, NULL);
    eglClientWaitSync(egl.display, sync, EGL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
    eglDestroySync(egl.display, sync);
}

/* A question hands nothing over and does not wait; making an object that only the CPU signals does not
 * either. */

static void
asked(void)
{
    static GLsync sync;
    sync = sync ? sync : glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glClientWaitSync(sync, 0, 0);
}

static void
egl_asked(void)
{
    static EGLSync sync;
    sync = sync ? sync : eglCreateSync(egl.display, EGL_SYNC_FENCE, NULL);
    eglClientWaitSync(egl.display, sync, 0, 0);
}

static void
egl_reusable(void)
{
    eglDestroySync(egl.display, eglCreateSync(egl.display, EGL_SYNC_REUSABLE_KHR, NULL));
}

static const struct way {
    const char *name;
    void (*hand_over)(void);
    int asks, packs;
} way[] = {
    {"none", none, 0, 0},
    {"flush", glFlush, 0, 0},
    {"finish", glFinish, 0, 0},
    {"fence", fence, 0, 0},
    {"fence_flush", fence_flush, 0, 0},
    {"ask", ask, 1, 0},
    {"poll", poll_query, 1, 0},
    {"map", map, 0, 1},
    {"map_whole", map_whole, 0, 1},
    {"read_pixels", read_pixels, 0, 0},
    {"read_unbound", read_unbound, 0, 0},
    {"read_buffer", read_buffer, 0, 1},
    {"blit", blit, 0, 0},
    {"blit_finish", blit_finish, 0, 0},
    {"upload", upload, 0, 0},
    {"egl_wait", egl_wait, 0, 0},
    {"release", release, 0, 0},
    {"egl_fence", egl_fence, 0, 0},
    {"asked", asked, 0, 0},
    {"egl_asked", egl_asked, 0, 0},
    {"egl_reusable", egl_reusable, 0, 0},
};

static void
start(void)
{
    const struct egl_open_want want = {.width = SIZE, .height = SIZE};
    if (egl_open(&egl, &want)) {
        puts("no context");
        exit(77);
    }
}

int
main(int argc, char **argv)
{
    const struct way *it = way;
    while (argc == 2 && it < way + sizeof(way) / sizeof(way[0]) && strcmp(it->name, argv[1]) != 0)
        it++;
    if (argc != 2 || it == way + sizeof(way) / sizeof(way[0])) {
        fprintf(stderr, "usage: app_waits WAY\n");
        return 2;
    }
    start();
    glGenQueries(1, &query);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    if (it->packs) {
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
        glBufferData(GL_PIXEL_PACK_BUFFER, sizeof(pixels), NULL, GL_STREAM_READ);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        draw();
        if (it->asks)
            glQueryCounter(query, GL_TIMESTAMP);
        it->hand_over();
        long long within = wait_a_while();
        draw();
        if (it->asks)
            glQueryCounter(query, GL_TIMESTAMP);
        it->hand_over();
        long long before = wait_a_while();
        eglSwapBuffers(egl.display, egl.surface);
        printf("waited %lld %lld\n", within, before);
    }
    printf("error %x\n", glGetError());
    return 0;
}
