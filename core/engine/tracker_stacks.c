/** @file
 * Call stacks of passes and actions: an interface between the tracker and a front end that notes the stack of
 * what begins. See pp_track_stacks() in tracker_stacks.h. */
#include "core/engine/tracker_stacks.h"

#include "core/engine/session_private.h"
#include "core/util/compiler.h"

static PP_SLOW void
begin_pass(struct pp_tracker *tracker, uint32_t bracket, enum pp_pass_kind kind)
{
    if (kind != PP_PASS_FRAME)
        tracker->action_list->pass[tracker->open_pass].stack = pp_stacks_here(tracker->stacks);
    tracker->below->bracket_begin(tracker->below_user, bracket, kind);
}

/* Hot for actions. */
static void
begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct pp_tracker *tracker = user;
    if (PP_UNLIKELY(kind != PP_PASS_NONE)) {
        begin_pass(tracker, bracket, kind);
        return;
    }
    uint32_t stack = pp_stacks_here(tracker->stacks);
    struct pp_action_list *list = tracker->action_list;
    pp_action_list_set_stack(list, list->actions - 1, stack);
    tracker->below->bracket_begin(tracker->below_user, bracket, PP_PASS_NONE);
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
    .bracket_begin = begin,
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
