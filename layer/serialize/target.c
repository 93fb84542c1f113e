/** @file
 * See target.h. */
#include "layer/serialize/target.h"

struct pp_target
pp_target_empty(void)
{
    return (struct pp_target){NULL, PP_NO_BRACKET, PP_NO_BRACKET};
}

/* Target for pass @p p; if the pass has one action, that action. */
static struct pp_target
target_pass(struct pp_batch *batch, uint32_t p)
{
    const struct pp_action_list *action_list = &batch->action_list;
    const struct pp_pass *pass = &action_list->pass[p];
    bool one = pass->actions == 1 && pass->draws + pass->dispatches + pass->copies == 1;
    for (uint32_t w = 0; one && w < action_list->actions; w++)
        if (action_list->action[w].pass == p)
            return (struct pp_target){batch, action_list->action[w].bracket, pass->bracket};
    return (struct pp_target){batch, pass->bracket, PP_NO_BRACKET};
}

struct pp_target
pp_target_bracket(struct pp_batch *batch, uint32_t bracket)
{
    const struct pp_action_list *action_list = &batch->action_list;
    for (uint32_t p = 0; p < action_list->passes; p++)
        if (action_list->pass[p].bracket == bracket)
            return target_pass(batch, p);
    for (uint32_t w = 0; w < action_list->actions; w++)
        if (action_list->action[w].bracket == bracket)
            return (struct pp_target){batch, bracket, action_list->pass[action_list->action[w].pass].bracket};
    return pp_target_empty();
}

void
pp_target_read(const struct pp_target *target, unsigned end)
{
    struct pp_batch *batch = target->batch;
    if (!batch)
        return;
    if (target->pass != PP_NO_BRACKET) /* the pass is the sum of its actions */
        pp_device_sums(batch->device, batch, target->pass);
    pp_device_read(batch->device, batch, target->bracket, end, batch->frame_set, true);
}

static void
mark_apart(const struct pp_target *target, bool apart)
{
    struct pp_batch *batch = target->batch;
    if (!batch)
        return;
    pp_device_apart(batch->device, batch, target->bracket, apart);
    pp_device_apart(batch->device, batch, target->pass, apart);
}

void
pp_target_apart(const struct pp_target *target, const struct pp_target *around)
{
    mark_apart(target, true);
    mark_apart(around, true);
}

void
pp_target_finish(const struct pp_target *target, bool idle)
{
    if (!idle) {
        pp_target_lose(target);
        return;
    }
    pp_target_read(target, 1);
    mark_apart(target, true);
}

void
pp_target_lose(const struct pp_target *target)
{
    if (target->batch)
        pp_device_unread(target->batch->device, target->batch, target->bracket);
    mark_apart(target, false);
}

struct pp_target
pp_target_only_pass(const struct pp_rewrite *rewrite)
{
    struct pp_batch *only = NULL;
    for (const struct pp_vk_readback *readback = rewrite->first; readback; readback = readback->next) {
        if (!readback->batch || readback->batch->action_list.passes == 0)
            continue;
        if (only || readback->batch->action_list.passes > 1)
            return pp_target_empty();
        only = readback->batch;
    }
    return only && pp_device_wants_apart(only->device) ? target_pass(only, 0) : pp_target_empty();
}

struct pp_target
pp_target_only_pass_of(const struct pp_rewrite *rewrite, uint32_t at, uint32_t items)
{
    const struct pp_vk_readback *only = NULL;
    for (uint32_t i = at; i < at + items; i++) {
        const struct pp_vk_readback *readback = rewrite->item[i].readback;
        if (!readback || !readback->batch || readback->batch->action_list.passes == 0 || readback == only)
            continue;
        if (only || readback->batch->action_list.passes > 1)
            return pp_target_empty();
        only = readback;
    }
    return only && pp_device_wants_apart(only->batch->device) ? target_pass(only->batch, 0)
                                                              : pp_target_empty();
}
