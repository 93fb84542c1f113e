/** @file
 * Passes that look alike: three on targets of one format, two of them on the same target, with other numbers
 * of draws in each frame. In each tenth frame a heavy pass comes first, on the target of the second.
 * `passes_alike FRAMES`. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/egl_open.h"

#define SIZE     64
#define PROGRAMS 4

static GLuint
program(int number)
{
    char fragment[256];
    snprintf(fragment, sizeof(fragment),
             "#version 150\nout vec4 color; uniform int many; void main() { vec4 c = vec4(%d);\n"
             "for (int i = 0; i < many; i++) c = fract(c * 1.7 + 0.1); color = c; }",
             number);
    const GLchar *const text[] = {"#version 150\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, "
                                  "gl_VertexID == 2 ? 3 : -1, 0, 1); }",
                                  fragment};
    GLuint made = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
    }
    glLinkProgram(made);
    return made;
}

static GLuint
framebuffer(void)
{
    GLuint texture, made;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
    glGenFramebuffers(1, &made);
    glBindFramebuffer(GL_FRAMEBUFFER, made);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return made;
}

static void
pass(GLuint target, GLuint used, int draws, int work)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(used);
    glUniform1i(glGetUniformLocation(used, "many"), work);
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
}

int
main(int argc, char **argv)
{
    const struct egl_open_want want = {.major = 4, .minor = 5};
    struct egl_open egl;
    GLuint vertices, made[PROGRAMS], target[2];
    int frames = argc > 1 ? atoi(argv[1]) : 50;
    if (egl_open(&egl, &want)) {
        puts("no context");
        return 77;
    }
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    for (int i = 0; i < PROGRAMS; i++)
        made[i] = program(i);
    target[0] = framebuffer();
    target[1] = framebuffer();
    glViewport(0, 0, SIZE, SIZE);
    for (int i = 0; i < frames; i++) {
        int draws = 1 + i % 3;
        if (i % 10 == 9)
            pass(target[1], made[3], draws, 20000);
        pass(target[0], made[0], draws, 100);
        pass(target[1], made[1], draws, 200);
        pass(target[0], made[2], draws, 300);
        glFinish();
    }
    printf("error %x\n", glGetError());
    return 0;
}
