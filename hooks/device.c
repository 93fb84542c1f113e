/** @file
 * See device.h. Sources: GL_ARB_timer_query, GL_EXT_disjoint_timer_query (of which GPU_DISJOINT is never
 * read: reading clears it for the program), GL_ARB_pipeline_statistics_query. */
#include "hooks/device.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"

static struct {
    pthread_mutex_t lock;
    struct pp_gl_device *first; /* never freed: core keeps their layouts */
} devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Query targets in the order of pp_pipeline_statistic_name(). */
static const GLenum statistic_target[PP_PIPELINE_STATISTICS] = {
    GL_VERTICES_SUBMITTED,
    GL_PRIMITIVES_SUBMITTED,
    GL_VERTEX_SHADER_INVOCATIONS,
    GL_GEOMETRY_SHADER_INVOCATIONS,
    GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
    GL_CLIPPING_INPUT_PRIMITIVES,
    GL_CLIPPING_OUTPUT_PRIMITIVES,
    GL_FRAGMENT_SHADER_INVOCATIONS,
    GL_TESS_CONTROL_SHADER_PATCHES,
    GL_TESS_EVALUATION_SHADER_INVOCATIONS,
    GL_COMPUTE_SHADER_INVOCATIONS,
};

static struct pp_field
field(const char *name, uint32_t index, enum pp_field_mode mode, enum pp_unit unit, uint8_t bits)
{
    return (struct pp_field){.name = name,
                             .part = {{.offset = index * 8, .shift = 0, .bits = bits}},
                             .mode = (uint8_t)mode,
                             .unit = (uint8_t)unit};
}

static GLint
timestamp_bits(const struct pp_gl_context *ctx)
{
    GLint bits = 0;
    if (ctx->es) {
        if (pp_gl_has_extension(ctx, "GL_EXT_disjoint_timer_query") && pp_glQueryCounterEXT &&
            pp_glGetQueryObjectui64vEXT && pp_glGetInteger64vEXT)
            pp_glGetQueryivEXT(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    } else if ((ctx->version >= 33 || pp_gl_has_extension(ctx, "GL_ARB_timer_query")) && pp_glQueryCounter &&
               pp_glGetQueryObjectui64v && pp_glGetInteger64v) {
        pp_glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    }
    return bits;
}

static void
find_statistics(const struct pp_gl_context *ctx, const struct pp_session *session,
                struct pp_gl_device *device)
{
    uint32_t mask = pp_session_config(session)->pipeline_mask;
    bool has =
        !ctx->es && (ctx->version >= 46 || pp_gl_has_extension(ctx, "GL_ARB_pipeline_statistics_query"));
    for (uint32_t i = 0; has && i < PP_PIPELINE_STATISTICS; i++) {
        GLint bits = 0;
        if (!(mask & (1U << i)))
            continue;
        /* The stages' targets exist with the stages. */
        bool stage = i == 10 ? ctx->version >= 43 || pp_gl_has_extension(ctx, "GL_ARB_compute_shader")
                     : i == 8 || i == 9
                         ? ctx->version >= 40 || pp_gl_has_extension(ctx, "GL_ARB_tessellation_shader")
                     : i == 3 || i == 4 ? ctx->version >= 32
                                        : true;
        if (stage)
            pp_glGetQueryiv(statistic_target[i], GL_QUERY_COUNTER_BITS, &bits);
        if (bits <= 0)
            continue;
        device->statistic_target[device->statistics] = statistic_target[i];
        device->field[1 + device->statistics] =
            field(pp_pipeline_statistic_name(i), device->statistics, PP_FIELD_DELTA, PP_UNIT_COUNT, 64);
        device->statistics++;
    }
}

static void
say_missing(const struct pp_gl_context *ctx, const struct pp_session *session,
            const struct pp_gl_device *device)
{
    uint32_t mask = pp_session_config(session)->pipeline_mask;
    const char *why = ctx->es ? "OpenGL ES has no pipeline statistics queries"
                              : "the driver lacks GL_ARB_pipeline_statistics_query or this statistic";
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        char name[96];
        bool have = false;
        for (uint32_t k = 0; k < device->statistics; k++)
            have = have || device->statistic_target[k] == statistic_target[i];
        if (have || !(mask & (1U << i)))
            continue;
        snprintf(name, sizeof(name), "pipeline:%s", pp_pipeline_statistic_name(i));
        pp_device_missing(device->device, name,
                          device->timer ? why : "without timestamps nothing is measured on the GPU");
    }
    if (device->flushes && pp_session_config(session)->level == PP_LEVEL_DRAW)
        pp_device_missing(
            device->device, "time of draws",
            "this software renderer draws a framebuffer's work at once: times inside it say nothing");
    if (device->timer)
        return;
    pp_device_missing(
        device->device, "time",
        ctx->es ? "the context lacks GL_EXT_disjoint_timer_query or its timestamps have no bits"
                : "the context lacks GL_ARB_timer_query (OpenGL 3.3) or its timestamps have no bits");
    pp_log(PP_MSG_NO_TIMER, "this OpenGL context has no timer queries: only CPU times are measured");
}

static struct pp_gl_device *
device_new(struct pp_gl_context *ctx, struct pp_session *session, const char *key, const char *version,
           const char *renderer, const char *vendor)
{
    struct pp_gl_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    snprintf(device->key, sizeof(device->key), "%s", key);
    GLint bits = timestamp_bits(ctx);
    device->timer = bits > 0;
    /* Mesa's software rasterisers, 22.3 at least; remove when their TIMESTAMP no longer waits in the scene.
     */
    device->flushes = strncmp(renderer, "llvmpipe", 8) == 0 || strncmp(renderer, "softpipe", 8) == 0;
    if (device->timer)
        find_statistics(ctx, session, device);
    uint8_t width = bits > 0 && bits < 64 ? (uint8_t)bits : 64;
    device->field[0] = field("timestamp", 0, PP_FIELD_WRAPS, PP_UNIT_NS, width);
    device->layout[0] =
        (struct pp_layout){.name = "time", .size = 8, .fields = 1, .field = &device->field[0]};
    device->layout[1] = (struct pp_layout){.name = "pipeline",
                                           .size = 8 * device->statistics,
                                           .fields = device->statistics,
                                           .field = &device->field[1]};
    device->source[0] = (struct pp_device_source){"time", &device->layout[0]};
    device->source[1] = (struct pp_device_source){"pipeline", &device->layout[1]};
    struct pp_device_info info = {
        .api = ctx->es ? "gles" : "gl",
        .api_version = version,
        .name = renderer,
        .driver = vendor,
        .tick_ns = device->timer ? 1.0 : 0.0,
        .timestamp_bits = device->timer ? width : 0,
        .source = device->source,
        .sources = device->timer ? (device->statistics ? 2 : 1) : 0,
    };
    if (pp_device_create(session, &info, &device->device)) {
        free(device);
        return NULL;
    }
    say_missing(ctx, session, device);
    return device;
}

static const char *
text(GLenum what)
{
    const char *value = (const char *)pp_glGetString(what);
    return value ? value : "";
}

struct pp_gl_device *
pp_gl_device_find(struct pp_gl_context *ctx, struct pp_session *session)
{
    char key[512];
    const char *version = text(GL_VERSION);
    const char *renderer = text(GL_RENDERER);
    const char *vendor = text(GL_VENDOR);
    snprintf(key, sizeof(key), "%s|%s|%s", version, renderer, vendor);
    pthread_mutex_lock(&devices.lock);
    struct pp_gl_device **at = &devices.first;
    while (*at && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    if (!*at)
        *at = device_new(ctx, session, key, version, renderer, vendor);
    struct pp_gl_device *device = *at;
    pthread_mutex_unlock(&devices.lock);
    return device;
}
