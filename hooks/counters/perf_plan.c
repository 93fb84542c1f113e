/** @file
 * See perf_plan.h. */
#include "hooks/counters/perf_plan.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/util/log.h"
#include "hooks/base/context.h"
#include "hooks/counters/amd_monitor.h"
#include "hooks/counters/intel_query.h"
#include "hooks/counters/perf_driver.h"
#include "hooks/counters/perf_query.h"
#include "hooks/counters/perf_quirks.h"
#include "hooks/counters/perf_source.h"

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
