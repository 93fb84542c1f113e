/** @file
 * See tracker.h. The pass tracker, a state machine; action of another kind or to another target ──> close
 * open pass ──> open pass ──> count explicit begin ───────────────────────────────> close open pass ──> open
 * pass explicit end, pp_track_end ───────────────────> close open pass pp_track_barrier, and no pass is open
 * ────────> open pass pp_track_pause ───────────────────────────────> close open pass, which the next action
 * may continue
 *
 * At level frame there is one pass of kind FRAME. The first action opens it, and pp_track_end() closes it.
 *
 * Call stacks of passes and actions: an interface between the tracker and a front end that notes the stack of
 * what begins. See pp_track_stacks() in tracker.h. */
#include "core/engine/tracker.h"

#include <assert.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/util/compiler.h"

void
pp_track_init(struct pp_tracker *tracker, const struct pp_frontend_ops *ops, void *user,
              struct pp_action_list *action_list, enum pp_level level)
{
    memset(tracker, 0, sizeof(*tracker));
    tracker->ops = ops;
    tracker->user = user;
    tracker->action_list = action_list;
    tracker->level = (uint8_t)level;
    tracker->open_action_bracket = PP_NO_BRACKET;
    tracker->met = PP_NO_BRACKET;
}

static struct pp_pass *
open_pass(struct pp_tracker *tracker)
{
    assert(tracker->open_pass < tracker->action_list->passes);
    return &tracker->action_list->pass[tracker->open_pass];
}

static void
close_pass(struct pp_tracker *tracker, uint8_t flags)
{
    if (tracker->open_kind == PP_PASS_NONE)
        return;
    struct pp_pass *pass = open_pass(tracker);
    pass->flags |= flags;
    if (!(flags & PP_PASS_SUSPENDED))
        tracker->ops->bracket_end(tracker->user, pass->bracket, tracker->open_kind);
    tracker->open_kind = PP_PASS_NONE;
}

static bool
make_room(struct pp_tracker *tracker, uint32_t actions)
{
    if (pp_track_has_room(tracker->action_list, actions))
        return true;
    tracker->met = PP_NO_BRACKET; /* the action list may be another one then */
    if (tracker->ops->action_list_full(tracker->user, tracker) ||
        !pp_track_has_room(tracker->action_list, actions)) {
        tracker->dropping = 1;
        return false;
    }
    return true;
}

/* Begin a pass when none is open. If the action list is full, no pass is open afterwards and the tracker
 * drops. */
static void
begin_pass(struct pp_tracker *tracker, enum pp_pass_kind kind, pp_render_target_id render_target,
           uint8_t flags)
{
    tracker->paused = PP_PASS_NONE;
    if (tracker->dropping || !make_room(tracker, 0))
        return;
    struct pp_action_list *action_list = tracker->action_list;
    struct pp_pass *pass = &action_list->pass[action_list->passes];
    memset(pass, 0, sizeof(*pass));
    pass->kind = (uint8_t)kind;
    pass->flags = (uint8_t)(flags | (tracker->conditional ? PP_PASS_CONDITIONAL : 0));
    pass->render_target = render_target;
    pass->label = tracker->label;
    pass->program = tracker->program;
    pass->bracket = action_list->brackets++;
    tracker->open_pass = action_list->passes++;
    tracker->open_kind = (uint8_t)kind;
    tracker->open_target = tracker->target;
    /* A resumed pass's begin is in the suspended one: nothing may be written between the two. */
    if (!(flags & PP_PASS_CONTINUED))
        tracker->ops->bracket_begin(tracker->user, pass->bracket, kind);
}

static void
begin_implicit(struct pp_tracker *tracker, enum pp_pass_kind kind)
{
    pp_render_target_id render_target = 0;
    if (kind == PP_PASS_RENDER && tracker->ops->render_target)
        render_target = tracker->ops->render_target(tracker->user);
    begin_pass(tracker, kind, render_target, 0);
}

/* Go on with the last pass, which is closed, in a part with a begin of its own: times and counts add up. */
static bool
continue_pass(struct pp_tracker *tracker, enum pp_pass_kind kind, pp_render_target_id render_target,
              pp_label_id label)
{
    uint64_t target = tracker->open_target;
    begin_pass(tracker, kind, render_target, 0);
    if (tracker->open_kind == PP_PASS_NONE)
        return false;
    open_pass(tracker)->flags |= PP_PASS_CONTINUED;
    open_pass(tracker)->label = label;
    tracker->open_target = target;
    return true;
}

bool
pp_track_resume(struct pp_tracker *tracker)
{
    if (tracker->paused == PP_PASS_NONE || tracker->dropping)
        return false;
    const struct pp_pass *pass = open_pass(tracker);
    return continue_pass(tracker, (enum pp_pass_kind)tracker->paused, pass->render_target, pass->label);
}

/* Do actions of a pass of this kind continue the paused pass? */
static bool
goes_on(const struct pp_tracker *tracker, enum pp_pass_kind kind)
{
    return tracker->paused == kind && (kind != PP_PASS_RENDER || tracker->open_target == tracker->target);
}

void
pp_track_action_switch(struct pp_tracker *tracker, enum pp_action_kind kind, uint32_t count)
{
    enum pp_pass_kind pass_kind =
        tracker->level == PP_LEVEL_FRAME ? PP_PASS_FRAME : pp_action_pass_kind(kind);
    if (tracker->dropping || tracker->explicit_pass) {
        tracker->dropped += count;
        return;
    }
    if (!goes_on(tracker, pass_kind) || !pp_track_resume(tracker)) {
        tracker->met = tracker->open_kind == PP_PASS_NONE ? PP_NO_BRACKET : open_pass(tracker)->bracket;
        close_pass(tracker, 0);
        begin_implicit(tracker, pass_kind);
        tracker->met = PP_NO_BRACKET;
    }
    if (tracker->open_kind == PP_PASS_NONE)
        tracker->dropped += count;
    else
        pp_track_count(open_pass(tracker), kind, count);
}

/* Outside explicit passes the front end may exchange the action list. Then the pass is closed before the
 * exchange and continues in the new action list. */
bool
pp_track_make_action_room(struct pp_tracker *tracker)
{
    if (tracker->dropping || tracker->only_counts)
        return false;
    if (pp_track_has_room(tracker->action_list, 1))
        return true;
    const struct pp_pass *pass = open_pass(tracker);
    enum pp_pass_kind kind = (enum pp_pass_kind)tracker->open_kind;
    pp_render_target_id render_target = pass->render_target;
    pp_label_id label = pass->label;
    if (!tracker->explicit_pass)
        close_pass(tracker, 0);
    bool room = make_room(tracker, 1);
    if (!room && !tracker->action_list) { /* it was handed on, and there is no other one */
        tracker->dropped++;
        return false;
    }
    if (!room) { /* passes need little memory, and their counts are right without the actions */
        tracker->dropping = 0;
        tracker->only_counts = 1;
        tracker->action_list->lacks_actions = true;
    }
    if (!tracker->explicit_pass && !continue_pass(tracker, kind, render_target, label))
        return false;
    return room;
}

void
pp_track_pass_begin(struct pp_tracker *tracker, enum pp_pass_kind kind, pp_render_target_id render_target,
                    uint8_t flags)
{
    if (tracker->level == PP_LEVEL_FRAME) {
        if (tracker->open_kind == PP_PASS_NONE)
            begin_pass(tracker, PP_PASS_FRAME, 0, flags);
    } else {
        close_pass(tracker, 0);
        begin_pass(tracker, kind, render_target, flags);
    }
    tracker->explicit_pass = 1;
}

void
pp_track_pass_end(struct pp_tracker *tracker, uint8_t flags)
{
    tracker->explicit_pass = 0;
    if (tracker->level != PP_LEVEL_FRAME || (flags & PP_PASS_SUSPENDED))
        close_pass(tracker, flags);
}

void
pp_track_barrier(struct pp_tracker *tracker, pp_render_target_id render_target)
{
    if (tracker->open_kind == PP_PASS_BARRIER)
        open_pass(tracker)->render_target = render_target;
    else
        begin_pass(tracker, PP_PASS_BARRIER, render_target, 0);
}

struct pp_pass *
pp_track_open_pass(struct pp_tracker *tracker)
{
    bool any = tracker->open_kind != PP_PASS_NONE || tracker->paused != PP_PASS_NONE;
    return any ? open_pass(tracker) : NULL;
}

uint32_t
pp_track_open_draws(const struct pp_tracker *tracker)
{
    if (tracker->open_kind == PP_PASS_NONE && tracker->paused == PP_PASS_NONE)
        return 0;
    const struct pp_pass *pass = &tracker->action_list->pass[tracker->open_pass];
    uint32_t draws = pass->draws;
    while (draws < 2 && (pass->flags & PP_PASS_CONTINUED) && pass > tracker->action_list->pass)
        draws += (--pass)->draws;
    return draws;
}

void
pp_track_pause(struct pp_tracker *tracker)
{
    uint8_t kind = tracker->open_kind;
    if (kind == PP_PASS_NONE || tracker->explicit_pass || tracker->open_action_bracket != PP_NO_BRACKET)
        return;
    close_pass(tracker, 0);
    tracker->paused = kind;
}

void
pp_track_end(struct pp_tracker *tracker)
{
    pp_track_action_end(tracker);
    close_pass(tracker, 0);
    tracker->paused = PP_PASS_NONE;
    tracker->explicit_pass = 0;
    tracker->dropping = 0;
    tracker->only_counts = 0;
}

static PP_SLOW void
begin_pass_with_stack(struct pp_tracker *tracker, uint32_t bracket, enum pp_pass_kind kind)
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
        begin_pass_with_stack(tracker, bracket, kind);
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
