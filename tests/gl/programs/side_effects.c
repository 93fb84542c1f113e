/** @file
 * What an application could notice of a tool that adds queries: `side_effects CASE`. Prints what the
 * application sees, which must be the same with and without passprobe. Knows nothing of passprobe. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "side_effects.h"

struct egl_open egl;
static const struct egl_open_want wanted = {.depth_bits = 24, .width = SIZE, .height = SIZE};

void
show_errors(const char *where)
{
    GLenum error = glGetError();
    printf("%s: error %x\n", where, error);
    for (int i = 0; error != GL_NO_ERROR && i < 8; i++)
        error = glGetError();
}

unsigned
image_hash(void)
{
    static unsigned char pixel[SIZE * SIZE * 4];
    unsigned hash = 2166136261U;
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    for (size_t i = 0; i < sizeof(pixel); i++)
        hash = (hash ^ pixel[i]) * 16777619U;
    return hash;
}

/* Flags: 1 debug, 2 no error. */
static EGLContext
make_context(EGLContext share, int core, int flags)
{
    /* No-error contexts exist from 2.0 on. */
    int compatible = flags == 2 ? 3 : 1;
    const struct egl_open_want want = {
        .major = core ? 4 : compatible,
        .minor = core ? 5 : 0,
        .profile = core ? EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT : 0,
        .debug = flags == 1,
        .no_error = flags == 2,
    };
    return egl_open_context(&egl, &want, share);
}

static EGLSurface
make_surface(void)
{
    return egl_open_surface(&egl, &wanted);
}

static EGLSurface
start(int core, int flags)
{
    const char *failed = egl_open_display(&egl, &wanted);
    EGLSurface surface = failed ? EGL_NO_SURFACE : make_surface();
    EGLContext context = failed ? EGL_NO_CONTEXT : make_context(EGL_NO_CONTEXT, core, flags);
    if (failed || !eglMakeCurrent(egl.display, surface, surface, context)) {
        puts("no context");
        exit(77);
    }
    return surface;
}

void
triangle(float x)
{
    glBegin(GL_TRIANGLES);
    glColor3f(1.0f, x, 0.0f);
    glVertex2f(-x, -x);
    glVertex2f(x, -x);
    glVertex2f(0.0f, x);
    glEnd();
}

/* Names may differ (drivers count up), but their number may not. */
void
show_alive(void)
{
    int alive = 0;
    for (GLuint name = 1; name < 30000; name++)
        alive += glIsQuery(name);
    printf("alive %d, made up %d\n", alive, glIsQuery(777));
}

void
swap(EGLSurface surface)
{
    printf("swap %d egl error %x\n", eglSwapBuffers(egl.display, surface), eglGetError());
}

/* Shows which queries are active: only the application's. Names of queries are not shown, only which query
 * each one is. */
static void
show_current(const char *where)
{
    static const GLenum target[] = {GL_VERTICES_SUBMITTED,
                                    GL_PRIMITIVES_SUBMITTED,
                                    GL_VERTEX_SHADER_INVOCATIONS,
                                    GL_TESS_CONTROL_SHADER_PATCHES,
                                    GL_TESS_EVALUATION_SHADER_INVOCATIONS,
                                    GL_GEOMETRY_SHADER_INVOCATIONS,
                                    GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
                                    GL_FRAGMENT_SHADER_INVOCATIONS,
                                    GL_COMPUTE_SHADER_INVOCATIONS,
                                    GL_CLIPPING_INPUT_PRIMITIVES,
                                    GL_CLIPPING_OUTPUT_PRIMITIVES};
    printf("%s:", where);
    for (size_t i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
        GLint current = -1, indexed = -1;
        glGetQueryiv(target[i], GL_CURRENT_QUERY, &current);
        glGetQueryIndexediv(target[i], 0, GL_CURRENT_QUERY, &indexed);
        printf(" %s", current != indexed ? "?" : current ? "own" : "none");
    }
    puts("");
}

/* The application's own queries: results exact, names and errors as without passprobe. */
static void
case_queries(EGLSurface surface)
{
    GLuint query[5];
    glGenQueries(5, query);
    show_alive();
    for (int frame = 0; frame < 8; frame++) {
        GLuint result[3] = {0};
        GLuint64 elapsed = 0;
        glBeginQuery(GL_TIME_ELAPSED, query[0]);
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.4f);
        glBeginQuery(GL_VERTICES_SUBMITTED, query[1]);
        glBeginQuery(GL_SAMPLES_PASSED, query[2]);
        triangle(0.5f);
        triangle(0.5f);
        glBeginQuery(GL_VERTICES_SUBMITTED, query[4]);
        show_errors("second query of a target");
        glEndQuery(GL_VERTICES_SUBMITTED);
        glEndQuery(GL_VERTICES_SUBMITTED);
        show_errors("ended twice");
        glEndQuery(GL_SAMPLES_PASSED);
        glBeginQueryIndexed(GL_VERTICES_SUBMITTED, 1, query[1]);
        show_errors("no such index");
        triangle(0.5f);
        glBeginQuery(GL_CLIPPING_INPUT_PRIMITIVES, query[3]);
        triangle(0.5f);
        glEndQuery(GL_CLIPPING_INPUT_PRIMITIVES);
        glEndQuery(GL_TIME_ELAPSED);
        glGetQueryObjectuiv(query[1], GL_QUERY_RESULT, &result[0]);
        glGetQueryObjectuiv(query[2], GL_QUERY_RESULT, &result[1]);
        glGetQueryObjectuiv(query[3], GL_QUERY_RESULT, &result[2]);
        glGetQueryObjectui64v(query[0], GL_QUERY_RESULT, &elapsed);
        printf("vertices %u samples %u primitives %u\n", result[0], result[1], result[2]);
        show_current("between work");
        glBeginQuery(GL_VERTICES_SUBMITTED, query[1]);
        triangle(0.5f);
        glEndQueryIndexed(GL_VERTICES_SUBMITTED, 1);
        show_errors("not that one");
        triangle(0.5f);
        show_current("in one of its own");
        glEndQuery(GL_VERTICES_SUBMITTED);
        swap(surface);
    }
    glBeginQuery(GL_SAMPLES_PASSED, 777);
    triangle(0.5f);
    glEndQuery(GL_SAMPLES_PASSED);
    show_errors("a name made up");
    show_alive();
    /* Delete all possible query names; passprobe's must survive. */
    GLuint *all = malloc(30000 * sizeof(*all));
    for (GLuint i = 0; i < 30000; i++)
        all[i] = i + 1;
    triangle(0.5f);
    glDeleteQueries(30000, all);
    free(all);
    show_errors("all queries deleted");
    for (int frame = 0; frame < 6; frame++) {
        triangle(0.5f);
        show_current("none of its own");
        if (frame < 2) {
            glEndQuery(frame ? GL_FRAGMENT_SHADER_INVOCATIONS : GL_VERTICES_SUBMITTED);
            show_errors("one ended that was not begun");
            glEndQueryIndexed(frame ? GL_VERTICES_SUBMITTED : GL_CLIPPING_INPUT_PRIMITIVES, 0);
            show_errors("again, by index");
        }
        swap(surface);
    }
    glGenQueries(3, query);
    show_alive();
    show_errors("end");
}

/* The first call of a context is a query of the application; then the context is released and made current
 * again in the middle of another query. */
static void
case_first_query(EGLSurface surface)
{
    EGLContext first = eglGetCurrentContext(), second = make_context(first, 1, 0);
    for (int i = 0; i < 4; i++) {
        GLuint query, vertices = 0;
        eglMakeCurrent(egl.display, surface, surface, i < 2 ? first : second);
        glGenQueries(1, &query);
        glBeginQuery(GL_VERTICES_SUBMITTED, query);
        for (int k = 0; k < 3; k++) {
            glDrawArrays(GL_TRIANGLES, 0, 3);
            show_errors("draw");
            if (i % 2)
                eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglMakeCurrent(egl.display, surface, surface, i < 2 ? first : second);
        }
        glEndQuery(GL_VERTICES_SUBMITTED);
        show_errors("end");
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &vertices);
        printf("vertices %u\n", vertices);
        swap(surface);
    }
    eglMakeCurrent(egl.display, surface, surface, first);
}

/* What the driver reports of each name that the application might make up: some are passprobe's. */
static void
case_names(EGLSurface surface)
{
    enum { NAMES = 12000, MADE_UP = 6000 };
    static const char *const call[] = {"asked", "named",   "told",  "a condition",
                                       "begun", "stamped", "asked", "named"};
    for (int frame = 0; frame < 4; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        swap(surface);
    }
    for (int i = 0; i < 8; i++) {
        int good = 0, current = 0;
        for (GLuint name = 1; name < (i < 5 ? NAMES : MADE_UP); name++) {
            GLuint ready = 0;
            GLint active = 0;
            char text[8];
            if (i == 0 || i == 6)
                glGetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
            else if (i == 1 || i == 7)
                glObjectLabel(GL_QUERY, name, -1, "own");
            else if (i == 2)
                glGetObjectLabel(GL_QUERY, name, sizeof(text), NULL, text);
            else if (i == 3)
                glBeginConditionalRender(name, GL_QUERY_NO_WAIT);
            else if (i == 4)
                glBeginQuery(GL_SAMPLES_PASSED, name);
            else
                glQueryCounter(name, GL_TIMESTAMP);
            if (glGetError())
                continue;
            good++;
            glGetQueryiv(GL_SAMPLES_PASSED, GL_CURRENT_QUERY, &active);
            current += active == (GLint)name;
            if (i == 3)
                glEndConditionalRender();
            if (i == 4)
                glEndQuery(GL_SAMPLES_PASSED);
        }
        printf("%s: %d of them, %d current\n", call[i], good, current);
        show_alive();
        glClear(GL_COLOR_BUFFER_BIT);
        swap(surface);
    }
}

/* A buffer is bound as target of query results. */
static void
case_query_buffer(EGLSurface surface)
{
    GLuint buffer, words[64], bound = 0;
    memset(words, 0xA5, sizeof(words));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_QUERY_BUFFER, buffer);
    glBufferData(GL_QUERY_BUFFER, sizeof(words), words, GL_DYNAMIC_COPY);
    for (int frame = 0; frame < 12; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.5f);
        swap(surface);
        show_errors("swap with a query buffer");
        glGetIntegerv(GL_QUERY_BUFFER_BINDING, (GLint *)&bound);
        printf("bound %d\n", bound == buffer);
    }
    glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof(words), words);
    int touched = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        touched += words[i] != 0xA5A5A5A5U;
    printf("touched %d\n", touched);
}

static GLuint
make_texture(GLenum format)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return texture;
}

static void
show_bindings(void)
{
    static const GLenum what[] = {GL_DRAW_FRAMEBUFFER_BINDING, GL_READ_FRAMEBUFFER_BINDING,
                                  GL_RENDERBUFFER_BINDING,     GL_TEXTURE_BINDING_2D,
                                  GL_ARRAY_BUFFER_BINDING,     GL_CURRENT_PROGRAM};
    printf("bindings");
    for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
        GLint value = -1;
        glGetIntegerv(what[i], &value);
        printf(" %d", value);
    }
    puts("");
}

static void
case_framebuffers(EGLSurface surface)
{
    GLuint framebuffer[3], renderbuffer[2], texture[2];
    glGenFramebuffers(3, framebuffer);
    glGenRenderbuffers(2, renderbuffer);
    texture[0] = make_texture(GL_RGBA8);
    texture[1] = make_texture(GL_RGBA16F);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIZE, SIZE);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer[0]);
    for (int frame = 0; frame < 4; frame++) {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer[0]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[0], 0);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                  renderbuffer[1]);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        triangle(0.5f);
        show_errors("first framebuffer");
        show_bindings();
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer[1]);
        triangle(0.5f);
        show_errors("an empty framebuffer");
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[1], 0);
        triangle(0.5f);
        glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        show_errors("second framebuffer");
        show_bindings();
        glBindFramebuffer(GL_FRAMEBUFFER, 4711);
        show_errors("a framebuffer made up");
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        triangle(0.5f);
        swap(surface);
    }
    /* Delete a texture that stays attached to a framebuffer that is not bound, then draw there. */
    glDeleteTextures(1, &texture[1]);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer[1]);
    triangle(0.5f);
    show_errors("attachment deleted");
    /* Delete such a texture again, with its name used for another texture. */
    glGenTextures(1, &texture[1]);
    glBindTexture(GL_TEXTURE_3D, texture[1]);
    glDrawBuffer(GL_NONE);
    triangle(0.5f);
    glDrawBuffer(GL_COLOR_ATTACHMENT0);
    triangle(0.5f);
    show_errors("attachment's name used again");
    glDeleteFramebuffers(3, framebuffer);
    triangle(0.5f);
    show_errors("framebuffer deleted");
    show_bindings();
    printf("image %x\n", image_hash());
    swap(surface);
}

static void
case_conditional(EGLSurface surface)
{
    GLuint query;
    glGenQueries(1, &query);
    for (int frame = 0; frame < 4; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glBeginQuery(GL_SAMPLES_PASSED, query);
        if (frame & 1)
            triangle(0.5f);
        glEndQuery(GL_SAMPLES_PASSED);
        glBeginConditionalRender(query, GL_QUERY_WAIT);
        triangle(0.9f);
        printf("image %x\n", image_hash());
        glClear(GL_DEPTH_BUFFER_BIT);
        glEndConditionalRender();
        show_errors("conditional");
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* Transform feedback: what is captured, and how many primitives the application's own queries count. */
static void
case_feedback(EGLSurface surface)
{
    static const GLchar *const text = "#version 120\nvoid main() { gl_Position = gl_Vertex * 0.5; }\n";
    static const GLchar *const captured[] = {"gl_Position"};
    GLuint shader = glCreateShader(GL_VERTEX_SHADER), program = glCreateProgram(), buffer, query[2];
    GLfloat got[64] = {0};
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glTransformFeedbackVaryings(program, 1, captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glGenQueries(2, query);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(got), got, GL_DYNAMIC_COPY);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    for (int frame = 0; frame < 5; frame++) {
        GLuint count[2] = {0};
        glUseProgram(program);
        glBeginQuery(GL_PRIMITIVES_GENERATED, query[0]);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query[1]);
        glBeginTransformFeedback(GL_TRIANGLES);
        triangle(0.5f);
        glPauseTransformFeedback();
        triangle(0.1f);
        if (frame == 3)
            swap(surface);
        glResumeTransformFeedback();
        triangle(0.6f);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glEndQuery(GL_PRIMITIVES_GENERATED);
        show_errors("feedback");
        glGetQueryObjectuiv(query[0], GL_QUERY_RESULT, &count[0]);
        glGetQueryObjectuiv(query[1], GL_QUERY_RESULT, &count[1]);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(got), got);
        printf("generated %u written %u:", count[0], count[1]);
        for (int i = 0; i < 24; i++)
            printf(" %.2f", got[i]);
        glUseProgram(0);
        printf(" image %x\n", image_hash());
        swap(surface);
    }
}

static int messages;

static void
count_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *text,
              const void *user)
{
    (void)severity;
    (void)user;
    if (source != GL_DEBUG_SOURCE_SHADER_COMPILER)
        printf("message %d: %x %x %u %.*s\n", ++messages, source, type, id, (int)length, text);
}

static void
case_debug(EGLSurface surface)
{
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(count_message, NULL);
    case_framebuffers(surface);
    case_queries(surface);
}

/* Sources of a shader that does not exist: the driver checks the name first, and never reads the sources. */
static void
case_bad_source(EGLSurface surface)
{
    const GLchar *const nowhere[] = {(const GLchar *)16};
    glShaderSource(4711, 1, nowhere, NULL);
    show_errors("no such shader");
    glShaderSource(glCreateProgram(), 1, nowhere, NULL);
    show_errors("a program");
    triangle(0.5f);
    swap(surface);
}

/* Shader programs in use that do not exist, are deleted, come from a list, or are a pipeline of separate
 * ones. */
static void
case_programs(EGLSurface surface)
{
    static const GLchar *const text[] = {
        "#version 150 compatibility\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() { gl_Position = "
        "gl_Vertex; }\n",
        "#version 120\nvoid main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n"};
    GLuint shader = glCreateShader(GL_FRAGMENT_SHADER), program = glCreateProgram(), list = glGenLists(1);
    GLuint pipeline, separate[2] = {glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &text[0]),
                                    glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &text[1])};
    glShaderSource(shader, 1, &text[1], NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glNewList(list, GL_COMPILE);
    glUseProgram(program);
    glEndList();
    show_errors("made");
    for (int frame = 0; frame < 3; frame++) {
        glGenProgramPipelines(1, &pipeline);
        glUseProgram(0);
        triangle(0.5f);
        glUseProgram(program);
        triangle(0.5f);
        glUseProgram(4711);
        show_errors("no program");
        triangle(0.5f);
        glUseProgram(0);
        glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, separate[0]);
        glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, separate[1]);
        glBindProgramPipeline(pipeline);
        triangle(0.5f);
        glDeleteProgramPipelines(1, &pipeline);
        triangle(0.5f);
        show_errors("pipeline deleted");
        glCallList(list);
        triangle(0.5f);
        printf("image %x\n", image_hash());
        swap(surface);
    }
    glUseProgram(program);
    glDeleteProgram(program);
    glDeleteShader(shader);
    triangle(0.5f);
    glUseProgram(0);
    triangle(0.5f);
    show_errors("program deleted");
    swap(surface);
}

/* The extension's functions. */
static void
case_programs_arb(EGLSurface surface)
{
    printf("%.3s\n", (const char *)glGetString(GL_VERSION));
    for (int frame = 0; frame < 3; frame++) {
        glUseProgramObjectARB(4711);
        show_errors("no program");
        triangle(0.5f);
        show_errors("a draw behind it");
        swap(surface);
    }
}

static void
case_no_error(EGLSurface surface)
{
    GLint flags = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    printf("flags %x\n", flags);
    for (int frame = 0; frame < 5; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.5f);
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* Contexts: shared, moved between threads, destroyed with open actions. */

struct job {
    EGLContext context;
    EGLSurface surface;
    GLuint texture;
    unsigned hash;
};

static void *
draw_elsewhere(void *user)
{
    struct job *job = user;
    eglBindAPI(EGL_OPENGL_API);
    if (!eglMakeCurrent(egl.display, job->surface, job->surface, job->context))
        return NULL;
    for (int frame = 0; frame < 3; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.7f);
        triangle(0.2f);
        job->hash = image_hash();
        eglSwapBuffers(egl.display, job->surface);
    }
    if (job->texture)
        glDeleteTextures(1, &job->texture);
    if (glGetError() != GL_NO_ERROR)
        job->hash = 0;
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return NULL;
}

static void
on_thread(struct job *job)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, draw_elsewhere, job) == 0)
        pthread_join(thread, NULL);
    printf("elsewhere %x\n", job->hash);
}

static void
case_contexts(EGLSurface surface)
{
    EGLContext first = eglGetCurrentContext();
    GLuint framebuffer;
    struct job job = {make_context(first, 0, 0), make_surface(), make_texture(GL_RGBA8), 0};
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, job.texture, 0);
    triangle(0.5f);
    on_thread(&job);
    /* The other context of the group deleted this context's attachment. */
    triangle(0.4f);
    show_errors("attachment deleted elsewhere");
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    triangle(0.5f);
    swap(surface);
    /* The first context goes to the other thread and comes back. */
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    struct job moved = {first, surface, 0, 0};
    on_thread(&moved);
    eglMakeCurrent(egl.display, surface, surface, first);
    triangle(0.5f);
    /* Many contexts, each destroyed with open queries, current or not. */
    for (int i = 0; i < 12; i++) {
        EGLContext other = make_context(i & 1 ? first : EGL_NO_CONTEXT, i & 2, 0);
        EGLSurface where = make_surface();
        eglMakeCurrent(egl.display, where, where, other);
        glClear(GL_COLOR_BUFFER_BIT);
        if (i & 4)
            eglSwapBuffers(egl.display, where);
        glClear(GL_COLOR_BUFFER_BIT);
        if (i & 1)
            eglDestroyContext(egl.display, other);
        eglDestroySurface(egl.display, where);
        eglMakeCurrent(egl.display, surface, surface, first);
        if (!(i & 1))
            eglDestroyContext(egl.display, other);
        triangle(0.5f);
    }
    swap(surface);
    printf("failed switch %d %x\n", eglMakeCurrent(egl.display, surface, surface, (EGLContext)egl.display),
           eglGetError());
    triangle(0.5f);
    show_errors("after it");
    printf("image %x\n", image_hash());
    swap(surface);
}

/* Without a surface: framebuffers only, frames end by glFinish. */
static void
case_surfaceless(EGLSurface surface)
{
    EGLContext context = eglGetCurrentContext();
    GLuint framebuffer;
    (void)surface;
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
    GLuint texture = make_texture(GL_RGBA8);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, SIZE, SIZE);
    for (int frame = 0; frame < 6; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.5f);
        printf("image %x\n", image_hash());
        glFinish();
        glFinish();
        show_errors("finish");
    }
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(EGLSurface surface);
        int flags;
    } cases[] = {
        {"begin_end", case_begin_end, 0},       {"lists", case_lists, 0},
        {"begin_swap", case_begin_swap, 0},     {"list_swap", case_list_swap, 0},
        {"open_lists", case_open_lists, 0},     {"modes", case_modes, 0},
        {"queries", case_queries, 0},           {"query_buffer", case_query_buffer, 0},
        {"framebuffers", case_framebuffers, 0}, {"conditional", case_conditional, 0},
        {"feedback", case_feedback, 0},         {"debug", case_debug, 1},
        {"bad_source", case_bad_source, 0},     {"programs", case_programs, 0},
        {"no_error", case_no_error, 2},         {"contexts", case_contexts, 0},
        {"surfaceless", case_surfaceless, 0},   {"names", case_names, 0},
        {"first_query", case_first_query, 0},   {"names_core", case_names, 3},
        {"list_queries", case_list_queries, 0}, {"open_refused", case_open_refused, 0},
        {"open_nested", case_open_nested, 0},   {"programs_arb", case_programs_arb, 0},
    };
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        cases[i].run(start(cases[i].flags == 3, cases[i].flags));
        show_errors("end");
        return 0;
    }
    return 2;
}
