/** @file
 * A long pass, a long dispatch that does not depend on it, a short pass: `compute_overlap`. Prints the least
 * time of the dispatch by itself, in nanoseconds. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "samples/egl_open.h"

#define SIZE   64
#define FRAMES 12
#define GROUPS 96
#define LARGE  512 /* of the long pass's render target */
#define LONG   40  /* draws in it */

static long long
now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static GLuint
program(GLenum kind, const char *text)
{
    GLuint shader = glCreateShader(kind), made = glCreateProgram();
    GLint linked = 0;
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(made, shader);
    glLinkProgram(made);
    glGetProgramiv(made, GL_LINK_STATUS, &linked);
    if (!linked) {
        puts("no compute shaders");
        exit(77);
    }
    return made;
}

static struct egl_open egl;

static void
start(void)
{
    const struct egl_open_want want = {
        .major = 4,
        .minor = 3,
        .profile = EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
        .width = SIZE,
        .height = SIZE,
    };
    if (egl_open(&egl, &want)) {
        puts("no OpenGL 4.3");
        exit(77);
    }
}

static void
draw(GLuint target, int size, int times)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, size, size);
    glUseProgram(0);
    glEnable(GL_BLEND);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < times; i++)
        glRectf(-1, -1, 1, 1);
}

int
main(void)
{
    start();
    GLuint compute =
        program(GL_COMPUTE_SHADER, "#version 430\n"
                                   "layout(local_size_x = 8, local_size_y = 8) in;\n"
                                   "layout(std430, binding = 0) buffer Counter { uint count[]; };\n"
                                   "void main() { atomicAdd(count[0], 1u); }\n");
    GLuint target = 0, texture = 0, buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 4, NULL, GL_DYNAMIC_COPY);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, LARGE, LARGE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    long long least = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        draw(target, LARGE, LONG);
        glUseProgram(compute);
        glDispatchCompute(GROUPS, GROUPS, 1);
        draw(0, SIZE, 1);
        eglSwapBuffers(egl.display, egl.surface);
        /* The dispatch by itself, in a frame of its own. */
        glFinish();
        glUseProgram(compute);
        long long begin = now_ns();
        glDispatchCompute(GROUPS, GROUPS, 1);
        glFinish();
        long long took = now_ns() - begin;
        least = frame == 0 || took < least ? took : least;
        eglSwapBuffers(egl.display, egl.surface);
    }
    printf("alone %lld\nerror %x\n", least, glGetError());
    return 0;
}
