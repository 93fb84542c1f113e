/** @file
 * Default events of the kernel; see default_events.h. */
#include "core/events/default_events.h"

#include <string.h>

#include "core/engine/session_private.h"
#include "counters/events/event_plan.h"
#include "counters/sources/kernel_sources.h"

const struct pp_event_source *
pp_default_events_source_locked(struct pp_session *session, uint32_t vendor, uint32_t gpu)
{
    /* What counts the whole GPU is read while it is idle. */
    bool may =
        pp_config_has_defaults(&session->config) && (vendor == PP_VENDOR_INTEL || session->config.serialize);
    if (!may || (vendor != PP_VENDOR_INTEL && vendor != PP_VENDOR_ARM))
        return NULL;
    struct pp_event_source *source = &session->sources.default_events[vendor == PP_VENDOR_ARM];
    if (!source->ops && pp_kernel_gpu_source_open(NULL, vendor, source))
        return NULL;
    bool wanted = pp_config_wants(&session->config, source->ops->name, true);
    return wanted && source->ops->counts(source->self, vendor, gpu) ? source : NULL;
}

bool
pp_session_default_events(struct pp_session *session, const char *source, uint32_t vendor)
{
    pthread_mutex_lock(&session->lock);
    const struct pp_event_source *found = pp_default_events_source_locked(session, vendor, 0);
    pthread_mutex_unlock(&session->lock);
    return found && strcmp(found->ops->name, source) == 0 && !pp_event_source_absent(found);
}
