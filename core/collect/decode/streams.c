/** @file
 * Results of streaming counter sources; see streams.h. */
#include "core/collect/decode/streams.h"

#include <errno.h>

#include "core/engine/session_private.h"
#include "core/events/read_counters.h"

/* A pass outside of render passes whose actions all had submissions of their own had these for itself, too.
 */
static void
join_actions(struct pp_batch *batch, uint32_t s)
{
    const struct pp_action_list *list = &batch->action_list;
    for (uint32_t p = 0; p < list->passes; p++)
        if (list->pass[p].kind != PP_PASS_RENDER && list->pass[p].actions > 0 &&
            list->pass[p].bracket < batch->bracket_cap)
            *pp_batch_status(batch, list->pass[p].bracket, s) |= PP_APART;
    for (uint32_t a = 0; a < list->actions; a++) {
        const struct pp_action *action = &list->action[a];
        const struct pp_pass *pass = &list->pass[action->pass];
        bool apart = action->bracket < batch->bracket_cap &&
                     (*pp_batch_status(batch, action->bracket, s) & PP_APART) != 0;
        if (pass->kind != PP_PASS_RENDER && !apart && pass->bracket < batch->bracket_cap)
            *pp_batch_status(batch, pass->bracket, s) &= (uint8_t)~PP_APART;
    }
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
    const uint8_t apart = *status & PP_APART;
    /* The GPU did nothing but this bracket's commands between two times without work. Barriers alone do not
     * achieve this: the GPU's reports distinguish submissions, but not passes of one submission. */
    bool serialized = device->session->config.serialize && (apart || batch->isolated == PP_ISOLATED_ALL);
    if (*status != (PP_NOT_AVAILABLE | apart) || !pp_status_has_value(time) || !set->events)
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
                                  serialized, pp_batch_row(batch, bracket, 1) + device->offset[s], status);
    if (rc)
        *status = rc == -EAGAIN ? PP_NOT_AVAILABLE : PP_LOST;
    *status |= apart;
    if (rc == -EAGAIN && patient)
        return -EAGAIN;
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
        if (batch->isolated == PP_ISOLATED_PASSES)
            join_actions(batch, s);
        for (uint32_t b = 0; b < brackets; b++) {
            int rc = look_up(batch, b, s, patient);
            if (rc)
                return rc;
        }
    }
    return 0;
}
