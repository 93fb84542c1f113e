/** @file
 * Draft rows; see draft.h. */
#include "core/collect/frames/draft.h"

#include <stdatomic.h>

#include "core/collect/frames/kept_frames.h"
#include "core/session/timeline_private.h"

/* State that a held frame would get if the application ended now. */
static enum pp_drafted
fate(const struct pp_queued_frame *queued)
{
    const struct pp_timeline *timeline = queued->timeline;
    bool is_frame = pp_timeline_waits_suffice(timeline, timeline->held, queued->end->times.waits_min);
    return is_frame ? PP_DRAFTED_FRAME : PP_DRAFTED_REST;
}

/* Is the draft of a held frame right? Its fate may have changed, or a slow frame may have followed. */
static bool
is_right(const struct pp_queued_frame *queued)
{
    bool fine = queued->drafted_fine || !queued->keep || queued->drafted == PP_DRAFTED_REST;
    return queued->drafted == fate(queued) && fine;
}

/* Is the draft of any held frame wrong by now? */
static bool
is_outdated(const struct pp_frame_queue *list)
{
    const struct pp_queued_frame *queued = list->held;
    while (queued && (queued->drafted == PP_DRAFTED_NOT || is_right(queued)))
        queued = queued->next;
    return queued != NULL;
}

/* The first part of a frame has the frame's number; later parts have no number yet. */
static uint64_t
number(struct pp_draft *draft, const struct pp_frame_item *end)
{
    return PP_KEY_PART(end->key) ? draft->next_frame++ : end->key >> PP_PART_BITS;
}

static int
add_one(struct pp_draft *draft, struct pp_session *session, struct pp_queued_frame *queued,
        pp_draft_writer write, void *context)
{
    struct pp_frame_item end = *queued->end;
    bool is_frame = fate(queued) == PP_DRAFTED_FRAME;
    end.frame = is_frame ? number(draft, &end) : 0;
    int rc = pp_frame_rows_build(session, &end, is_frame, true, queued->batches, &draft->rows, &draft->notes);
    draft->rows.row.choice = (uint8_t)pp_kept_choice(session, queued, is_frame);
    rc = rc ? rc : write(context, &draft->rows.row);
    queued->drafted = fate(queued);
    queued->drafted_fine = draft->rows.row.choice == PP_ROWS_ALL;
    return rc;
}

void
pp_draft_add(struct pp_draft *draft, struct pp_session *session, const struct pp_frame_queue *list,
             const struct pp_frame_rows *first, pp_draft_writer write, void *context)
{
    if (draft->off || !list->held)
        return;
    if (draft->there && is_outdated(list))
        pp_draft_drop(draft, list);
    if (!draft->there) {
        pp_writers_draft_begin(draft->writers);
        draft->there = true;
        draft->next_frame = atomic_load(&session->frames.next_frame);
        draft->rows.unclaimed_passes = first->unclaimed_passes;
        draft->rows.unclaimed_actions = first->unclaimed_actions;
        draft->notes.draft = true;
    }
    for (struct pp_queued_frame *queued = list->held; queued && !draft->off; queued = queued->next)
        if (queued->drafted == PP_DRAFTED_NOT && !queued->end->dropped && !queued->given_up)
            draft->off = add_one(draft, session, queued, write, context) != 0;
    if (draft->off)
        pp_draft_drop(draft, list);
}

void
pp_draft_drop(struct pp_draft *draft, const struct pp_frame_queue *list)
{
    if (!draft->there)
        return;
    draft->there = false;
    pp_writers_draft_drop(draft->writers);
    pp_frame_rows_finish(&draft->rows);
    for (struct pp_queued_frame *queued = list->held; queued; queued = queued->next)
        queued->drafted = PP_DRAFTED_NOT;
}

void
pp_draft_finish(struct pp_draft *draft)
{
    pp_frame_rows_finish(&draft->rows);
}
