/** @file
 * The scene's GL objects; see gl_scene.h. What a pass does with them is in gl_passes.c. */
#include "samples/gl_scene.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sample_shaders.h"
#include "samples/gl_program.h"

static int
create_programs(struct gl_scene *it)
{
    const struct gl_stage shadow[] = {
        {GL_VERTEX_SHADER, shader_shadow_vert}, {GL_FRAGMENT_SHADER, shader_nothing_frag}, {0, NULL}};
    const struct gl_stage scene[] = {
        {GL_VERTEX_SHADER, shader_scene_vert}, {GL_FRAGMENT_SHADER, shader_scene_frag}, {0, NULL}};
    const struct gl_stage tone[] = {{GL_COMPUTE_SHADER, shader_tone_comp}, {0, NULL}};
    const struct gl_stage post[] = {
        {GL_VERTEX_SHADER, shader_post_vert}, {GL_FRAGMENT_SHADER, shader_post_frag}, {0, NULL}};
    const struct gl_stage *const stages[GL_SCENE_PROGRAMS] = {
        [GL_SCENE_SHADOW] = shadow, [GL_SCENE_SCENE] = scene, [GL_SCENE_TONE] = tone, [GL_SCENE_POST] = post};
    for (int i = 0; i < GL_SCENE_PROGRAMS; i++) {
        it->program[i] = gl_program_create(it->es, stages[i]);
        if (!it->program[i])
            return -1;
    }
    return 0;
}

static GLuint
create_buffer(GLenum target, size_t size, const void *data, GLenum usage)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)size, data, usage);
    return buffer;
}

/* A vertex array of the unit square whose instances begin at @p first. */
static GLuint
create_array(const struct gl_scene *it, int first)
{
    const uintptr_t start = (uintptr_t)first * sizeof(struct scene_instance);
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, it->indices);
    glBindBuffer(GL_ARRAY_BUFFER, it->corners);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindBuffer(GL_ARRAY_BUFFER, it->instances);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(struct scene_instance),
                          (const void *)(start + offsetof(struct scene_instance, rect)));
    glVertexAttribPointer(2, 4, GL_FLOAT, GL_FALSE, sizeof(struct scene_instance),
                          (const void *)(start + offsetof(struct scene_instance, look)));
    glVertexAttribDivisor(1, 1);
    glVertexAttribDivisor(2, 1);
    for (GLuint i = 0; i < 3; i++)
        glEnableVertexAttribArray(i);
    return array;
}

static void
create_geometry(struct gl_scene *it)
{
    struct scene_instance instance[SCENE_INSTANCES];
    size_t pixels = (size_t)it->width * (size_t)it->height;
    scene_instances(instance);
    it->corners = create_buffer(GL_ARRAY_BUFFER, sizeof(scene_corner), scene_corner, GL_STATIC_DRAW);
    it->instances = create_buffer(GL_ARRAY_BUFFER, sizeof(instance), instance, GL_STATIC_DRAW);
    it->uniforms = create_buffer(GL_UNIFORM_BUFFER, sizeof(struct scene_uniforms), NULL, GL_DYNAMIC_DRAW);
    it->readback = create_buffer(GL_PIXEL_PACK_BUFFER, pixels * 4, NULL, GL_STREAM_READ);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glGenVertexArrays(1, &it->empty_array);
    glBindVertexArray(it->empty_array);
    it->indices = create_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(scene_index), scene_index, GL_STATIC_DRAW);
    it->floor_array = create_array(it, 0);
    it->box_array = create_array(it, SCENE_FIRST_BOX);
    it->outlier_array = create_array(it, SCENE_FIRST_OUTLIER);
}

static GLuint
create_texture(GLenum format, int width, int height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

static int
create_target(GLuint colour, GLuint depth, GLuint *ret)
{
    const GLenum buffer = colour ? GL_COLOR_ATTACHMENT0 : GL_NONE;
    GLenum status;
    glGenFramebuffers(1, ret);
    glBindFramebuffer(GL_FRAMEBUFFER, *ret);
    if (colour)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
    if (depth)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    glDrawBuffers(1, &buffer);
    glReadBuffer(buffer);
    status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return 0;
    fprintf(stderr, "framebuffer incomplete: 0x%04x\n", status);
    return -1;
}

static int
create_targets(struct gl_scene *it, bool surfaceless)
{
    it->shadow_map = create_texture(GL_DEPTH_COMPONENT32F, SCENE_SHADOW_SIZE, SCENE_SHADOW_SIZE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    it->colour = create_texture(GL_RGBA16F, it->width, it->height);
    it->depth = create_texture(GL_DEPTH_COMPONENT32F, it->width, it->height);
    it->toned = create_texture(GL_RGBA16F, it->width, it->height);
    it->final = create_texture(GL_RGBA8, it->width, it->height);
    if (create_target(0, it->shadow_map, &it->shadow_target) < 0 ||
        create_target(it->colour, it->depth, &it->scene_target) < 0 ||
        create_target(it->final, 0, &it->final_target) < 0)
        return -1;
    if (!surfaceless)
        return 0;
    it->output = create_texture(GL_RGBA8, it->width, it->height);
    return create_target(it->output, 0, &it->output_target);
}

int
gl_scene_init(struct gl_scene *it, bool es, bool surfaceless, int width, int height)
{
    *it = (struct gl_scene){.es = es, .width = width, .height = height, .post_draws = 1};
    if (create_programs(it) < 0 || create_targets(it, surfaceless) < 0)
        return -1;
    create_geometry(it);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, it->uniforms);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, it->shadow_map);
    glActiveTexture(GL_TEXTURE2);
    glBindTexture(GL_TEXTURE_2D, it->colour);
    glActiveTexture(GL_TEXTURE4);
    glBindTexture(GL_TEXTURE_2D, it->toned);
    glBindImageTexture(3, it->toned, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA16F);
    return 0;
}

static void
label(const struct gl_scene *it, GLenum kind, GLuint object, const char *name)
{
    if (it->es)
        glObjectLabelKHR(kind, object, -1, name);
    else
        glObjectLabel(kind, object, -1, name);
}

void
gl_scene_label(const struct gl_scene *it)
{
    label(it, GL_FRAMEBUFFER, it->shadow_target, "shadow target");
    label(it, GL_FRAMEBUFFER, it->scene_target, "scene target");
    label(it, GL_FRAMEBUFFER, it->final_target, "final target");
    label(it, GL_PROGRAM, it->program[GL_SCENE_SHADOW], "shadow program");
    label(it, GL_PROGRAM, it->program[GL_SCENE_SCENE], "scene program");
    label(it, GL_PROGRAM, it->program[GL_SCENE_TONE], "tone program");
    label(it, GL_PROGRAM, it->program[GL_SCENE_POST], "post program");
}

int
gl_scene_read(const struct gl_scene *it, uint8_t *rgba)
{
    size_t size = (size_t)it->width * (size_t)it->height * 4;
    const void *mapped;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, it->readback);
    mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)size, GL_MAP_READ_BIT);
    if (mapped) {
        memcpy(rgba, mapped, size);
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return mapped ? 0 : -1;
}

void
gl_scene_finish(struct gl_scene *it)
{
    const GLuint buffer[] = {it->corners, it->indices, it->instances, it->uniforms, it->readback};
    const GLuint array[] = {it->floor_array, it->box_array, it->outlier_array, it->empty_array};
    const GLuint texture[] = {it->shadow_map, it->colour, it->depth, it->toned, it->final, it->output};
    const GLuint target[] = {it->shadow_target, it->scene_target, it->final_target, it->output_target};
    for (int i = 0; i < GL_SCENE_PROGRAMS; i++)
        glDeleteProgram(it->program[i]);
    glDeleteBuffers(sizeof(buffer) / sizeof(buffer[0]), buffer);
    glDeleteVertexArrays(sizeof(array) / sizeof(array[0]), array);
    glDeleteTextures(sizeof(texture) / sizeof(texture[0]), texture);
    glDeleteFramebuffers(sizeof(target) / sizeof(target[0]), target);
}
