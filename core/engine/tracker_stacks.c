/** @file
 * Call stacks of passes and actions: an interface between the tracker and a front end that notes the stack of
 * what begins. See pp_track_stacks() in tracker_stacks.h. */
#include "core/engine/tracker_stacks.h"

#include "core/engine/session_private.h"

static void
note_and_begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_tracker *tracker = user;
    struct pp_action_list *list = tracker->action_list;
    uint32_t stack = kind == PP_PASS_FRAME ? 0 : pp_stacks_here(tracker->stacks);
    if (kind == PP_PASS_NONE)
        pp_action_list_set_stack(list, list->actions - 1, stack);
    else
        list->pass[tracker->open_pass].stack = stack;
    tracker->below->bracket_begin(tracker->below_user, bracket, kind);
}

static void
end(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_tracker *tracker = user;
    tracker->below->bracket_end(tracker->below_user, bracket, kind);
}

static pp_render_target_id
render_target(void *user)
{
    struct pp_tracker *tracker = user;
    return tracker->below->render_target ? tracker->below->render_target(tracker->below_user) : 0;
}

static int
action_list_full(void *user, struct pp_tracker *tracker)
{
    (void)user;
    return tracker->below->action_list_full(tracker->below_user, tracker);
}

static const struct pp_frontend_ops with_stacks = {
    .api = "stacks",
    .bracket_begin = note_and_begin,
    .bracket_end = end,
    .render_target = render_target,
    .action_list_full = action_list_full,
};

void
pp_track_stacks(struct pp_tracker *tracker, struct pp_session *session)
{
    if (!session || !session->stacks || tracker->stacks)
        return;
    tracker->stacks = session->stacks;
    tracker->below = tracker->ops;
    tracker->below_user = tracker->user;
    tracker->ops = &with_stacks;
    tracker->user = tracker;
}
