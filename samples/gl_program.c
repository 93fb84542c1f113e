/** @file
 * Compiling and linking; see gl_program.h. */
#include "samples/gl_program.h"

#include <stdio.h>

static const char gl_version[] = "#version 450 core\n";
static const char es_version[] = "#version 310 es\n"
                                 "precision highp float;\nprecision highp int;\n"
                                 "precision highp sampler2D;\nprecision highp sampler2DShadow;\n";

static bool
attach(GLuint program, bool es, const struct gl_stage *stage)
{
    const char *const text[2] = {es ? es_version : gl_version, stage->text};
    GLuint shader = glCreateShader(stage->kind);
    GLint compiled = GL_FALSE;
    char log[1024] = "";
    glShaderSource(shader, 2, text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        fprintf(stderr, "shader of stage 0x%04x: %s\n", stage->kind, log);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader); /* the GL program keeps the shader */
    return compiled;
}

GLuint
gl_program_create(bool es, const struct gl_stage *stage)
{
    GLuint program = glCreateProgram();
    GLint linked = GL_FALSE;
    bool good = true;
    char log[1024] = "";
    for (; stage->kind && good; stage++)
        good = attach(program, es, stage);
    if (good) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &linked);
        if (linked)
            return program;
        glGetProgramInfoLog(program, sizeof(log), NULL, log);
        fprintf(stderr, "program: %s\n", log);
    }
    glDeleteProgram(program);
    return 0;
}
