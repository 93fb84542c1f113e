/** @file
 * Counter sources that are read or set on the application's threads; see read_counters.h and session.h. */
#include "core/events/read_counters.h"
#include "core/engine/session_private.h"

#include <stdio.h>

#include "core/util/log.h"
#include "counters/util/errno_text.h"

uint32_t
pp_device_sets(const struct pp_device *device)
{
    return device->sets;
}

uint32_t
pp_device_counter(const struct pp_device *device, uint32_t counter)
{
    return counter < PP_MAX_SOURCES ? device->counter_at[counter] : UINT32_MAX;
}

const struct pp_device_set *
pp_device_set(const struct pp_device *device, uint32_t counter, uint32_t set)
{
    static const struct pp_device_set none = {.events = 0};
    uint32_t s = pp_device_counter(device, counter);
    return s == UINT32_MAX || set >= device->source_sets[s] ? &none : &device->source_set[s][set].set;
}

bool
pp_device_reads(const struct pp_device *device)
{
    return device->reads;
}

/* Bursts of failures cost one atomic read each. */
void
pp_device_source_failed(struct pp_device *device, uint32_t s, enum pp_message id, int error)
{
    char why[PP_REASON_BYTES], text[sizeof(why) + 128];
    const struct pp_event_source *source = &device->counter[s];
    if ((atomic_load_explicit(&device->failed, memory_order_relaxed) >> s & 1) ||
        (atomic_fetch_or(&device->failed, 1U << s) >> s & 1))
        return;
    if (source->ops->explain)
        source->ops->explain(source->self, error, why);
    else
        snprintf(why, sizeof(why), "%s", pp_errno_text(error));
    if (id == PP_ID_SOURCE_REFUSED)
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_REFUSED, source->ops->name, why);
    else
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_FAILED, source->ops->name, why);
    pp_device_note(device, text);
}

void
pp_device_read(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket, unsigned end,
               uint8_t set, bool idle)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (!ops || !pp_counter_is_read(ops) || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        if (chosen->events == 0 || (ops->reads == PP_READ_IDLE) != idle) {
            if (*status == PP_NOT_AVAILABLE)
                *status = chosen->events == 0 ? PP_CELL_OTHER_SET : PP_CELL_NOT_READ;
            continue;
        }
        uint8_t *row = pp_batch_row(batch, bracket, end) + device->offset[s];
        int rc = ops->read(device->counter[s].self, chosen->event, chosen->events, row);
        *pp_batch_set(batch, bracket, s) = set;
        if (rc)
            pp_device_source_failed(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
        if (end == 0)
            *status = rc ? PP_LOST : PP_OK;
        else if (rc)
            *status = PP_LOST;
    }
}

void
pp_device_unread(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (ops && ops->reads == PP_READ_IDLE && pp_status_has_value((enum pp_status) * status))
            *status = PP_LOST;
    }
}

void
pp_device_select_set(struct pp_device *device, uint8_t set)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || !ops->select || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        int rc = ops->select(device->counter[s].self, chosen->event, chosen->events);
        if (rc)
            pp_device_source_failed(device, s, PP_ID_SOURCE_REFUSED, -rc);
    }
}
