/** @file
 * The application of OpenGL; see README.md. Exit status 77: no EGL. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/egl_open.h"
#include "tests/e2e/samples/planted/planted.h"

static unsigned char pixels[4 * PLANTED_SIZE * PLANTED_SIZE];

static struct {
    struct egl_open egl;
    GLuint texture, target, framebuffer, shader[2];
} it;

static GLuint
make_texture(void)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, PLANTED_SIZE, PLANTED_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    return texture;
}

static GLuint
make_shader(GLenum stage, const char *text)
{
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    return shader;
}

static void
start(void)
{
    static const float corner[] = {-1, -1, 3, -1, -1, 3};
    it.target = make_texture();
    it.texture = make_texture();
    glGenFramebuffers(1, &it.framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, it.framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, it.target, 0);
    it.shader[0] = make_shader(GL_VERTEX_SHADER, "void main() { gl_Position = ftransform(); }");
    it.shader[1] =
        make_shader(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(sin(gl_FragCoord.x)); }");
    glViewport(0, 0, PLANTED_SIZE, PLANTED_SIZE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glColor4f(0.5F, 0.25F, 0.125F, 0.5F);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, corner);
}

static void
upload(void)
{
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, PLANTED_SIZE, PLANTED_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
link_program(void)
{
    GLuint program = glCreateProgram();
    glAttachShader(program, it.shader[0]);
    glAttachShader(program, it.shader[1]);
    glLinkProgram(program);
    glDeleteProgram(program);
}

static void
draw_pass(GLuint framebuffer, const char *name, int draws)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, name);
    while (draws-- > 0)
        glDrawArrays(GL_TRIANGLES, 0, 3);
    glPopDebugGroup();
}

static void
draw_frame(const struct planted *planted, unsigned frame)
{
    int more = planted_ms(planted, frame, PLANTED_DRAWS) ? PLANTED_COUNT : 0;
    unsigned long long pipelines = 0, uploads = 0;
    planted_begin(planted, frame);
    while (planted_lasts(planted_ms(planted, frame, PLANTED_PIPELINES), &pipelines))
        link_program();
    upload();
    while (planted_lasts(planted_ms(planted, frame, PLANTED_UPLOADS), &uploads))
        upload();
    draw_pass(it.framebuffer, "shadows", PLANTED_DRAWS_USUAL + more);
    draw_pass(0, "scene", PLANTED_DRAWS_USUAL);
    if (planted_ms(planted, frame, PLANTED_STREAM))
        draw_pass(it.framebuffer, "stream", PLANTED_COUNT);
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    const GLuint64 timeout = planted_ms(planted, frame, PLANTED_POLLS) ? 0 : GL_TIMEOUT_IGNORED;
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, timeout) == GL_TIMEOUT_EXPIRED)
        ;
    glDeleteSync(fence);
    eglSwapBuffers(it.egl.display, it.egl.surface);
}

int
main(int argc, char **argv)
{
    const struct egl_open_want want = {.width = PLANTED_SIZE, .height = PLANTED_SIZE};
    struct planted planted;
    if (!planted_read(&planted, argc, argv))
        return 2;
    if (egl_open(&it.egl, &want)) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    start();
    for (unsigned i = 0; i < planted.frames; i++)
        draw_frame(&planted, i);
    glFinish();
    egl_close(&it.egl);
    return 0;
}
