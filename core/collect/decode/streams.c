/** @file
 * Results of streaming counter sources; see streams.h. */
#include "core/collect/decode/streams.h"

#include <errno.h>

#include "core/engine/events/read_counters.h"
#include "core/engine/session_private.h"

/* Did the GPU do nothing but this bracket's commands between two times without work? That is so if the front
 * end waited around each bracket, or if it waited around the batch and the batch has no other bracket.
 * Barriers alone do not separate: the GPU's reports tell submissions apart, and not passes of one submission.
 */
static bool
is_apart(const struct pp_batch *batch, uint32_t bracket)
{
    const struct pp_action_list *list = &batch->action_list;
    if (batch->isolated != PP_ISOLATED_PASSES)
        return batch->isolated == PP_ISOLATED_ALL;
    return (list->passes == 1 && list->pass[0].bracket == bracket) ||
           (list->actions == 1 && list->action[0].bracket == bracket);
}

/* One bracket. @retval 0, -EAGAIN. */
static int
look_up(struct pp_batch *batch, uint32_t bracket, uint32_t s, bool patient)
{
    const struct pp_device *device = batch->device;
    const struct pp_event_source *source = &device->counter[s];
    const struct pp_device_set *set = &device->source_set[s][batch->frame_set].set;
    uint8_t *status = pp_batch_status(batch, bracket, s);
    enum pp_status time = pp_batch_value_status(*pp_batch_status(batch, bracket, PP_SOURCE_TIME));
    const struct pp_field *ticks = device->source_set[PP_SOURCE_TIME]->set.layout->field;
    if (*status != PP_NOT_AVAILABLE || !pp_status_has_value(time) || !set->events)
        return 0;
    uint64_t begin = pp_field_read(ticks, pp_batch_row(batch, bracket, 0));
    uint64_t end = pp_field_read(ticks, pp_batch_row(batch, bracket, 1));
    *pp_batch_set(batch, bracket, s) = batch->frame_set;
    /* A suspended pass has no end, its continuation no begin. */
    if (end < begin && (!end || ((end - begin) & device->clock.mask) > device->clock.mask / 2)) {
        *status = PP_CELL_SUSPENDED;
        return 0;
    }
    int rc = source->ops->between(source->self, set->event, set->events, begin, end, device->tick_ns,
                                  device->session->config.serialize && is_apart(batch, bracket),
                                  pp_batch_row(batch, bracket, 1) + device->offset[s], status);
    if (rc == -EAGAIN && patient) {
        *status = PP_NOT_AVAILABLE;
        return -EAGAIN;
    }
    if (rc)
        *status = rc == -EAGAIN ? PP_NOT_AVAILABLE : PP_LOST;
    if (rc && rc != -EAGAIN)
        pp_device_source_failed(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
    return 0;
}

int
pp_streams_look_up(struct pp_batch *batch, bool patient)
{
    const struct pp_device *device = batch->device;
    uint32_t brackets =
        batch->action_list.brackets < batch->bracket_cap ? batch->action_list.brackets : batch->bracket_cap;
    for (uint32_t s = PP_SOURCE_TIME + 1; device->streams && s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || batch->frame_set >= device->source_sets[s])
            continue;
        for (uint32_t b = 0; b < brackets; b++) {
            int rc = look_up(batch, b, s, patient);
            if (rc)
                return rc;
        }
    }
    return 0;
}
