/** @file
 * A vendor library of libglvnd that loads Mesa's and puts this driver's functions before it. See fake.h. */
#include "fake.h"

#include <EGL/egl.h>
#include <GL/glx.h>
#include <dlfcn.h>
#include <glvnd/libeglabi.h>
#include <glvnd/libglxabi.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake_config fake_config;

static struct {
    pthread_mutex_t lock;
    struct fake_context *first;
    uint32_t numbers;
    void *(*egl)(const char *name);
    void *(*glx)(const GLubyte *name);
    FILE *dump;
    uint64_t measurements;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct fake_context *current;

struct fake_context *
fake_current(void)
{
    return current;
}

void
fake_error(GLenum error)
{
    if (current && !current->error)
        current->error = error;
}

void
fake_violation(const char *format, ...)
{
    va_list list;
    char text[300];
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    fprintf(stderr, "fake: VIOLATION: %s\n", text);
}

void
fake_misuse(GLenum error, const char *format, ...)
{
    va_list list;
    char text[300];
    fake_error(error);
    if (fake_config.mistakes)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    fake_violation("%s (error %x)", text, error);
}

bool
fake_nth(uint32_t *count, uint32_t n)
{
    return n && ++*count % n == 0;
}

/* Set-up. */

static uint32_t
number(const char *word, const char *name)
{
    size_t len = strlen(name);
    return strncmp(word, name, len) == 0 && word[len] == '=' ? (uint32_t)strtoul(word + len + 1, NULL, 0)
                                                             : UINT32_MAX;
}

static void
read_word(const char *word)
{
    const struct {
        const char *name;
        uint32_t *at;
    } numbers[] = {{"latency", &fake_config.latency},   {"refuse", &fake_config.refuse},
                   {"from", &fake_config.from},         {"times", &fake_config.times},
                   {"lost", &fake_config.lost},         {"real", &fake_config.real},
                   {"deferred", &fake_config.deferred}, {"instances", &fake_config.instances},
                   {"reports", &fake_config.reports}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (number(word, numbers[i].name) != UINT32_MAX)
            *numbers[i].at = number(word, numbers[i].name);
    if (strcmp(word, "mistakes") == 0)
        fake_config.mistakes = true;
    else if (strcmp(word, "noamd") == 0)
        fake_config.amd = false;
    else if (strcmp(word, "notimer") == 0)
        fake_config.no_timer = true;
    else if (strcmp(word, "nointel") == 0)
        fake_config.intel = false;
    else if (strcmp(word, "onegroup") == 0)
        fake_config.one_group = true;
    else if (strcmp(word, "onehardware") == 0)
        fake_config.one_hardware = true;
    else if (strcmp(word, "global") == 0)
        fake_config.global = true;
    else if (strncmp(word, "hostile=", 8) == 0)
        snprintf(fake_config.hostile, sizeof(fake_config.hostile), "%s", word + 8);
    else if (strncmp(word, "dump=", 5) == 0)
        snprintf(fake_config.dump, sizeof(fake_config.dump), "%s", word + 5);
}

void
fake_configure(void)
{
    char words[512], *rest = NULL;
    fake_config = (struct fake_config){.amd = true};
    fake_config.amd = fake_config.intel = true;
    fake_config.latency = 1;
    fake_config.instances = 4096;
    const char *variable = getenv("FAKE_GL");
    snprintf(words, sizeof(words), "%s", variable ? variable : "");
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        read_word(word);
    fake.dump = *fake_config.dump ? fopen(fake_config.dump, "we") : NULL;
}

static void
configure_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fake_configure);
}

static fake_proc
to_proc(void *pointer)
{
    fake_proc proc;
    memcpy(&proc, &pointer, sizeof(proc));
    return proc;
}

static fake_proc
egl_real(const char *name)
{
    return to_proc(fake.egl(name));
}

static fake_proc
glx_real(const char *name)
{
    return to_proc(fake.glx((const GLubyte *)name));
}

fake_proc
fake_real(const char *name)
{
    fake_proc found = fake.egl && strncmp(name, "glX", 3) != 0 ? egl_real(name) : NULL;
    return found || !fake.glx ? found : glx_real(name);
}

/* Measurements. */

/* Does another process have the hardware at this begin? */
static bool
is_refused(void)
{
    static uint32_t begins, all;
    all++;
    return fake_nth(&begins, fake_config.refuse) ||
           (fake_config.times && all >= fake_config.from && all - fake_config.from < fake_config.times);
}

static uint64_t
clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* Do two measurements count the same? */
static bool
same_kind(const struct fake_measure *a, const struct fake_measure *b)
{
    return a->kind == b->kind && memcmp(a->selected, b->selected, sizeof(a->selected)) == 0;
}

/* Is a measurement of another kind unread, so that the hardware is set up for that one? */
static bool
is_set_up_otherwise(const struct fake_context *ctx, const struct fake_measure *measure, int which)
{
    for (GLuint i = 0; i < ctx->names[which]; i++) {
        const struct fake_measure *at = ctx->by_name[which][i];
        if (at && at->unread && !same_kind(at, measure))
            return true;
    }
    return false;
}

bool
fake_deliver(struct fake_measure *measure)
{
    uint64_t due_ns = measure->ended_ns + (uint64_t)fake_config.reports * 1000000U;
    if (!fake_config.reports || !measure->unread)
        return true;
    measure->unread = false;
    if (measure->not_begun) {
        fake_error(GL_INVALID_OPERATION);
        return false;
    }
    /* Mesa's loop keeps the processor. Its time is the thread's, so that a busy machine shows the same wait.
     */
    uint64_t asked_ns = clock_ns(CLOCK_MONOTONIC), begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (asked_ns < due_ns)
        fprintf(stderr, "fake: waits %" PRIu64 " ms for reports\n", (due_ns - asked_ns) / 1000000U);
    while (asked_ns < due_ns && clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns < due_ns - asked_ns)
        ;
    return true;
}

bool
fake_begin(struct fake_measure *measure, int which)
{
    struct fake_context *ctx = current;
    const char *of = which ? "query" : "monitor";
    if (ctx->in_begin || measure->active || (which == 0 && ctx->active[0])) {
        fake_misuse(GL_INVALID_OPERATION, "%s %u begins %s", of, measure->name,
                    ctx->in_begin     ? "between glBegin and glEnd"
                    : measure->active ? "although it is active"
                                      : "although another is active");
        return false;
    }
    if ((fake_config.one_hardware && ctx->active[!which]) || is_refused()) {
        fake_error(GL_INVALID_OPERATION);
        return false;
    }
    if (measure->used && !fake_available(measure))
        fake_violation("%s %u begins again before its result is available: the driver waits", of,
                       measure->name);
    measure->active = true;
    measure->used = false;
    measure->lost = false;
    measure->asked = measure->asks = 0;
    measure->begin = ctx->work;
    measure->not_begun = fake_config.reports && is_set_up_otherwise(ctx, measure, which);
    ctx->active[which]++;
    return true;
}

bool
fake_end(struct fake_measure *measure, int which)
{
    static uint32_t ends;
    struct fake_context *ctx = current;
    const struct fake_work *now = &ctx->work, *then = &measure->begin;
    if (!measure->active || ctx->in_begin) {
        fake_misuse(GL_INVALID_OPERATION, "%s %u ends %s", which ? "query" : "monitor", measure->name,
                    ctx->in_begin ? "between glBegin and glEnd" : "and is not active");
        return false;
    }
    measure->active = false;
    measure->used = true;
    measure->lost = fake_nth(&ends, fake_config.lost);
    measure->ended_frame = ctx->frames;
    measure->finishes = ctx->finishes;
    measure->serial = ++ctx->ended;
    measure->ended_ns = clock_ns(CLOCK_MONOTONIC);
    measure->unread = true;
    measure->result = (struct fake_work){
        .draws = now->draws - then->draws,
        .vertices = now->vertices - then->vertices,
        .clears = now->clears - then->clears,
        .dispatches = now->dispatches - then->dispatches,
        .groups = now->groups - then->groups,
        .copies = now->copies - then->copies,
    };
    ctx->active[which]--;
    fake.measurements++;
    return true;
}

bool
fake_available(struct fake_measure *measure)
{
    struct fake_context *ctx = current;
    const struct fake_work *work = &ctx->work;
    uint64_t done = work->draws + work->clears + work->dispatches + work->copies + ctx->frames;
    if (!measure->used || measure->lost)
        return false;
    /* A caller that asks again and again without new actions waits for an idle GPU. */
    measure->asks = measure->asked == done + 1 ? measure->asks + 1 : 1;
    bool available = measure->serial <= ctx->available || measure->asks >= 5 ||
                     ctx->frames >= measure->ended_frame + fake_config.latency ||
                     ctx->finishes > measure->finishes;
    measure->asked = done + 1;
    if (available && ctx->available < measure->serial)
        ctx->available = measure->serial;
    return available;
}

void
fake_dump(const char *extension, const struct fake_measure *measure, const char *group, const char *counter,
          const char *value)
{
    if (!fake.dump)
        return;
    fprintf(fake.dump, "%s,%u,%llu,%u,%s,%s,%s\n", extension, current->number,
            (unsigned long long)fake.measurements, measure->name, group, counter, value);
    fflush(fake.dump);
}

struct fake_measure *
fake_measure_new(int which)
{
    static GLuint last[2];
    struct fake_context *ctx = current;
    GLuint name = __atomic_add_fetch(&last[which], 1, __ATOMIC_RELAXED), room = ctx->names[which];
    if (name > room) {
        struct fake_measure **all =
            realloc(ctx->by_name[which], 2 * (size_t)name * sizeof(struct fake_measure *));
        if (!all)
            return NULL;
        memset(all + room, 0, (2 * (size_t)name - room) * sizeof(struct fake_measure *));
        ctx->by_name[which] = all;
        ctx->names[which] = 2 * name;
    }
    struct fake_measure *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->name = name;
    ctx->by_name[which][name - 1] = made;
    ctx->count[which]++;
    return made;
}

struct fake_measure *
fake_measure_find(int which, GLuint name)
{
    struct fake_context *ctx = current;
    if (!ctx)
        fake_violation("a measurement without a context");
    struct fake_measure *found =
        ctx && name > 0 && name <= ctx->names[which] ? ctx->by_name[which][name - 1] : NULL;
    if (!found)
        fake_misuse(GL_INVALID_VALUE, "this context has no %s %u", which ? "query" : "monitor", name);
    return found;
}

void
fake_measure_delete(int which, struct fake_measure *measure)
{
    struct fake_context *ctx = current;
    ctx->active[which] -= measure->active;
    ctx->by_name[which][measure->name - 1] = NULL;
    ctx->count[which]--;
    free(measure);
}

static void
free_measures(struct fake_context *ctx)
{
    for (int which = 0; which < 2; which++) {
        for (GLuint i = 0; i < ctx->names[which]; i++)
            free(ctx->by_name[which][i]);
        free(ctx->by_name[which]);
    }
}

/* Contexts. */

void
fake_make_current(const void *handle)
{
    struct fake_context *ctx = NULL;
    if (handle) {
        pthread_mutex_lock(&fake.lock);
        for (ctx = fake.first; ctx && ctx->handle != handle; ctx = ctx->next)
            ;
        if (!ctx && (ctx = calloc(1, sizeof(*ctx)))) {
            ctx->handle = handle;
            ctx->number = ++fake.numbers;
            ctx->next = fake.first;
            fake.first = ctx;
        }
        pthread_mutex_unlock(&fake.lock);
    }
    current = ctx;
}

static void
forget(const void *handle)
{
    pthread_mutex_lock(&fake.lock);
    for (struct fake_context **at = &fake.first; *at; at = &(*at)->next) {
        struct fake_context *ctx = *at;
        if (ctx->handle != handle)
            continue;
        if (ctx == current) /* the context exists until it is released, and its handle may be used again */
            ctx->handle = NULL;
        else if (ctx->active[0] || ctx->active[1])
            fake_violation("context %u is destroyed with an active measurement", ctx->number);
        if (ctx != current) {
            *at = ctx->next;
            free_measures(ctx);
            free(ctx);
        }
        break;
    }
    pthread_mutex_unlock(&fake.lock);
}

static EGLBoolean
egl_make_current(EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context)
{
    EGLBoolean (*real)(EGLDisplay, EGLSurface, EGLSurface, EGLContext) =
        (EGLBoolean(*)(EGLDisplay, EGLSurface, EGLSurface, EGLContext))egl_real("eglMakeCurrent");
    EGLBoolean ok = real(display, draw, read, context);
    if (ok)
        fake_make_current(context);
    return ok;
}

static EGLBoolean
egl_destroy_context(EGLDisplay display, EGLContext context)
{
    forget(context);
    return ((EGLBoolean(*)(EGLDisplay, EGLContext))egl_real("eglDestroyContext"))(display, context);
}

static EGLBoolean
egl_swap_buffers(EGLDisplay display, EGLSurface surface)
{
    if (current)
        current->frames++;
    return ((EGLBoolean(*)(EGLDisplay, EGLSurface))egl_real("eglSwapBuffers"))(display, surface);
}

static Bool
glx_make_current(Display *display, GLXDrawable drawable, GLXContext context)
{
    Bool ok =
        ((Bool(*)(Display *, GLXDrawable, GLXContext))glx_real("glXMakeCurrent"))(display, drawable, context);
    if (ok)
        fake_make_current(context);
    return ok;
}

static Bool
glx_make_context_current(Display *display, GLXDrawable draw, GLXDrawable read, GLXContext context)
{
    Bool ok = ((Bool(*)(Display *, GLXDrawable, GLXDrawable, GLXContext))glx_real("glXMakeContextCurrent"))(
        display, draw, read, context);
    if (ok)
        fake_make_current(context);
    return ok;
}

static void
glx_destroy_context(Display *display, GLXContext context)
{
    forget(context);
    ((void (*)(Display *, GLXContext))glx_real("glXDestroyContext"))(display, context);
}

static void
glx_swap_buffers(Display *display, GLXDrawable drawable)
{
    if (current)
        current->frames++;
    ((void (*)(Display *, GLXDrawable))glx_real("glXSwapBuffers"))(display, drawable);
}

/* Texts that a context reports. */

static const char *const extension[] = {"GL_AMD_performance_monitor", "GL_INTEL_performance_query"};

/* The names that are offered, in order. */
static const char *
offered(uint32_t i)
{
    if (fake_config.amd && i-- == 0)
        return extension[0];
    if (fake_config.intel && i-- == 0)
        return extension[1];
    return NULL;
}

static const GLubyte *
get_string(GLenum name)
{
    const GLubyte *text = ((const GLubyte *(*)(GLenum))FAKE_REAL("glGetString"))(name);
    static char *all;
    if (name == GL_VERSION && text && getenv("FAKE_GL_VERSION"))
        return (const GLubyte *)getenv("FAKE_GL_VERSION");
    if (name == GL_RENDERER && text && getenv("FAKE_GL_RENDERER"))
        return (const GLubyte *)getenv("FAKE_GL_RENDERER");
    if (fake_config.reports && (name == GL_VENDOR || name == GL_RENDERER))
        return (const GLubyte *)(name == GL_VENDOR ? "Intel" : "Mesa Intel(R) Fake (FAKE GT2)");
    if (name != GL_EXTENSIONS || !text)
        return text;
    pthread_mutex_lock(&fake.lock);
    if (!all) { /* the address of the first context's function serves all: no test uses two kinds of contexts
                   in one process */
        size_t size = strlen((const char *)text) + 100;
        all = malloc(size);
        if (all)
            snprintf(all, size, "%s%s%s%s%s", (const char *)text, offered(0) ? " " : "",
                     offered(0) ? offered(0) : "", offered(1) ? " " : "", offered(1) ? offered(1) : "");
    }
    pthread_mutex_unlock(&fake.lock);
    return (const GLubyte *)all;
}

static void
get_query(GLenum target, GLenum what, GLint *data)
{
    ((void (*)(GLenum, GLenum, GLint *))FAKE_REAL("glGetQueryiv"))(target, what, data);
    if (fake_config.no_timer && target == GL_TIMESTAMP && what == GL_QUERY_COUNTER_BITS)
        *data = 0;
}

static void
get_integer(GLenum name, GLint *data)
{
    ((void (*)(GLenum, GLint *))FAKE_REAL("glGetIntegerv"))(name, data);
    if (name == GL_NUM_EXTENSIONS && data)
        *data += (offered(0) != NULL) + (offered(1) != NULL);
    else if (fake_config.intel && data &&
             (name == GL_PERFQUERY_QUERY_NAME_LENGTH_MAX_INTEL ||
              name == GL_PERFQUERY_COUNTER_NAME_LENGTH_MAX_INTEL))
        *data = 256;
    else if (fake_config.intel && data && name == GL_PERFQUERY_COUNTER_DESC_LENGTH_MAX_INTEL)
        *data = 1024;
}

static const GLubyte *
get_stringi(GLenum name, GLuint index)
{
    GLint count = 0;
    if (name == GL_EXTENSIONS) {
        ((void (*)(GLenum, GLint *))FAKE_REAL("glGetIntegerv"))(GL_NUM_EXTENSIONS, &count);
        if (index >= (GLuint)count && offered(index - (GLuint)count))
            return (const GLubyte *)offered(index - (GLuint)count);
    }
    return ((const GLubyte *(*)(GLenum, GLuint))FAKE_REAL("glGetStringi"))(name, index);
}

static GLenum
get_error(void)
{
    GLenum error = ((GLenum(*)(void))FAKE_REAL("glGetError"))();
    if (current && current->error && !current->in_begin) {
        error = current->error;
        current->error = GL_NO_ERROR;
    }
    return error;
}

static void
finish(void)
{
    ((void (*)(void))FAKE_REAL("glFinish"))();
    if (current)
        current->finishes++;
    fake_tell_kernel();
}

/* The proxy. */

#define ENTRY(name, function)                                                                                \
    {                                                                                                        \
        name, (fake_proc)(function)                                                                          \
    }

static const struct fake_entry own_entry[] = {
    ENTRY("eglMakeCurrent", egl_make_current),
    ENTRY("eglDestroyContext", egl_destroy_context),
    ENTRY("eglSwapBuffers", egl_swap_buffers),
    ENTRY("glXMakeCurrent", glx_make_current),
    ENTRY("glXMakeContextCurrent", glx_make_context_current),
    ENTRY("glXDestroyContext", glx_destroy_context),
    ENTRY("glXSwapBuffers", glx_swap_buffers),
    ENTRY("glGetString", get_string),
    ENTRY("glGetStringi", get_stringi),
    ENTRY("glGetIntegerv", get_integer),
    ENTRY("glGetQueryiv", get_query),
    ENTRY("glGetError", get_error),
    ENTRY("glFinish", finish),
    {NULL, NULL},
};

static void *
to_pointer(fake_proc proc)
{
    void *pointer;
    memcpy(&pointer, &proc, sizeof(pointer));
    return pointer;
}

static void *
find(const struct fake_entry *entry, const char *name)
{
    for (; entry->name; entry++)
        if (strcmp(entry->name, name) == 0)
            return to_pointer(entry->function);
    return NULL;
}

static void *
ours(const char *name)
{
    void *found = find(own_entry, name);
    if (!found)
        found = find(fake_work_entry, name);
    if (!found && fake_config.amd)
        found = find(fake_amd_entry, name);
    if (!found && fake_config.intel)
        found = find(fake_intel_entry, name);
    return found;
}

static void *
egl_get_proc_address(const char *name)
{
    void *found = ours(name);
    void *real = found ? NULL : fake.egl(name);
    return found ? found : real;
}

static void *
glx_get_proc_address(const GLubyte *name)
{
    void *found = ours((const char *)name);
    return found ? found : fake.glx(name);
}

static void *
main_of(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (!found)
        fprintf(stderr, "fake: no %s\n", library);
    return found;
}

EGLBoolean __egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
                      __EGLapiImports *imports);
Bool __glx_Main(uint32_t version, const __GLXapiExports *exports, __GLXvendorInfo *vendor,
                __GLXapiImports *imports);

/** libEGL asks for the vendor's functions. */
__attribute__((visibility("default"))) EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
           __EGLapiImports *imports)
{
    void *found = main_of("libEGL_mesa.so.0", "__egl_Main");
    EGLBoolean (*real)(uint32_t, const __EGLapiExports *, __EGLvendorInfo *, __EGLapiImports *);
    memcpy(&real, &found, sizeof(real));
    configure_once();
    if (!real || !real(version, exports, vendor, imports))
        return EGL_FALSE;
    fake.egl = imports->getProcAddress;
    imports->getProcAddress = egl_get_proc_address;
    imports->isPatchSupported = NULL;
    imports->initiatePatch = NULL;
    return EGL_TRUE;
}

/** libGLX does. */
__attribute__((visibility("default"))) Bool
__glx_Main(uint32_t version, const __GLXapiExports *exports, __GLXvendorInfo *vendor,
           __GLXapiImports *imports)
{
    void *found = main_of("libGLX_mesa.so.0", "__glx_Main");
    Bool (*real)(uint32_t, const __GLXapiExports *, __GLXvendorInfo *, __GLXapiImports *);
    memcpy(&real, &found, sizeof(real));
    configure_once();
    if (!real || !real(version, exports, vendor, imports))
        return False;
    fake.glx = imports->getProcAddress;
    imports->getProcAddress = glx_get_proc_address;
    imports->isPatchSupported = NULL;
    imports->initiatePatch = NULL;
    return True;
}
