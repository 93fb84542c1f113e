/** @file
 * The scene as OpenGL draws it: programs, buffers, textures, framebuffers and the passes of a frame.
 * Works on OpenGL 4.5 core and OpenGL ES 3.1. See also gl_query.h. */
#ifndef SAMPLES_GL_SCENE_H
#define SAMPLES_GL_SCENE_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stdint.h>

#include "samples/scene.h"

enum { GL_SCENE_SHADOW, GL_SCENE_SCENE, GL_SCENE_TONE, GL_SCENE_POST, GL_SCENE_PROGRAMS };

/** All GL objects of the scene: names in the current context. */
struct gl_scene {
    bool es;
    int width, height;
    unsigned post_draws; /* draws of the full-screen pass in this frame */
    GLuint program[GL_SCENE_PROGRAMS];
    GLuint corners, indices, instances, uniforms, readback;    /* buffers */
    GLuint floor_array, box_array, outlier_array, empty_array; /* vertex arrays */
    GLuint shadow_map, colour, depth, toned, final, output;    /* textures; output 0 with a surface */
    GLuint shadow_target, scene_target, final_target,
        output_target; /* framebuffers; output 0 with a surface */
};

/**
 * Create programs, buffers, textures and framebuffers in the current context.
 *
 * @param es          The context is OpenGL ES.
 * @param surfaceless There is no default framebuffer: the last pass copies to a texture instead.
 * @return 0, or -1 after a message on stderr; gl_scene_finish() is due in both cases.
 */
int gl_scene_init(struct gl_scene *it, bool es, bool surfaceless, int width, int height);

/** Give passes' targets and programs debug names. */
void gl_scene_label(const struct gl_scene *it);

/** Set the uniforms of a frame. */
void gl_scene_begin_frame(const struct gl_scene *it, unsigned frame);

/** Draw, dispatch or copy one pass of the frame. */
void gl_scene_pass(const struct gl_scene *it, enum scene_pass pass);

/** Copy the last frame's pixels, 4 * width * height bytes, to @p rgba; waits for them. @return 0 or -1. */
int gl_scene_read(const struct gl_scene *it, uint8_t *rgba);

/** Delete all objects of the scene. */
void gl_scene_finish(struct gl_scene *it);

#endif
