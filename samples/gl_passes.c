/** @file
 * The passes of a frame in OpenGL; see gl_scene.h. */
#include "samples/gl_scene.h"

#include <string.h>

static void
pass_shadow(const struct gl_scene *it)
{
    glBindFramebuffer(GL_FRAMEBUFFER, it->shadow_target);
    glViewport(0, 0, SCENE_SHADOW_SIZE, SCENE_SHADOW_SIZE);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(it->program[GL_SCENE_SHADOW]);
    glBindVertexArray(it->box_array);
    glDrawElementsInstanced(GL_TRIANGLES, SCENE_QUAD_INDICES, GL_UNSIGNED_SHORT, NULL, SCENE_BOXES);
}

static void
pass_scene(const struct gl_scene *it)
{
    glBindFramebuffer(GL_FRAMEBUFFER, it->scene_target);
    glViewport(0, 0, it->width, it->height);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(it->program[GL_SCENE_SCENE]);
    glBindVertexArray(it->floor_array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, SCENE_QUAD_VERTICES);
    glBindVertexArray(it->box_array);
    glDrawElementsInstanced(GL_TRIANGLES, SCENE_QUAD_INDICES, GL_UNSIGNED_SHORT, NULL, SCENE_BOXES);
    glBindVertexArray(it->outlier_array);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 3, SCENE_OUTLIERS);
}

static void
pass_tone(const struct gl_scene *it)
{
    glUseProgram(it->program[GL_SCENE_TONE]);
    glDispatchCompute((GLuint)it->width / SCENE_GROUP, (GLuint)it->height / SCENE_GROUP, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
}

static void
pass_post(const struct gl_scene *it)
{
    glBindFramebuffer(GL_FRAMEBUFFER, it->final_target);
    glDisable(GL_DEPTH_TEST);
    glUseProgram(it->program[GL_SCENE_POST]);
    glBindVertexArray(it->empty_array);
    for (unsigned i = 0; i < it->post_draws; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void
pass_transfer(const struct gl_scene *it)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, it->final_target);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, it->output_target);
    glBlitFramebuffer(0, 0, it->width, it->height, 0, 0, it->width, it->height, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, it->readback);
    glReadPixels(0, 0, it->width, it->height, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void
gl_scene_begin_frame(const struct gl_scene *it, unsigned frame)
{
    struct scene_uniforms uniforms;
    void *mapped;
    scene_uniforms(frame, &uniforms);
    glBindBuffer(GL_UNIFORM_BUFFER, it->uniforms);
    mapped = glMapBufferRange(GL_UNIFORM_BUFFER, 0, sizeof(uniforms),
                              GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    if (mapped)
        memcpy(mapped, &uniforms, sizeof(uniforms));
    glUnmapBuffer(GL_UNIFORM_BUFFER);
}

void
gl_scene_pass(const struct gl_scene *it, enum scene_pass pass)
{
    static void (*const table[SCENE_PASSES])(const struct gl_scene *) = {
        [SCENE_SHADOW] = pass_shadow, [SCENE_MAIN] = pass_scene,        [SCENE_TONE] = pass_tone,
        [SCENE_POST] = pass_post,     [SCENE_TRANSFER] = pass_transfer,
    };
    table[pass](it);
}
