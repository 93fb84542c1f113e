/** @file
 * passprobe-load-passes: ten passes of OpenGL with different costs, without display, for bench/diff_pools.
 *
 *     passprobe-load-passes FRAMES [EXTRA]
 *
 * A pass draws full-screen triangles into a target of its own; the sixth draws 20 of them, and EXTRA more. So
 * EXTRA = 1 makes this pass 5 % more expensive, and no other. Debug groups name the passes. */
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_shaders.h"
#include "samples/gl_context.h"
#include "samples/gl_program.h"

#define SIZE    64
#define PASSES  10
#define CHANGED 5

/* Draws of each pass. */
static const int draws[PASSES] = {8, 12, 5, 16, 10, 20, 6, 14, 25, 4};

static GLuint texture[PASSES], target[PASSES];

static int
create(void)
{
    const struct gl_stage stage[] = {
        {GL_VERTEX_SHADER, shader_post_vert}, {GL_FRAGMENT_SHADER, shader_loop_frag}, {0, NULL}};
    GLuint program = gl_program_create(false, stage), array = 0;
    if (!program)
        return -1;
    glUseProgram(program);
    glEnable(GL_BLEND); /* llvmpipe drops what opaque draws cover */
    glBlendFunc(GL_ONE, GL_ONE);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glViewport(0, 0, SIZE, SIZE);
    glGenTextures(PASSES, texture);
    glGenFramebuffers(PASSES, target);
    for (int i = 0; i < PASSES; i++) {
        glBindTexture(GL_TEXTURE_2D, texture[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
        glBindFramebuffer(GL_FRAMEBUFFER, target[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[i], 0);
    }
    return 0;
}

static void
draw_frame(int extra)
{
    for (int i = 0; i < PASSES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "pass %d", i);
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name);
        glBindFramebuffer(GL_FRAMEBUFFER, target[i]);
        for (int k = 0; k < draws[i] + (i == CHANGED ? extra : 0); k++)
            glDrawArrays(GL_TRIANGLES, 0, 3);
        glPopDebugGroup();
    }
}

int
main(int argc, char **argv)
{
    const struct gl_context_want want = {.labels = true, .width = 16, .height = 16};
    struct gl_context context = {.egl.display = EGL_NO_DISPLAY};
    if (argc < 2) {
        fprintf(stderr, "usage: %s FRAMES [EXTRA]\n", argv[0]);
        return 2;
    }
    const int frames = atoi(argv[1]), extra = argc > 2 ? atoi(argv[2]) : 0;
    if (gl_context_init(&context, &want))
        return 77;
    int rc = create();
    for (int i = 0; rc == 0 && i < frames; i++) {
        draw_frame(extra);
        rc = gl_context_end_frame(&context) ? 0 : -1;
    }
    gl_context_finish(&context);
    return rc ? 1 : 0;
}
