/** @file
 * The pass tracker, a state machine that both front ends share. Front ends report render targets, labels and
 * actions in the application's order. The tracker finds where passes begin and end, counts, and asks the
 * front end to write snapshots there. A tracker belongs to one GL context or one Vulkan command buffer, which
 * the API already synchronises, so it has no lock. This file knows no graphics API. See also batch.h.
 *
 * Call stacks of passes and actions (option --call-graph). */
#ifndef PP_CORE_ENGINE_TRACKER_H
#define PP_CORE_ENGINE_TRACKER_H

#include "core/config/config.h"
#include "core/model/action_list.h"
#include "core/util/compiler.h"

struct pp_batch;
struct pp_stacks;
struct pp_tracker;

/** Interface of a front end: functions that the tracker calls. `user` is pp_tracker.user. All functions
 * are called on the application's thread that records, with the context current or the command buffer
 * recording. They must not block, allocate, or call the application. */
struct pp_frontend_ops {
    const char *api; /**< "gl", "vulkan", ...: mandatory */

    /** Mandatory. Write the begin snapshots of bracket @p bracket here, in the stream of commands. @p kind
     * says what follows, so that a source may decide (statistics cannot span some passes). */
    void (*bracket_begin)(void *user, uint32_t bracket, enum pp_pass_kind kind);

    /** Mandatory. Write the end snapshots of bracket @p bracket here. If a draw's bracket is inside a
     * pass's bracket, the ends are called in reverse order of the begins. */
    void (*bracket_end)(void *user, uint32_t bracket, enum pp_pass_kind kind);

    /** Render target in use, asked when a render pass begins without an explicit target. May query the
     * API. NULL: every render pass is explicit. */
    pp_render_target_id (*render_target)(void *user);

    /** Mandatory. The action list (tracker->action_list) is too small for another pass, action or bracket.
     * Either enlarge it (pp_action_list_reserve()), or hand it on and install an empty one in
     * tracker->action_list; then return 0. Return -errno to drop everything until the next
     * pp_track_end(). Outside explicit passes no bracket is open: the tracker has closed the pass and
     * continues it afterwards (PP_PASS_CONTINUED). Inside an explicit pass the pass stays open, so the
     * action list must grow in place. */
    int (*action_list_full)(void *user, struct pp_tracker *tracker);
};

/** State of one recorder. Fields are for tracker.c and its inline functions; zero it before pp_track_init().
 */
struct pp_tracker {
    /* immutable after init */
    const struct pp_frontend_ops *ops;
    void *user;
    /* the recorder's thread only */
    struct pp_action_list *action_list; /**< borrowed; the front end may exchange it in action_list_full() or
                                   between pp_track_end() and the next action */
    uint8_t level;                      /**< enum pp_level */
    uint8_t open_kind;                  /**< enum pp_pass_kind of the open pass; NONE: none */
    uint8_t explicit_pass;              /**< inside pp_track_pass_begin() .. pp_track_pass_end() */
    uint8_t dropping;     /**< action_list_full() failed: nothing is recorded until pp_track_end() */
    uint8_t only_counts;  /**< action_list_full() failed for an action: actions are only counted until then */
    uint8_t paused;       /**< enum pp_pass_kind of the last pass, closed by pp_track_pause(); NONE: none */
    uint8_t conditional;  /**< conditional rendering is on */
    uint64_t target;      /**< serial of the current render target, the front end's choice */
    uint64_t open_target; /**< serial that the open render pass renders to */
    uint32_t open_pass;   /**< index in action_list->pass; valid while open_kind or paused is not NONE */
    uint32_t open_action_bracket; /**< bracket of the open action, or PP_NO_BRACKET */
    uint32_t met; /**< while bracket_begin() is called: bracket of the pass that ended in the same call, so
                     that nothing is between the two; PP_NO_BRACKET: none */
    pp_label_id label;     /**< current label path */
    pp_string_id pipeline; /**< current pipeline */
    uint32_t resource;     /**< of the actions that follow; see struct pp_action */
    uint16_t program;      /**< of the passes that follow; see struct pp_pass */
    uint64_t dropped;      /**< actions not recorded */
    /* with call stacks: the interface between tracker and front end */
    struct pp_stacks *stacks; /**< borrowed; NULL: none */
    const struct pp_frontend_ops *below;
    void *below_user;
};

/** One action, as a front end describes it at level draw. */
struct pp_action_info {
    pp_string_id call;
    uint64_t vertices; /**< 0 with indirect: unknown */
    uint32_t instances;
    uint64_t groups;
    uint8_t indirect;
};

/** Prepare a tracker. @p action_list is borrowed and may be set later (before
 * the first action). */
void pp_track_init(struct pp_tracker *tracker, const struct pp_frontend_ops *ops, void *user,
                   struct pp_action_list *action_list, enum pp_level level);

/** Note that the render target changed (OpenGL). @p serial is any number that differs when the framebuffer
 * or its attachments differ; redundant calls cost nothing. The open render pass ends only at the next
 * action to another target, so binding another framebuffer and back does not split the pass. Hot. */
static inline void
pp_track_target(struct pp_tracker *tracker, uint64_t serial)
{
    tracker->target = serial;
}

/** Set the label path for passes and actions that begin from now on. Hot. */
static inline void
pp_track_label(struct pp_tracker *tracker, pp_label_id label)
{
    tracker->label = label;
}

/** The pipeline changed. Hot. */
static inline void
pp_track_pipeline(struct pp_tracker *tracker, pp_string_id pipeline)
{
    tracker->pipeline = pipeline;
}

/** Actions from now on use another resource (struct pp_action). Hot. */
static inline void
pp_track_resource(struct pp_tracker *tracker, uint32_t resource)
{
    tracker->resource = resource;
}

/** A shader program or pipeline is bound. @p handle The API's name of it; 0: none. Hot. */
static inline void
pp_track_program(struct pp_tracker *tracker, uint64_t handle)
{
    tracker->program = (uint16_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    if (tracker->open_kind == PP_PASS_NONE)
        return;
    struct pp_pass *pass = &tracker->action_list->pass[tracker->open_pass];
    if (pass->draws == 0 && pass->dispatches == 0)
        pass->program = tracker->program;
}

/** Slow path of pp_track_action(): another pass begins, or the paused one goes on. */
void pp_track_action_switch(struct pp_tracker *tracker, enum pp_action_kind kind, uint32_t count);

/** Count @p count commands in an open pass. */
static inline void
pp_track_count(struct pp_pass *pass, enum pp_action_kind kind, uint32_t count)
{
    if (kind <= PP_ACTION_MESH_TASKS)
        pass->draws += count;
    else if (kind == PP_ACTION_CLEAR)
        return;
    else if (kind <= PP_ACTION_BUILD)
        pass->dispatches += count;
    else
        pass->copies += count;
}

/** Count @p count commands of a kind if they belong to the open pass. Calls nothing. @return false: they
 * begin another pass, and nothing was counted. */
static inline bool
pp_track_action_same(struct pp_tracker *tracker, enum pp_action_kind kind, uint32_t count)
{
    uint8_t pass_kind = (uint8_t)pp_action_pass_kind(kind);
    bool same =
        tracker->open_kind == pass_kind &&
        (pass_kind != PP_PASS_RENDER || tracker->open_target == tracker->target || tracker->explicit_pass);
    if (PP_UNLIKELY(!same && tracker->open_kind != PP_PASS_FRAME))
        return false;
    pp_track_count(&tracker->action_list->pass[tracker->open_pass], kind, count);
    return true;
}

/** Count @p count commands of one kind that are about to be issued (levels frame and pass). Call before
 * the real function, so that a begin snapshot is taken before the action. Hot: a load, a compare and an
 * addition if the pass does not change; otherwise the open pass ends and another begins. */
static inline void
pp_track_action(struct pp_tracker *tracker, enum pp_action_kind kind, uint32_t count)
{
    if (!pp_track_action_same(tracker, kind, count))
        pp_track_action_switch(tracker, kind, count);
}

/** Continue the pass that pp_track_pause() closed: a part with a separate bracket begins. @return false:
 * no pass is paused, or the action list is full. */
bool pp_track_resume(struct pp_tracker *tracker);

/** Count @p count commands that belong to whatever pass is open or paused and do not end it. */
static inline void
pp_track_inside(struct pp_tracker *tracker, enum pp_action_kind kind, uint32_t count)
{
    if (tracker->open_kind == PP_PASS_NONE && !pp_track_resume(tracker))
        pp_track_action(tracker, kind, count);
    else
        pp_track_count(&tracker->action_list->pass[tracker->open_pass], kind, count);
}

/** Can the action list hold one more pass, @p actions actions, and a bracket for each of them? */
static inline bool
pp_track_has_room(const struct pp_action_list *action_list, uint32_t actions)
{
    return action_list && action_list->passes < action_list->pass_cap &&
           action_list->actions + actions <= action_list->action_cap &&
           action_list->brackets < action_list->bracket_cap &&
           action_list->bracket_cap - action_list->brackets > 1;
}

/** Slow path of pp_track_record(): make the action list large enough for one more action in the open pass.
 * @return false: not possible; the tracker drops. */
bool pp_track_make_action_room(struct pp_tracker *tracker);

/** Record an action of the open pass and open its bracket. Does nothing except at level draw. Hot. */
static inline __attribute__((always_inline)) void
pp_track_record(struct pp_tracker *tracker, enum pp_action_kind kind, const struct pp_action_info *info)
{
    if (tracker->level != PP_LEVEL_DRAW || tracker->open_kind == PP_PASS_NONE)
        return;
    bool room = !tracker->dropping && pp_track_has_room(tracker->action_list, 1);
    if (PP_UNLIKELY(!room) && !pp_track_make_action_room(tracker))
        return;
    struct pp_action_list *action_list = tracker->action_list;
    uint32_t bracket = action_list->brackets++;
    action_list->pass[tracker->open_pass].actions++;
    action_list->action[action_list->actions++] = (struct pp_action){
        .kind = (uint8_t)kind,
        .indirect = info->indirect,
        .pass = tracker->open_pass,
        .call = info->call,
        .label = tracker->label,
        .pipeline = tracker->pipeline,
        .instances = info->instances,
        .vertices = info->vertices,
        .groups = info->groups,
        .bracket = bracket,
        .resource = tracker->resource,
    };
    tracker->open_action_bracket = bracket;
    tracker->ops->bracket_begin(tracker->user, bracket, PP_PASS_NONE);
}

/**
 * At level draw: an action begins; its bracket opens. Also does what pp_track_action() does, with a count
 * of one. Follow with pp_track_action_end() after the real function. At other levels the same as
 * pp_track_action().
 */
static inline __attribute__((always_inline)) void
pp_track_action_begin(struct pp_tracker *tracker, enum pp_action_kind kind, const struct pp_action_info *info)
{
    pp_track_action(tracker, kind, 1);
    pp_track_record(tracker, kind, info);
}

/** Begin an action like pp_track_action_begin() that belongs to the open pass of any kind and does not end
 * it, such as an upload to a buffer between two draws. */
static inline void
pp_track_action_inside(struct pp_tracker *tracker, enum pp_action_kind kind,
                       const struct pp_action_info *info)
{
    pp_track_inside(tracker, kind, 1);
    pp_track_record(tracker, kind, info);
}

/** Close the bracket of pp_track_action_begin(). Nothing at other levels. Hot. */
static inline void
pp_track_action_end(struct pp_tracker *tracker)
{
    if (tracker->open_action_bracket == PP_NO_BRACKET)
        return;
    tracker->ops->bracket_end(tracker->user, tracker->open_action_bracket, PP_PASS_NONE);
    tracker->open_action_bracket = PP_NO_BRACKET;
}

/**
 * Begin an explicit pass (Vulkan's render passes). Ends what is open. Call where snapshots may be written,
 * that is before the API's own begin.
 *
 * @param render_target What the pass renders to.
 * @param flags PP_PASS_CONTINUED if it resumes a suspended one.
 */
void pp_track_pass_begin(struct pp_tracker *tracker, enum pp_pass_kind kind,
                         pp_render_target_id render_target, uint8_t flags);

/** End an explicit pass; call after the API's end. @p flags PP_PASS_SUSPENDED if the pass only pauses:
 * then no snapshot is written. */
void pp_track_pass_end(struct pp_tracker *tracker, uint8_t flags);

/** Can a barrier that makes the driver work have a row here? A barrier belongs to the pass that is open,
 * unless that is a pass of barriers. At level frame there are no passes. */
static inline bool
pp_track_takes_barrier(const struct pp_tracker *tracker)
{
    return tracker->level != PP_LEVEL_FRAME && !tracker->explicit_pass && !tracker->dropping &&
           (tracker->open_kind == PP_PASS_NONE || tracker->open_kind == PP_PASS_BARRIER);
}

/** A barrier that makes the driver work is about to be issued, and pp_track_takes_barrier(): begin a pass of
 * barriers, or go on with the open one. @p render_target names what the barriers of the pass do so far. */
void pp_track_barrier(struct pp_tracker *tracker, pp_render_target_id render_target);

/** The open pass, or the last part of the paused one, to note clears and invalidations. NULL if there is
 * none or everything is dropped. */
struct pp_pass *pp_track_open_pass(struct pp_tracker *tracker);

/** Draws in the open or paused pass, in all of its parts; 2 may mean more. */
uint32_t pp_track_open_draws(const struct pp_tracker *tracker);

/** Close the bracket of the open pass, because recorded commands go to the GPU now and the GPU may be idle
 * until more come. Actions of the same kind to the same render target continue the pass
 * (PP_PASS_CONTINUED: same row, times are added). Does nothing inside explicit passes and actions. */
void pp_track_pause(struct pp_tracker *tracker);

/** End the open pass: at a frame's end, a submission, the end of a command buffer, or make-current. No
 * pass lasts longer. Also ends dropping. */
void pp_track_end(struct pp_tracker *tracker);

struct pp_session;

/** Note the call stacks of passes and actions from now on, if the session records stacks. The tracker then
 * calls the front end through an interface that notes the stack first: without stacks nothing is slower. A
 * second call does nothing. @p session may be NULL: no stacks. */
PP_API void pp_track_stacks(struct pp_tracker *tracker, struct pp_session *session);

#endif
