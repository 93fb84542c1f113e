/** @file
 * See perf_query.h. A call that fails leaves an error in the driver. The most frequent one is a begin,
 * because another process has the hardware. Such an error is cleared. An error that the application had left
 * there before is kept for its glGetError. */
#include "hooks/counters/perf_query.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/notes.h"
#include "core/engine/watch.h"
#include "core/util/log.h"
#include "counters/sources/i915/i915_unit.h"
#include "hooks/base/context.h"
#include "hooks/counters/perf_ask.h"
#include "hooks/counters/perf_source.h"
#include "hooks/reach/driver_procs.h"

#define NONE UINT32_MAX
/* After this many consecutive refused begins a set is given up: in a debug context each refusal also causes a
 * message. */
#define REFUSALS_MAX 8U
/* Most objects of a set in use in a context; no more are made. */
#define NAMES_MAX 65536U

/* Errors. */

static void
keep_error(struct pp_gl_context *ctx)
{
    (void)pp_gl_perf_keep_error(ctx);
}

bool
pp_gl_perf_keep_error(struct pp_gl_context *ctx)
{
    GLenum error = pp_glGetError();
    if (error != GL_NO_ERROR && ctx->perf.error == GL_NO_ERROR)
        ctx->perf.error = error;
    return error != GL_NO_ERROR;
}

/* Did calls of passprobe since keep_error() cause an error? */
static bool
failed(void)
{
    return pp_glGetError() != GL_NO_ERROR;
}

void
pp_gl_perf_drop_error(void)
{
    (void)failed();
}

GLenum
pp_gl_get_error(struct pp_gl_context *ctx, GLenum (*real)(void))
{
    GLenum kept = ctx->perf.error;
    if (kept == GL_NO_ERROR || (ctx->gate & PP_GATE_BEGIN))
        return real();
    /* With a single error flag, as in Mesa, errors after the first one are not visible. */
    (void)real();
    ctx->perf.error = GL_NO_ERROR;
    return kept;
}

/* Make an object for the set. The names of all objects are recorded. */
static GLuint
new_name(struct pp_gl_context *ctx, uint32_t i, const struct pp_gl_perf_driver *driver,
         const struct pp_gl_perf_set *set)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    uint32_t count = state->names[i];
    if (count == NAMES_MAX)
        return 0;
    if ((count & (count - 1)) == 0) {
        GLuint *all = realloc(state->name[i], (count ? 2 * (size_t)count : 1) * sizeof(*all));
        if (!all)
            return 0;
        state->name[i] = all;
    }
    GLuint name = driver->make(set);
    if (name)
        state->name[i][state->names[i]++] = name;
    return name;
}

/* Does the driver open the OA unit? */
static bool
needs_unit(void)
{
    const char *renderer = (const char *)pp_glGetString(GL_RENDERER);
    return renderer && strstr(renderer, "Intel");
}

/* Ask whether the unit is free. @retval true The caller calls pp_i915_unit_end(). */
static bool
unit_is_free(struct pp_gl_context *ctx, struct pp_i915_unit *ret)
{
    bool free = !pp_watch_confined() && pp_i915_unit_begin(PP_I915_ANY_GPU, 0, ret) == 0;
    ctx->perf.unit_refused = !free;
    return free;
}

bool
pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set)
{
    struct pp_gl_context *ctx = pp_gl_tls.current;
    struct pp_i915_unit unit;
    if (!ctx || !perf->driver || ctx->perf.unit_refused)
        return false;
    if (!ctx->perf.unit_open && needs_unit()) { /* an open unit would be busy by itself */
        if (!unit_is_free(ctx, &unit))
            return false;
        (void)!pp_i915_unit_end(&unit);
    }
    /* A driver that waits for reports would refuse every other set until this result is read. */
    if (perf->waits)
        return true;
    bool debug = ctx->caps.debug_output && pp_glIsEnabled(GL_DEBUG_OUTPUT);
    if (debug)
        pp_glDisable(GL_DEBUG_OUTPUT);
    keep_error(ctx);
    /* This object is never read or deleted, because both may wait. The driver deletes it with the context. */
    GLuint name = new_name(ctx, perf->ops == &pp_gl_source_amd, perf->driver, set);
    if (name)
        perf->driver->begin(name);
    bool ok = !failed() && name;
    if (ok)
        perf->driver->end(name);
    if (debug)
        pp_glEnable(GL_DEBUG_OUTPUT);
    return ok;
}

/* Objects. */

static bool
set_up(struct pp_gl_context *ctx)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    uint32_t scratch = 0;
    if (state->set_up)
        return state->scratch != NULL;
    state->set_up = true;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        const struct pp_gl_perf *perf = &ctx->device->perf[i];
        scratch = perf->scratch > scratch ? perf->scratch : scratch;
        if (perf->sets)
            state->pool[i] = calloc(perf->sets, sizeof(*state->pool[i]));
        state->pools[i] = perf->sets;
    }
    state->scratch = scratch ? calloc(1, scratch + 8) : NULL;
    return state->scratch != NULL;
}

/* Take an object for the set. @return 0: the driver has no more; objects come back when their results are
 * read. */
static GLuint
take(struct pp_gl_context *ctx, uint32_t i, uint32_t set)
{
    struct pp_gl_perf_pool *pool = &ctx->perf.pool[i][set];
    const struct pp_gl_perf *perf = &ctx->device->perf[i];
    if (pool->frees)
        return pool->free[--pool->frees];
    GLuint name = pool->dry ? 0 : new_name(ctx, i, perf->driver, &perf->set[set]);
    if (name || pool->dry)
        return name;
    pool->dry = true;
    pp_gl_perf_report_refused(perf, ctx->device, ctx->device->perf_counter[i], set, PP_TEXT_GL_FEW_OBJECTS);
    return 0;
}

static void
give(struct pp_gl_context *ctx, uint32_t i, uint32_t set, GLuint name)
{
    struct pp_gl_perf_pool *pool = &ctx->perf.pool[i][set];
    if (pool->frees == pool->cap) {
        uint32_t cap = pool->cap ? 2 * pool->cap : 16;
        GLuint *bigger = realloc(pool->free, cap * sizeof(*bigger));
        if (!bigger)
            return;
        pool->free = bigger;
        pool->cap = cap;
    }
    pool->free[pool->frees++] = name;
}

bool
pp_gl_perf_is_of_passprobe(const struct pp_gl_context *ctx, uint32_t i, GLuint name)
{
    for (uint32_t k = 0; k < ctx->perf.names[i]; k++)
        if (ctx->perf.name[i][k] == name)
            return true;
    return false;
}

/* Brackets. */

void
pp_gl_perf_frame(struct pp_gl_context *ctx, const struct pp_batch *batch)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    if (!ctx->device->has_counter_sets)
        return;
    state->rotation = pp_timeline_rotation(batch->timeline);
    /* Frames of the old set are not measured either, or the other set would never begin. */
    state->waits = state->unread > 0 && (state->waits || state->unread_set != state->rotation.set);
}

/* Count the results that another set waits for. */
static void
count_unread(struct pp_gl_context *ctx, uint32_t i, uint8_t set, bool more)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    if (!ctx->device->perf[i].waits)
        return;
    state->unread_set = more ? set : state->unread_set;
    state->unread += more ? 1U : state->unread > 0 ? UINT32_MAX : 0U;
}

/* The driver refused to begin: the bracket has no values. After REFUSALS_MAX consecutive refusals the set is
 * given up. */
static void
refuse(struct pp_gl_context *ctx, uint32_t i, uint32_t set)
{
    struct pp_gl_perf *perf = &ctx->device->perf[i];
    if (atomic_fetch_add_explicit(&perf->set[set].refusals, 1, memory_order_relaxed) + 1 < REFUSALS_MAX)
        return;
    atomic_store_explicit(&perf->set[set].refused, true, memory_order_relaxed);
    pp_gl_perf_report_refused(perf, ctx->device, ctx->device->perf_counter[i], set, PP_TEXT_GL_REFUSED_OFTEN);
}

/* Some brackets have no values: report why, once. */
static void
report_lost(struct pp_gl_device *device, uint32_t i, const char *reason)
{
    char event[64];
    if (!pp_once(&device->perf[i].once, PP_ID_GL_REFUSED_SOME))
        return;
    snprintf(event, sizeof(event), PP_EVENT_GL_REFUSED_SOME, device->perf[i].ops->name);
    pp_device_missing(device->device, event, reason);
}

void
pp_gl_perf_give_up(struct pp_gl_device *device, const char *reason)
{
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        struct pp_gl_perf *perf = &device->perf[i];
        for (uint32_t s = 0; perf->source != NONE && s < perf->sets; s++)
            if (perf->set[s].wants &&
                !atomic_exchange_explicit(&perf->set[s].refused, true, memory_order_relaxed))
                pp_gl_perf_report_refused(perf, device, device->perf_counter[i], s, reason);
    }
}

/* Let the context's driver open the OA unit, by a query without work.
 *
 * Mesa's drivers for Intel open the unit at the first query of a context, in a thread of their own, and do
 * not report that the kernel refused: 25.0 (i915_perf_stream_open()) takes descriptor 0 for the stream, and
 * closes the application's standard input at the end. The end of a query that did not begin hangs the GPU. So
 * passprobe opens the unit once before the driver does, and looks whether the driver has a stream then. If
 * not, the query is never ended, and the context measures no counters.
 *
 * @return false: the unit is not open. */
static bool
open_unit(struct pp_gl_context *ctx, uint32_t i, uint32_t set)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    const struct pp_gl_perf *perf = &ctx->device->perf[i];
    struct pp_i915_unit unit;
    state->unit_open = !needs_unit();
    if (state->unit_open || !unit_is_free(ctx, &unit))
        return state->unit_open;
    GLuint name = take(ctx, i, set);
    if (name)
        perf->driver->begin(name);
    bool begun = !failed() && name;
    if (begun && unit.checked)
        pp_glFinish(); /* the driver's thread has begun the query then, or has not */
    /* -ENODEV: the kernel's driver is not i915, and there is nothing to look for. */
    state->unit_open = pp_i915_unit_end(&unit) != -ENOENT && begun;
    state->unit_refused = begun && !state->unit_open;
    if (state->unit_open) {
        perf->driver->end(name);
        state->first = (struct pp_gl_perf_first){name, i, set};
    } else if (name && !begun)
        give(ctx, i, set, name);
    return state->unit_open || !begun; /* the bracket's own query shows what the driver refuses */
}

static bool
begin_source(struct pp_gl_context *ctx, uint32_t i, uint32_t set, struct pp_gl_perf_bracket *bracket)
{
    struct pp_gl_perf *perf = &ctx->device->perf[i];
    if (perf->source == NONE || set >= perf->sets || perf->set[set].wants == 0)
        return false;
    bracket->phase[i] = PP_PERF_STOPPED;
    if (atomic_load_explicit(&perf->set[set].refused, memory_order_relaxed))
        return false;
    if (!set_up(ctx) || !ctx->perf.pool[i])
        return false;
    keep_error(ctx);
    if (ctx->perf.unit_refused || (!ctx->perf.unit_open && !open_unit(ctx, i, set))) {
        report_lost(ctx->device, i, PP_TEXT_GL_UNIT_TAKEN);
        return false;
    }
    GLuint name = take(ctx, i, set);
    if (name)
        perf->driver->begin(name);
    if (failed() || !name) {
        if (name) {
            give(ctx, i, set, name);
            refuse(ctx, i, set);
            bracket->phase[i] = PP_PERF_REFUSED;
            report_lost(ctx->device, i, PP_TEXT_GL_REFUSED_SOME);
        }
        return false;
    }
    atomic_store_explicit(&perf->set[set].refusals, 0, memory_order_relaxed);
    bracket->name[i] = name;
    bracket->phase[i] = PP_PERF_RUNNING;
    return true;
}

void
pp_gl_perf_begin(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number, bool action)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    if (!ctx->device->has_counter_sets)
        return;
    bracket->set = state->rotation.set; /* a pass that sums its actions does so for the events of this set */
    if (state->rotation.actions != action)
        return;
    bool taken = state->running != NONE || state->apps[0] || state->apps[1] || state->waits;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        if (taken)
            bracket->phase[i] = PP_PERF_STOPPED;
        else if (begin_source(ctx, i, state->rotation.set, bracket))
            state->running = number;
    }
}

void
pp_gl_perf_skip(const struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket)
{
    bracket->set = ctx->perf.rotation.set;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++)
        bracket->phase[i] = PP_PERF_STOPPED;
}

void
pp_gl_perf_end(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number)
{
    if (ctx->perf.running != number)
        return;
    ctx->perf.running = NONE;
    for (uint32_t i = PP_GL_PERFS; i-- > 0;) {
        if (bracket->phase[i] != PP_PERF_RUNNING)
            continue;
        ctx->device->perf[i].driver->end(bracket->name[i]);
        bracket->phase[i] = PP_PERF_ENDED;
        count_unread(ctx, i, bracket->set, true);
    }
}

void
pp_gl_perf_overlapped(struct pp_gl_context *ctx, uint32_t number)
{
    if (number >= ctx->pending.open.brackets)
        return;
    struct pp_gl_perf_bracket *bracket = &ctx->pending.open.bracket[number].perf;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        if (bracket->phase[i] != PP_PERF_ENDED || !ctx->device->perf[i].set[bracket->set].whole)
            continue;
        give(ctx, i, bracket->set, bracket->name[i]);
        bracket->name[i] = 0;
        bracket->phase[i] = PP_PERF_REFUSED;
        report_lost(ctx->device, i, PP_TEXT_GL_OVERLAPPED);
    }
}

void
pp_gl_perf_stop(struct pp_gl_context *ctx)
{
    uint32_t number = ctx->perf.running;
    if (number == NONE || number >= ctx->pending.open.brackets)
        return;
    struct pp_gl_perf_bracket *bracket = &ctx->pending.open.bracket[number].perf;
    pp_gl_perf_end(ctx, bracket, number);
    for (uint32_t i = 0; i < PP_GL_PERFS; i++)
        if (bracket->phase[i] == PP_PERF_ENDED)
            bracket->phase[i] = PP_PERF_STOPPED;
}

/* Results. */

bool
pp_gl_perf_available(struct pp_gl_context *ctx, const struct pp_gl_perf_bracket *bracket)
{
    bool all = true;
    for (uint32_t i = 0; i < PP_GL_PERFS && all; i++) {
        const struct pp_gl_perf *perf = &ctx->device->perf[i];
        if (bracket->phase[i] != PP_PERF_ENDED)
            continue;
        all = perf->driver->available(&perf->set[bracket->set], bracket->name[i], ctx->perf.scratch);
        all |= failed(); /* reading this result reports the error */
    }
    return all;
}

static void
set_status(const struct pp_gl_device *device, uint32_t i, const struct pp_gl_perf_bracket *bracket,
           struct pp_batch *batch, uint32_t number, uint8_t status)
{
    uint32_t source = device->perf[i].source;
    if (source == NONE)
        return;
    *pp_batch_status(batch, number, source) = status;
    *pp_batch_set(batch, number, source) = bracket->set;
}

/* Status of a bracket that has no result to read. */
static uint8_t
unmeasured(const struct pp_gl_perf *perf, uint32_t i, const struct pp_gl_perf_bracket *bracket)
{
    if (bracket->phase[i] != PP_PERF_NONE)
        return PP_DISABLED;
    bool other = bracket->set >= perf->sets || perf->set[bracket->set].wants == 0;
    return other ? PP_CELL_OTHER_SET : PP_CELL_ELSEWHERE;
}

/* Read the result of a measurement that ended. @return Its status. */
static enum pp_status
read_source(struct pp_gl_context *ctx, uint32_t i, struct pp_gl_perf_bracket *bracket, uint8_t *row)
{
    const struct pp_gl_perf *perf = &ctx->device->perf[i];
    const struct pp_gl_perf_first first = ctx->perf.first;
    count_unread(ctx, i, bracket->set, false);
    /* The query of open_unit() ended before, so its result is there, too. Mesa keeps all reports from its
     * begin on until it is read. */
    if (first.name && first.source == i) {
        if (perf->driver->read(&perf->set[first.set], first.name, ctx->perf.scratch, row) == 0)
            give(ctx, i, first.set, first.name);
        ctx->perf.first.name = 0;
    }
    int rc = perf->driver->read(&perf->set[bracket->set], bracket->name[i], ctx->perf.scratch, row);
    /* An object without an available result is not used again, as a late result could be taken for a new one.
     * It is used again if asking raised an error: Mesa reports only now that a query had not begun. */
    bool refused = rc == -EAGAIN && failed();
    if (rc != -EAGAIN || refused)
        give(ctx, i, bracket->set, bracket->name[i]);
    bracket->name[i] = 0;
    if (rc)
        report_lost(ctx->device, i,
                    refused         ? PP_TEXT_GL_NOT_BEGUN
                    : rc == -EAGAIN ? PP_TEXT_GL_LATE
                                    : PP_TEXT_GL_WRONG_RESULT);
    return rc == 0 ? PP_OK : rc == -EBADMSG ? PP_REJECTED : PP_LOST;
}

void
pp_gl_perf_read(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                uint32_t number)
{
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        const struct pp_gl_perf *perf = &ctx->device->perf[i];
        if (perf->source == NONE)
            continue;
        uint8_t status = unmeasured(perf, i, bracket);
        if (bracket->phase[i] == PP_PERF_ENDED)
            status = (uint8_t)read_source(ctx, i, bracket, pp_batch_row(batch, number, 1) + perf->offset);
        else if (bracket->phase[i] == PP_PERF_REFUSED)
            status = PP_LOST;
        set_status(ctx->device, i, bracket, batch, number, status);
        bracket->phase[i] = PP_PERF_NONE;
    }
}

void
pp_gl_perf_lose(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                uint32_t number)
{
    struct pp_gl_device *device = ctx->device;
    for (uint32_t i = 0; device && i < PP_GL_PERFS; i++) {
        bool lost = bracket->phase[i] == PP_PERF_ENDED || bracket->phase[i] == PP_PERF_REFUSED;
        if (bracket->phase[i] == PP_PERF_ENDED)
            count_unread(ctx, i, bracket->set, false);
        if (lost && device->perf[i].source != NONE)
            report_lost(device, i, PP_TEXT_GL_LATE);
        set_status(device, i, bracket, batch, number,
                   lost ? PP_LOST : unmeasured(&device->perf[i], i, bracket));
    }
    *bracket = (struct pp_gl_perf_bracket){.set = bracket->set};
}

void
pp_gl_perf_state_finish(struct pp_gl_perf_state *state)
{
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        for (uint32_t s = 0; state->pool[i] && s < state->pools[i]; s++)
            free(state->pool[i][s].free);
        free(state->pool[i]);
        free(state->name[i]);
    }
    free(state->scratch);
}

#define NONE UINT32_MAX

void
pp_gl_perf_find(struct pp_gl_context *ctx, const struct pp_config *config, struct pp_gl_perf *perf)
{
    static const struct {
        const struct pp_source_ops *ops;
        void (*ask)(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);
        bool preset;
    } source[PP_GL_PERFS] = {{&pp_gl_source_intel, pp_gl_perf_ask_intel, true},
                             {&pp_gl_source_amd, pp_gl_perf_ask_amd, false}};
    struct pp_gl_perf_api api;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        perf[i].ops = source[i].ops;
        perf[i].source = NONE;
        perf[i].reason = PP_TEXT_NOT_ASKED;
        if (!pp_config_wants(config, source[i].ops->name, source[i].preset))
            continue;
        perf[i].reason = NULL;
        perf[i].serialized = config->serialize && config->level != PP_LEVEL_FRAME;
        /* A driver without any query may answer the question with an error, which must not reach the
         * application. */
        (void)pp_gl_perf_keep_error(ctx);
        pp_gl_perf_driver_api(ctx, &api);
        source[i].ask(&api, &perf[i]);
        pp_gl_perf_drop_error();
        perf[i].one_unit = pp_gl_perf_is_intel(&api);
        perf[i].trying = perf[i].driver != NULL;
    }
}

void
pp_gl_perf_report_refused(const struct pp_gl_perf *perf, struct pp_gl_device *device, uint32_t counter,
                          uint32_t set, const char *reason)
{
    const struct pp_device_set *planned = pp_device_set(device->device, counter, set);
    for (uint32_t i = 0; i < planned->events; i++) {
        char name[320];
        snprintf(name, sizeof(name), "%s:%s", perf->ops->name, perf->event[planned->event[i]].name);
        pp_device_missing(device->device, name, reason);
    }
}

static void
plan_source(struct pp_gl_perf *perf, struct pp_gl_device *device, uint32_t counter)
{
    perf->source = pp_device_counter(device->device, counter);
    if (perf->source == NONE)
        return;
    if (perf->on_request)
        pp_device_note(device->device, perf->on_request);
    perf->offset = pp_device_offset(device->device, perf->source);
    perf->set = calloc(pp_device_sets(device->device) + 1, sizeof(*perf->set));
    for (uint32_t s = 0; perf->set && s < pp_device_sets(device->device); s++) {
        struct pp_gl_perf_set *set = &perf->set[s];
        const struct pp_device_set *planned = pp_device_set(device->device, counter, s);
        perf->sets = s + 1;
        if (planned->events == 0 || pp_gl_perf_make_set(perf, planned, set))
            continue;
        perf->scratch = set->bytes > perf->scratch ? set->bytes : perf->scratch;
        if (set->whole)
            pp_note_once(device->device, PP_MSG_INTEL_WHOLE_GPU);
        set->refused = !pp_gl_perf_try(perf, set);
        if (set->refused)
            pp_gl_perf_report_refused(perf, device, counter, s, PP_TEXT_GL_REFUSED);
    }
}

void
pp_gl_perf_plan(struct pp_gl_device *device)
{
    device->has_counter_sets = pp_device_sets(device->device) > 0;
    for (uint32_t i = 0; i < PP_GL_PERFS; i++) {
        device->perf[i].trying = false;
        if (device->perf[i].cut && device->perf_counter[i] != NONE) {
            char event[64];
            snprintf(event, sizeof(event), PP_EVENT_GL_MORE_EVENTS, device->perf[i].ops->name);
            pp_device_missing(device->device, event, PP_TEXT_GL_MORE_EVENTS);
        }
        if (device->perf_counter[i] != NONE)
            plan_source(&device->perf[i], device, device->perf_counter[i]);
    }
}
