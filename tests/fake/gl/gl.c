/** @file
 * OpenGL 4.6 and OpenGL ES, as far as passprobe and the tests' applications call it; see fake.h. */
#include "fake.h"

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAMES   262144U
#define TARGETS 16
#define OBJECTS 64
#define UNSENT  4096
/* GL_GPU_DISJOINT_EXT, of OpenGL ES's headers */
#define GPU_DISJOINT 0x8FBB

struct query {
    unsigned char generated, used, active, unsent;
    unsigned swap; /* when it was ended */
    GLuint64 value;
};

struct context {
    struct query *query; /* by name */
    GLuint active[TARGETS];
    GLenum target[TARGETS];
    GLenum error;
    GLint query_buffer;
    unsigned names, calls_when_lost, unsents;
    unsigned begun[TARGETS]; /* number of queries of target[i] that were begun */
    GLuint unsent[UNSENT];   /* with FAKE_GL_DEFER: timestamps that the GPU has not reached */
    GLuint pack_buffer;
    int lost, groups, told, disjoint, dispatched;
    GLuint program;
    char label[OBJECTS][64];
};

static struct context *now;
static unsigned swaps, asked, asked_early, drawn, caught_up, finishes;

void *
fake_gl_context(void)
{
    struct context *ctx = calloc(1, sizeof(*ctx));
    ctx->query = calloc(NAMES, sizeof(*ctx->query));
    return ctx;
}

void
fake_gl_context_free(void *context)
{
    struct context *ctx = context;
    if (now == ctx)
        now = NULL;
    free(ctx->query);
    free(ctx);
}

void
fake_gl_current(void *context)
{
    now = context;
}

static GLuint64 clock_ns(void);

/* The GPU executes commands as soon as it gets them: 1 ns for each timestamp. */
static void
hand_over(void)
{
    GLuint64 time = clock_ns();
    for (unsigned i = 0; now && i < now->unsents; i++) {
        now->query[now->unsent[i]].value = time + i;
        now->query[now->unsent[i]].unsent = 0;
    }
    if (now)
        now->unsents = now->dispatched = 0;
}

void
fake_gl_swapped(void)
{
    hand_over();
    swaps++;
}

void
fake_gl_flush(void)
{
    hand_over();
}

void
fake_gl_reset(void)
{
    now->lost = 1;
}

unsigned
fake_gl_names(void)
{
    return now->names;
}

unsigned
fake_gl_calls_when_lost(void)
{
    return now->calls_when_lost;
}

unsigned
fake_gl_asked(void)
{
    return asked;
}

unsigned
fake_gl_asked_early(void)
{
    return asked_early;
}

unsigned
fake_gl_caught_up(void)
{
    return caught_up;
}

unsigned
fake_gl_finishes(void)
{
    return finishes;
}

void
fake_gl_disjoin(void)
{
    now->disjoint = 1;
}

static void
fail(GLenum error)
{
    if (now && now->error == GL_NO_ERROR)
        now->error = error;
}

GLenum
glGetError(void)
{
    GLenum error = now ? now->error : GL_NO_ERROR;
    if (now)
        now->error = GL_NO_ERROR;
    return error;
}

/* Strings and numbers. */

static const char *
setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

/* Drivers leave something in errno, whatever they do inside. */
static void
spoil_errno(void)
{
    if (atoi(setting("FAKE_GL_ERRNO", "0")))
        errno = EAGAIN;
}

const GLubyte *
glGetString(GLenum name)
{
    const char *text = name == GL_VERSION      ? setting("FAKE_GL_VERSION", "4.6.0 fake")
                       : name == GL_EXTENSIONS ? setting("FAKE_GL_EXTENSIONS", "")
                       : name == GL_RENDERER   ? setting("FAKE_GL_RENDERER", "fake")
                       : name == GL_VENDOR     ? setting("FAKE_GL_VENDOR", "fake")
                                               : "fake";
    spoil_errno();
    return (const GLubyte *)text;
}

const GLubyte *
glGetStringi(GLenum name, GLuint index)
{
    static char word[64];
    const char *at = setting("FAKE_GL_EXTENSIONS", "");
    spoil_errno();
    for (; name == GL_EXTENSIONS && index > 0 && at; index--) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return NULL;
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
    return (const GLubyte *)word;
}

void
glGetIntegerv(GLenum name, GLint *value)
{
    const char *at = setting("FAKE_GL_EXTENSIONS", "");
    *value = 0;
    spoil_errno();
    if (name == GL_NUM_EXTENSIONS) {
        for (*value = at[0] != '\0'; *at; at++)
            *value += *at == ' ';
    } else if (name == GL_CURRENT_PROGRAM) {
        *value = (GLint)now->program;
    } else if (name == GL_QUERY_BUFFER_BINDING) {
        *value = now->query_buffer;
    } else if (name == GL_PIXEL_PACK_BUFFER_BINDING) {
        *value = (GLint)now->pack_buffer;
    } else if (name == GL_CONTEXT_RELEASE_BEHAVIOR) {
        *value = atoi(setting("FAKE_GL_RELEASE_KEEPS", "0")) ? GL_NONE : GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH;
    } else if (name == GPU_DISJOINT) {
        *value = now->disjoint;
        now->disjoint = 0;
    }
}

static GLuint64
clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (GLuint64)time.tv_sec * 1000000000U + (GLuint64)time.tv_nsec;
}

void
glGetInteger64v(GLenum name, GLint64 *value)
{
    spoil_errno();
    *value = name == GL_TIMESTAMP ? (GLint64)clock_ns() : 0;
}

/* Queries. */

static struct query *
query_of(GLuint name)
{
    now->calls_when_lost += (unsigned)now->lost;
    spoil_errno();
    return name > 0 && name < NAMES && now->query[name].generated ? &now->query[name] : NULL;
}

void
glGenQueries(GLsizei count, GLuint *name)
{
    GLuint next = 1;
    unsigned most = (unsigned)atoi(setting("FAKE_GL_NAMES", "262144"));
    for (GLsizei i = 0; i < count; i++) {
        while (next < NAMES && now->query[next].generated)
            next++;
        name[i] = next < NAMES && now->names < most ? next : 0;
        if (name[i]) {
            now->query[name[i]] = (struct query){.generated = 1};
            now->names++;
        }
    }
}

void
glDeleteQueries(GLsizei count, const GLuint *name)
{
    if (count < 0)
        fail(GL_INVALID_VALUE);
    for (GLsizei i = 0; i < count; i++) {
        struct query *query = query_of(name[i]);
        if (query) {
            query->generated = 0;
            now->names--;
        }
    }
}

GLboolean
glIsQuery(GLuint name)
{
    struct query *query = query_of(name);
    return query && query->used;
}

/* With FAKE_GL_HANGS: a query is about to be written. */
static void
check_dispatched(void)
{
    if (!now->dispatched || !atoi(setting("FAKE_GL_HANGS", "0")))
        return;
    fprintf(stderr, "fake GL: a query behind a dispatch hangs\n");
    abort();
}

/* Place of a target in the list of active ones, a free one if it is not there. */
static int
place(GLenum target)
{
    int at = 0;
    while (at < TARGETS - 1 && now->target[at] && now->target[at] != target)
        at++;
    now->target[at] = target;
    return at;
}

void
glBeginQuery(GLenum target, GLuint name)
{
    struct query *query = query_of(name);
    int at = place(target);
    check_dispatched();
    if (!query || now->active[at] || query->active || target == GL_TIMESTAMP) {
        fail(GL_INVALID_OPERATION);
        return;
    }
    now->active[at] = name;
    now->begun[at]++;
    query->active = query->used = 1;
}

unsigned
fake_gl_begun(unsigned target)
{
    return now->begun[place(target)];
}

void
glEndQuery(GLenum target)
{
    int at = place(target);
    struct query *query = query_of(now->active[at]);
    check_dispatched();
    if (!query) {
        fail(GL_INVALID_OPERATION);
        return;
    }
    now->active[at] = 0;
    query->active = 0;
    query->swap = swaps;
    query->value = atoi(setting("FAKE_GL_ORDINAL", "0")) ? drawn : 3;
}

void
glQueryCounter(GLuint name, GLenum target)
{
    struct query *query = query_of(name);
    check_dispatched();
    if (!query || query->active || target != GL_TIMESTAMP) {
        fail(GL_INVALID_OPERATION);
        return;
    }
    query->used = 1;
    query->swap = swaps;
    query->value = clock_ns();
    if (now->unsents < UNSENT && !query->unsent && atoi(setting("FAKE_GL_DEFER", "0"))) {
        query->unsent = 1;
        now->unsent[now->unsents++] = name;
    }
}

void
glGetQueryiv(GLenum target, GLenum what, GLint *value)
{
    spoil_errno();
    *value = what == GL_QUERY_COUNTER_BITS ? atoi(setting("FAKE_GL_BITS", "64"))
                                           : (GLint)now->active[place(target)];
}

static unsigned last_caught_up;

/* With FAKE_GL_THREAD the driver's thread is late, and a caller that asks about the newest frame waits for it
 * for that many ms. */
static void
catch_up(void)
{
    long ms = atol(setting("FAKE_GL_THREAD", "0"));
    last_caught_up = swaps;
    caught_up += ms > 0;
    if (ms > 0)
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static GLuint64
ask(GLuint name, GLenum what)
{
    static int lag = -1, lag_asks;
    struct query *query = query_of(name);
    asked++;
    if (lag < 0) {
        lag = atoi(setting("FAKE_GL_LAG", "0"));
        lag_asks = atoi(setting("FAKE_GL_LAG_ASKS", "0"));
    }
    if (!query || !query->used || query->active) {
        fail(GL_INVALID_OPERATION);
        return 0;
    }
    if (query->unsent)
        hand_over();
    if (swaps - query->swap == 1 && last_caught_up != swaps)
        catch_up();
    int ready = now->lost || swaps - query->swap >= (unsigned)lag ||
                (lag_asks > 0 && asked_early >= (unsigned)lag_asks);
    asked_early += !ready;
    if (now->query_buffer) {
        fprintf(stderr, "fake GL: query %u writes into the program's buffer\n", name);
        abort();
    }
    if (what == GL_QUERY_RESULT && !ready) {
        /* A real driver would wait here: no caller may ask for the result. */
        fprintf(stderr, "fake GL: somebody waits for query %u\n", name);
        abort();
    }
    return what == GL_QUERY_RESULT_AVAILABLE ? (GLuint64)ready : now->lost ? 0 : query->value;
}

void
glGetQueryObjectuiv(GLuint name, GLenum what, GLuint *value)
{
    *value = (GLuint)ask(name, what);
}

void
glGetQueryObjectui64v(GLuint name, GLenum what, GLuint64 *value)
{
    *value = ask(name, what);
}

GLenum
glGetGraphicsResetStatus(void)
{
    /* reported once, as by a driver that has completed the reset */
    int told = now->told;
    now->told = now->lost;
    return now->lost && !told ? GL_GUILTY_CONTEXT_RESET : GL_NO_ERROR;
}

/* Names of OpenGL ES for the same functions. */

void glGenQueriesEXT(GLsizei count, GLuint *name);
void glQueryCounterEXT(GLuint name, GLenum target);
void glDeleteQueriesEXT(GLsizei count, const GLuint *name);
void glGetQueryivEXT(GLenum target, GLenum what, GLint *value);
void glGetQueryObjectuivEXT(GLuint name, GLenum what, GLuint *value);
void glGetInteger64vEXT(GLenum name, GLint64 *value);

void
glGenQueriesEXT(GLsizei count, GLuint *name)
{
    glGenQueries(count, name);
}

void
glDeleteQueriesEXT(GLsizei count, const GLuint *name)
{
    glDeleteQueries(count, name);
}

void
glQueryCounterEXT(GLuint name, GLenum target)
{
    glQueryCounter(name, target);
}

void
glGetQueryivEXT(GLenum target, GLenum what, GLint *value)
{
    glGetQueryiv(target, what, value);
}

void
glGetQueryObjectuivEXT(GLuint name, GLenum what, GLuint *value)
{
    glGetQueryObjectuiv(name, what, value);
}

void
glGetQueryObjectui64vEXT(GLuint name, GLenum what, GLuint64 *value)
{
    glGetQueryObjectui64v(name, what, value);
}

void
glGetInteger64vEXT(GLenum name, GLint64 *value)
{
    glGetInteger64v(name, value);
}

/* Names. */

static void
set_label(GLuint name, GLsizei length, const GLchar *label)
{
    if (name < OBJECTS)
        snprintf(now->label[name], sizeof(now->label[name]), "%.*s", length > 0 ? length : 63, label);
}

static void
get_label(GLuint name, GLsizei size, GLsizei *length, GLchar *label)
{
    *length = snprintf(label, (size_t)size, "%s", name < OBJECTS ? now->label[name] : "");
}

void
glObjectLabel(GLenum kind, GLuint name, GLsizei length, const GLchar *label)
{
    (void)kind;
    set_label(name, length, label);
}

void
glGetObjectLabel(GLenum kind, GLuint name, GLsizei size, GLsizei *length, GLchar *label)
{
    if (kind != GL_PROGRAM && kind != GL_FRAMEBUFFER && kind != GL_TEXTURE)
        fail(GL_INVALID_ENUM);
    spoil_errno();
    get_label(name, size, length, label);
}

void
glLabelObjectEXT(GLenum kind, GLuint name, GLsizei length, const GLchar *label)
{
    (void)kind;
    set_label(name, length, label);
}

void
glGetObjectLabelEXT(GLenum kind, GLuint name, GLsizei size, GLsizei *length, GLchar *label)
{
    if (kind != GL_PROGRAM_OBJECT_EXT && kind != GL_FRAMEBUFFER && kind != GL_TEXTURE)
        fail(GL_INVALID_ENUM);
    spoil_errno();
    get_label(name, size, length, label);
}

void
glPushDebugGroup(GLenum source, GLuint id, GLsizei length, const GLchar *message)
{
    (void)source;
    (void)id;
    (void)length;
    (void)message;
    now->groups++;
}

void
glPopDebugGroup(void)
{
    if (now->groups-- <= 0)
        fail(GL_STACK_UNDERFLOW);
}

void
glPushGroupMarkerEXT(GLsizei length, const GLchar *marker)
{
    (void)length;
    (void)marker;
    now->groups++;
}

void
glPopGroupMarkerEXT(void)
{
    now->groups--;
}

void
glInsertEventMarkerEXT(GLsizei length, const GLchar *marker)
{
    (void)length;
    (void)marker;
}

void
glStringMarkerGREMEDY(GLsizei length, const void *string)
{
    (void)length;
    (void)string;
}

void
glFrameTerminatorGREMEDY(void)
{
}

/* Drawing: every pixel has the color of the last glClearColor(). */

static GLfloat color[4];

void
glClearColor(GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha)
{
    const GLfloat given[4] = {red, green, blue, alpha};
    memcpy(color, given, sizeof(color));
}

void
glClear(GLbitfield mask)
{
    (void)mask;
}

void
glViewport(GLint x, GLint y, GLsizei width, GLsizei height)
{
    (void)x;
    (void)y;
    (void)width;
    (void)height;
}

void
glDrawArrays(GLenum mode, GLint first, GLsizei count)
{
    (void)mode;
    (void)first;
    (void)count;
    drawn++;
}

void
glDispatchCompute(GLuint x, GLuint y, GLuint z)
{
    (void)x;
    (void)y;
    (void)z;
    now->dispatched = 1;
}

GLboolean
glIsProgram(GLuint program)
{
    spoil_errno();
    return program != 0;
}

void
glUseProgram(GLuint program)
{
    now->program = program;
}

void
glGenTextures(GLsizei count, GLuint *name)
{
    for (GLsizei i = 0; i < count; i++)
        name[i] = (GLuint)i + 1;
}

void
glBindTexture(GLenum target, GLuint name)
{
    (void)target;
    (void)name;
}

void
glGenBuffers(GLsizei count, GLuint *name)
{
    glGenTextures(count, name);
}

void
glBindBuffer(GLenum target, GLuint name)
{
    spoil_errno();
    if (target == GL_PIXEL_PACK_BUFFER)
        now->pack_buffer = name;
    else if (target == GL_QUERY_BUFFER)
        now->query_buffer = (GLint)name;
}

/* Deleting a bound object unbinds it. */
void
glDeleteBuffers(GLsizei count, const GLuint *name)
{
    for (GLsizei i = 0; i < count; i++)
        now->pack_buffer = now->pack_buffer == name[i] ? 0 : now->pack_buffer;
}

GLboolean
glIsBuffer(GLuint name)
{
    spoil_errno();
    return name != 0;
}

/* Functions that hand commands to the GPU, and wait for it. */

void
glFlush(void)
{
    spoil_errno();
    hand_over();
}

void
glFinish(void)
{
    finishes++;
    spoil_errno();
    hand_over();
}

void
glReadPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels)
{
    unsigned char *to = pixels;
    (void)x;
    (void)y;
    if (now->pack_buffer)
        return;
    hand_over();
    for (GLsizei i = 0; to && format == GL_RGBA && type == GL_UNSIGNED_BYTE && i < width * height * 4; i++)
        to[i] = (unsigned char)(color[i % 4] * 255.0f + 0.5f);
}

void
glGetBufferSubData(GLenum target, GLintptr offset, GLsizeiptr size, void *data)
{
    (void)target;
    (void)offset;
    (void)size;
    (void)data;
    hand_over();
}

void *
glMapBufferRange(GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access)
{
    static char memory[65536];
    (void)target;
    (void)offset;
    (void)length;
    if (access & GL_MAP_READ_BIT)
        hand_over();
    return memory;
}

void *
glMapBuffer(GLenum target, GLenum access)
{
    return glMapBufferRange(target, 0, 0, access == GL_WRITE_ONLY ? 0 : GL_MAP_READ_BIT);
}

GLboolean
glUnmapBuffer(GLenum target)
{
    (void)target;
    return GL_TRUE;
}

GLsync
glFenceSync(GLenum condition, GLbitfield flags)
{
    static char sync;
    (void)condition;
    (void)flags;
    return (GLsync)&sync;
}

GLenum
glClientWaitSync(GLsync sync, GLbitfield flags, GLuint64 timeout)
{
    (void)sync;
    if (flags & GL_SYNC_FLUSH_COMMANDS_BIT)
        hand_over();
    /* Results that lag say that the GPU is not finished, but for FAKE_GL_IDLE. */
    bool late = atoi(setting("FAKE_GL_LAG", "0")) > 0 && !atoi(setting("FAKE_GL_IDLE", "0"));
    return late && timeout == 0 ? GL_TIMEOUT_EXPIRED : GL_ALREADY_SIGNALED;
}

void
glDeleteSync(GLsync sync)
{
    (void)sync;
}
