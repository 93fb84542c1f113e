/** @file
 * passprobe-load-stacks: draws of OpenGL at the end of a chain of functions, without display. It shows what
 * call stacks of tools cost a draw call: bench/run --stacks compares them.
 *
 *     passprobe-load-stacks DEPTH DRAWS FRAMES [FILE]
 *
 * If RenderDoc is in the process, it captures each frame, because it takes stacks only then. Writes the least
 * nanoseconds of a draw call of all frames to FILE, since renderdoccmd keeps what applications print; else to
 * stdout. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stack_chain.h"
#include "samples/egl_open.h"

static struct {
    int draws;
    double least_ns; /* of a draw */
} load = {.draws = 1, .least_ns = 1e30};

/* RenderDoc's interface for applications: a table of functions. Source: RenderDoc's API for applications,
 * version 1.0.0.
 */
#define RENDERDOC_VERSION 10000
enum { RENDERDOC_START_FRAME_CAPTURE = 19, RENDERDOC_END_FRAME_CAPTURE = 21, RENDERDOC_FUNCTIONS = 22 };
typedef uint32_t capture_type(void *device, void *window);
static void **renderdoc;

static void
find_renderdoc(void)
{
    int (*get)(int version, void *ret) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "RENDERDOC_GetAPI");
    memcpy(&get, &symbol, sizeof(get));
    if (get && get(RENDERDOC_VERSION, &renderdoc) != 1)
        renderdoc = NULL;
}

static void
capture(int function)
{
    capture_type *call = NULL;
    if (!renderdoc)
        return;
    memcpy(&call, &renderdoc[function], sizeof(call));
    (void)call(NULL, NULL);
}

static void
draw(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < load.draws; i++)
        glDrawArrays(GL_POINTS, 0, 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double ns = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / load.draws;
    load.least_ns = ns < load.least_ns ? ns : load.least_ns;
}

int
main(int argc, char **argv)
{
    /* RenderDoc captures core contexts only. */
    const struct egl_open_want want = {
        .major = 3, .minor = 3, .profile = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, .width = 16, .height = 16};
    GLuint array = 0;
    struct egl_open egl;
    if (argc < 4) {
        fprintf(stderr, "usage: %s DEPTH DRAWS FRAMES [FILE]\n", argv[0]);
        return 2;
    }
    int depth = atoi(argv[1]), frames = atoi(argv[3]);
    load.draws = atoi(argv[2]);
    if (egl_open(&egl, &want)) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glEnable(GL_RASTERIZER_DISCARD); /* so that a draw is little work */
    find_renderdoc();
    for (int i = 0; i < frames; i++) {
        capture(RENDERDOC_START_FRAME_CAPTURE);
        stack_chain_call(depth, draw);
        capture(RENDERDOC_END_FRAME_CAPTURE);
        eglSwapBuffers(egl.display, egl.surface);
    }
    FILE *file = argc > 4 ? fopen(argv[4], "w") : stdout;
    if (file)
        fprintf(file, "%.1f\n", load.least_ns);
    egl_close(&egl);
    return !file || fclose(file) != 0;
}
