/** @file
 * From the shared shader texts to linked GL programs. See also gl_scene.h. */
#ifndef SAMPLES_GL_PROGRAM_H
#define SAMPLES_GL_PROGRAM_H

#include <epoxy/gl.h>
#include <stdbool.h>

/** One stage of a GL program; its text has no #version line. */
struct gl_stage {
    GLenum kind;
    const char *text;
};

/**
 * Compile and link.
 *
 * @param es    Put OpenGL ES' version line and precisions in front, else OpenGL's.
 * @param stage Stages, ended by one of kind 0.
 * @return The GL program, or 0 after the driver's messages on stderr.
 */
GLuint gl_program_create(bool es, const struct gl_stage *stage);

#endif
