/** @file
 * See device.h. Sources: GL_ARB_timer_query, GL_EXT_disjoint_timer_query, GL_ARB_pipeline_statistics_query.
 * GPU_DISJOINT of the second one is never read: reading clears it for the application. */
#include "hooks/measure/device.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "hooks/counters/perf_query.h"
#include "hooks/counters/perf_source.h"
#include "hooks/measure/bracket.h"
#include "hooks/measure/query_pool.h"
#include "hooks/measure/readback.h"
#include "hooks/measure/report_wait.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/caps.h"
#include "hooks/state/process.h"

static struct {
    pthread_mutex_t lock;
    struct pp_gl_device *first; /* devices are never freed: core keeps their layouts */
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

static GLint
timestamp_bits(const struct pp_gl_context *ctx)
{
    GLint bits = 0;
    if (ctx->caps.es) {
        if (pp_gl_has_extension(ctx, "GL_EXT_disjoint_timer_query") && pp_glQueryCounterEXT &&
            pp_glGetQueryObjectui64vEXT && pp_glGetInteger64vEXT)
            pp_glGetQueryivEXT(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    } else if ((ctx->caps.version >= 33 || pp_gl_has_extension(ctx, "GL_ARB_timer_query")) &&
               pp_glQueryCounter && pp_glGetQueryObjectui64v && pp_glGetInteger64v) {
        pp_glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    }
    return bits;
}

/* Does the context have statistic @p i? The queries of a shader stage exist if the stage does. */
static bool
has_statistic(const struct pp_gl_context *ctx, uint32_t i)
{
    GLint bits = 0;
    GLenum target = statistic_target[i];
    bool stage = true;
    if (target == GL_COMPUTE_SHADER_INVOCATIONS)
        stage = ctx->caps.version >= 43 || pp_gl_has_extension(ctx, "GL_ARB_compute_shader");
    else if (target == GL_TESS_CONTROL_SHADER_PATCHES || target == GL_TESS_EVALUATION_SHADER_INVOCATIONS)
        stage = ctx->caps.version >= 40 || pp_gl_has_extension(ctx, "GL_ARB_tessellation_shader");
    else if (target == GL_GEOMETRY_SHADER_INVOCATIONS || target == GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED)
        stage = ctx->caps.version >= 32;
    if (stage)
        pp_glGetQueryiv(target, GL_QUERY_COUNTER_BITS, &bits);
    return bits > 0;
}

/* Fill in which statistics and timestamps are missing, and why. */
static void
find_sources(const struct pp_gl_context *ctx, struct pp_builtin_sources *sources)
{
    GLint bits = timestamp_bits(ctx);
    sources->time_unit = PP_UNIT_NS;
    sources->time_bits = bits > 0 && bits < 64 ? (uint8_t)bits : 64;
    if (bits <= 0)
        sources->no_time = ctx->caps.es ? PP_TEXT_GLES_NO_TIMER : PP_TEXT_GL_NO_TIMER;
    const char *none =
        ctx->caps.es       ? PP_TEXT_GLES_NO_STATISTICS
        : sources->no_time ? PP_TEXT_NO_TIMESTAMPS
        : ctx->caps.version < 46 && !pp_gl_has_extension(ctx, "GL_ARB_pipeline_statistics_query")
            ? PP_TEXT_GL_NO_STATISTICS
            : NULL;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++)
        sources->no_statistic[i] = none ? none : has_statistic(ctx, i) ? NULL : PP_TEXT_GL_NO_STAGE;
}

/* Layout and query targets of the statistics that were requested and exist. */
static const struct pp_layout *
choose_statistics(const struct pp_session *session, struct pp_gl_device *device)
{
    uint32_t wanted = pp_session_config(session)->pipeline_mask, chosen = 0;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        if (!(wanted & (1U << i)) || device->sources.no_statistic[i])
            continue;
        device->statistic_target[device->statistics++] = statistic_target[i];
        device->graphics_statistics += statistic_target[i] != GL_COMPUTE_SHADER_INVOCATIONS;
        chosen |= 1U << i;
    }
    const struct pp_layout *layout = pp_builtin_statistics_layout(&device->sources, chosen);
    if (!layout)
        device->statistics = device->graphics_statistics = 0;
    return layout;
}

static void
report_missing(const struct pp_session *session, struct pp_gl_device *device)
{
    uint32_t wanted = pp_session_config(session)->pipeline_mask;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        char name[96];
        snprintf(name, sizeof(name), "pipeline:%s", pp_pipeline_statistic_name(i));
        if (device->sources.no_statistic[i] && (wanted & (1U << i)))
            pp_device_missing(device->device, name, device->sources.no_statistic[i]);
    }
    if (device->is_deferred && !device->serialize && pp_session_config(session)->level == PP_LEVEL_DRAW)
        pp_device_missing(device->device, PP_EVENT_GL_DRAW_TIMES, PP_TEXT_GL_DRAW_TIMES);
    if (device->has_timestamps)
        return;
    pp_device_missing(device->device, "time", device->sources.no_time);
    if (device->has_counter_sets)
        pp_log(PP_MSG_NO_TIMER_COUNTERS);
    else
        pp_log(PP_MSG_NO_TIMER);
}

/* Has a source default events that are not measured, since the user did not name it, and nothing in their
 * place? */
static bool
is_unnamed(struct pp_session *session, const struct pp_gl_perf *perf)
{
    return perf->on_request && perf->ops->default_event &&
           !pp_config_wants(pp_session_config(session), perf->ops->name, false) &&
           !pp_session_default_events(session, "oa", PP_VENDOR_INTEL);
}

/* Fill in the other counter sources of the context for core. Sources that the context lacks have a reason.
 * @return Number of sources. */
static uint32_t
find_counters(struct pp_gl_context *ctx, struct pp_session *session, struct pp_gl_device *device,
              struct pp_source_absent *absent, uint32_t *ret_absents)
{
    uint32_t counters = 0;
    pp_gl_perf_find(ctx, pp_session_config(session), device->perf);
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        struct pp_gl_perf *perf = &device->perf[i];
        device->perf_counter[i] = perf->reason ? UINT32_MAX : counters;
        if (perf->reason)
            absent[(*ret_absents)++] = (struct pp_source_absent){
                .source = perf->ops->name, .reason = perf->reason, .refused = perf->faulty};
        else
            device->counter[counters++] = (struct pp_event_source){perf->ops, perf};
        if (!perf->reason && is_unnamed(session, perf))
            absent[(*ret_absents)++] = (struct pp_source_absent){
                .source = perf->ops->name, .reason = PP_TEXT_INTEL_UNNAMED, .refused = true};
    }
    return counters;
}

/* Vendor of the GPU of a native driver, from its renderer string. Mesa's strings contain "Intel" or "Mali-G52
 * (Panfrost)"; Arm's contain "Mali-G76". Layered drivers (zink, ANGLE, virgl) begin with their own name; the
 * driver below them counts. */
static uint32_t
vendor_of(const char *vendor, const char *renderer)
{
    if (strncmp(vendor, "Intel", strlen("Intel")) == 0)
        return PP_VENDOR_INTEL;
    return strncmp(renderer, "Mali-", strlen("Mali-")) == 0 ? PP_VENDOR_ARM : 0;
}

static struct pp_gl_device *
device_new(struct pp_gl_context *ctx, struct pp_session *session, const char *key, const char *version,
           const char *renderer, const char *vendor)
{
    struct pp_gl_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    snprintf(device->key, sizeof(device->key), "%s", key);
    find_sources(ctx, &device->sources);
    const struct pp_layout *time = pp_source_time.layout(&device->sources, &(uint32_t){0}, 1);
    device->has_timestamps = time != NULL;
    /* Mesa's software rasterisers, seen in 22.3. Remove this when they no longer put a TIMESTAMP query into
     * the scene. */
    device->is_deferred = strncmp(renderer, "llvmpipe", 8) == 0 || strncmp(renderer, "softpipe", 8) == 0;
    device->faults = pp_gl_driver_faults_of(vendor, renderer, version);
    device->perf[0].waits = device->perf[1].waits = device->faults.waits_for_reports;
    const struct pp_layout *statistics = device->has_timestamps ? choose_statistics(session, device) : NULL;
    device->source[0] = (struct pp_device_source){pp_source_time.name, time};
    device->source[1] = (struct pp_device_source){pp_source_pipeline.name, statistics};
    struct pp_source_absent absent[PP_GL_PERFS];
    uint32_t absents = 0;
    uint32_t counters = find_counters(ctx, session, device, absent, &absents);
    struct pp_device_info info = {
        .api = ctx->caps.es ? "gles" : "gl",
        .api_version = version,
        .name = renderer,
        .driver = vendor,
        .vendor = vendor_of(vendor, renderer),
        .tick_ns = device->has_timestamps ? 1.0 : 0.0,
        .timestamp_bits = device->has_timestamps ? device->sources.time_bits : 0,
        .source = device->source,
        .sources = (device->has_timestamps ? 1U : 0U) + (statistics ? 1U : 0U),
        .counter = device->counter,
        .counters = counters,
        .absent = absent,
        .absents = absents,
        .reads = true,
    };
    if (pp_device_create(session, &info, &device->device)) {
        pp_builtin_finish(&device->sources);
        for (uint32_t i = 0; i < PP_GL_PERFS; i++)
            pp_gl_perf_finish(&device->perf[i]);
        free(device);
        return NULL;
    }
    pp_gl_perf_plan(device);
    if (device->faults.waits_for_reports)
        pp_gl_report_wait_start(device, session);
    device->cpu_snapshots = pp_device_reads(device->device);
    bool measures = device->has_timestamps || pp_device_reads_idle(device->device);
    device->serialize = pp_session_config(session)->serialize && measures;
    device->whole_frames = device->serialize && pp_device_reads_idle(device->device) &&
                           pp_session_config(session)->level == PP_LEVEL_FRAME;
    bool serializes = pp_device_note_unused_options(device->device, false);
    if (device->serialize && serializes)
        pp_note_once(device->device, PP_MSG_GL_SERIALIZE);
    else if (!device->serialize && pp_session_config(session)->serialize)
        pp_device_missing(device->device, "serialize", PP_TEXT_GL_SERIALIZE_USELESS);
    report_missing(session, device);
    if (device->faults.flush_dispatches && device->has_timestamps)
        pp_note_once(device->device, PP_MSG_GL_FLUSH_DISPATCHES);
    return device;
}

static const char *
text(GLenum what)
{
    const char *value = (const char *)pp_glGetString(what);
    return value ? value : "";
}

static struct pp_gl_device *
device_find(struct pp_gl_context *ctx, struct pp_session *session)
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

bool
pp_gl_context_set_up(struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    char queue[32];
    if (ctx->set_up)
        return session && ctx->device;
    if (!session)
        return false;
    pp_gl_caps_read(ctx);
    ctx->device = device_find(ctx, session);
    snprintf(queue, sizeof(queue), "context %u", ctx->number);
    ctx->queue = pp_session_string(session, queue);
    ctx->set_up = true;
    pp_gl_sample_clock(ctx);
    pp_gl_process_watch(ctx->device);
    return ctx->device != NULL;
}

#define NONE      UINT32_MAX
#define SAMPLE_NS 1000000000U
/* A sample is wide if the thread lost its processor while it was taken. Of three samples the narrowest is
 * used. */
#define SAMPLE_WIDE_NS 20000U
#define SAMPLE_TRIES   3

void
pp_gl_sample_clock(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device || !device->has_timestamps || ctx->lost)
        return;
    uint64_t due = atomic_load_explicit(&device->next_sample_ns, memory_order_relaxed);
    uint64_t now = pp_now_ns();
    if (now < due || !atomic_compare_exchange_strong_explicit(&device->next_sample_ns, &due, now + SAMPLE_NS,
                                                              memory_order_relaxed, memory_order_relaxed))
        return;
    uint64_t before = 0, ticks = 0, after = 0;
    for (unsigned i = 0; i < SAMPLE_TRIES && (i == 0 || after - before > SAMPLE_WIDE_NS); i++) {
        uint64_t begin = pp_now_ns(), at = pp_gl_clock(ctx), end = pp_now_ns();
        if (i > 0 && end - begin >= after - before)
            continue;
        before = begin;
        ticks = at;
        after = end;
    }
    pp_clock_sample(pp_device_clock(device->device), ticks, before, after);
}

void
pp_gl_measure_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device->has_timestamps || atomic_exchange_explicit(&device->biased, true, memory_order_relaxed))
        return;
    uint32_t *slot = calloc(PP_GL_BIAS_PAIRS, sizeof(*slot));
    uint32_t taken = 0;
    while (slot && taken < PP_GL_BIAS_PAIRS) {
        slot[taken] = pp_gl_pool_take(ctx);
        if (slot[taken] == NONE)
            break;
        pp_gl_timestamp(ctx, pp_gl_names(ctx, slot[taken])[0]);
        pp_gl_timestamp(ctx, pp_gl_names(ctx, slot[taken])[1]);
        taken++;
    }
    if (taken == 0) {
        free(slot);
        return;
    }
    ctx->pending.bias_slot = slot;
    ctx->pending.bias_count = taken;
}

void
pp_gl_read_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    uint64_t length[PP_GL_BIAS_PAIRS];
    if (!pending->bias_slot ||
        !pp_gl_readback_has_result(ctx, pp_gl_names(ctx, pending->bias_slot[pending->bias_count - 1])[1]))
        return;
    for (uint32_t i = pending->bias_count; i-- > 0;) {
        const GLuint *name = pp_gl_names(ctx, pending->bias_slot[i]);
        uint64_t begin = pp_gl_readback_result(ctx, name[0]);
        uint64_t end = pp_gl_readback_result(ctx, name[1]);
        length[i] = end > begin ? end - begin : 0;
        pp_gl_pool_rest(&ctx->pool, pending->bias_slot[i]);
    }
    pp_device_bias(ctx->device->device, "pass", length, pending->bias_count);
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}
