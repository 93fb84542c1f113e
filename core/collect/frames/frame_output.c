/** @file
 * See frame_output.h. From batches to written frames;
 *
 * Draft rows; */
#include "core/collect/frames/frame_output.h"

#include <errno.h>
#include <stdatomic.h>

#include "core/collect/decode/bracket_decode.h"
#include "core/collect/frames/held_frames.h"
#include "core/config/schema.h"
#include "core/control/control.h"
#include "core/session/annotate.h"
#include "core/session/timeline_private.h"
#include "core/util/log.h"

/* Above this many waiting bytes the collector is late. */
#define BEHIND_BYTES ((size_t)2 * PP_SLEEP_BYTES)
#define STREAM_NS    1000000000ULL /* how long a frame waits for streaming sources */
/* An incomplete frame is written after newer frames of its series have been complete for this long. */
#define PASSED_NS 10000000000ULL

/* Give the rows of a frame to the writers, and count those that are written. */
static int
give_to_writers(struct pp_frame_output *output, enum pp_row_choice choice)
{
    struct pp_session_state *state = &output->files->state;
    struct pp_frame_row *row = &output->rows.row;
    row->choice = (uint8_t)choice;
    row->behind =
        atomic_load_explicit(&output->session->transport.waiting_bytes, memory_order_relaxed) > BEHIND_BYTES;
    pp_output_files_note_surface(output->files, row->timeline);
    int rc = pp_writers_frame(output->files->writers, row);
    if (rc)
        return rc;
    if (choice != PP_ROWS_FINE)
        state->taken.frames += row->is_frame;
    if (choice == PP_ROWS_FRAME)
        return 0;
    state->taken.passes += row->passes;
    state->taken.draws += row->actions;
    state->taken.labels += row->labels;
    state->taken.unattributed_passes += row->is_frame ? 0 : row->passes;
    state->taken.kept_frames += row->is_frame;
    return 0;
}

static int
write_rows(struct pp_frame_output *output, const struct pp_queued_frame *queued,
           const struct pp_frame_item *end)
{
    struct pp_session *session = output->session;
    struct pp_session_state *state = &output->files->state;
    bool is_frame = end->head.kind == PP_ITEM_FRAME_END;
    enum pp_row_choice choice = pp_kept_choice(session, queued, is_frame);
    uint64_t conditional = state->notes.conditional;
    pp_draft_drop(&output->draft, &output->queued);
    int rc = pp_frame_rows_build(session, end, is_frame, queued->arrived >= end->batches, queued->batches,
                                 &output->rows, &state->notes);
    const struct pp_frame_row *row = &output->rows.row;
    if (choice == PP_ROWS_FRAME)
        state->notes.conditional = conditional;
    rc = rc ? rc : give_to_writers(output, choice);
    if (rc)
        return rc;
    pp_control_note_frame(atomic_load(&session->control), row);
    if (is_frame && row->cpu_start_ns.status == PP_OK && row->frame_time_ns.status == PP_OK)
        pp_annotate_note_frame(session, row->frame, row->cpu_start_ns.value,
                               row->cpu_start_ns.value + row->frame_time_ns.value);
    state->taken.conditional_passes = state->notes.conditional;
    state->frame_time_ns += is_frame ? row->frame_time_ns.value : 0;
    return 0;
}

/* Look up what the streams counted. @return They have arrived, or the collector does not wait for them. */
static bool
take_streams(const struct pp_queued_frame *queued, bool patient)
{
    for (struct pp_batch_item *item = queued->batches; item; item = item->next)
        if (pp_streams_look_up(&item->batch, patient))
            return false;
    return true;
}

/* Add up the CPU time that passprobe's calls took from the application in this frame. @return This time. */
static uint64_t
count_overhead(struct pp_frame_output *output, const struct pp_queued_frame *queued,
               const struct pp_frame_item *end)
{
    uint64_t overhead_ns = 0;
    for (const struct pp_batch_item *item = queued->batches; item; item = item->next)
        overhead_ns += item->batch.overhead_ns;
    if (end->head.kind == PP_ITEM_FRAME_END)
        pp_overhead_add(&output->files->frame_overhead[end->level], overhead_ns);
    else
        output->files->rest_overhead_ns += overhead_ns;
    return overhead_ns;
}

/* A frame was written: do the frames after it count as first ones? */
static void
count_first(struct pp_session_state *state, const struct pp_frame_row *row)
{
    if (state->past_first || !row->is_frame)
        return;
    state->first_frames++;
    state->past_first = row->draws || row->dispatches || state->first_frames >= PP_FIRST_FRAMES_MAX;
}

/* Make and write the rows of batches that have arrived. */
static void
write_out(struct pp_frame_output *output, const struct pp_queued_frame *queued,
          const struct pp_frame_item *end)
{
    struct pp_session_state *state = &output->files->state;
    if (end->paused) {
        state->not_recorded += end->head.kind == PP_ITEM_FRAME_END;
        return;
    }
    uint64_t overhead_ns = count_overhead(output, queued, end);
    if (end->dropped || output->files->discarding)
        return;
    bool inside = pp_window_cost_counts(output->session, end);
    bool later = state->past_first && end->head.kind == PP_ITEM_FRAME_END;
    if (inside)
        pp_window_cost_begin(&state->window, output->session, state->notes.brackets);
    if (later)
        pp_window_cost_begin(&state->later, output->session, state->notes.brackets);
    int rc = write_rows(output, queued, end);
    if (rc) {
        pp_output_files_fail(output->files, -rc);
        return;
    }
    if (inside)
        pp_window_cost_add(&state->window, output->session, end, overhead_ns, state->notes.brackets);
    if (later)
        pp_window_cost_add(&state->later, output->session, end, overhead_ns, state->notes.brackets);
    count_first(state, &output->rows.row);
    pp_output_files_check_size(output->files);
}

/* Write the fine rows of a frame whose row in frames.csv is written. */
static void
write_fine_rows(struct pp_frame_output *output, const struct pp_queued_frame *queued)
{
    struct pp_frame_notes counted = {.draft = true}; /* the frame's results are counted already */
    struct pp_session_state *state = &output->files->state;
    if (output->files->discarding)
        return;
    pp_draft_drop(&output->draft, &output->queued);
    output->rows.again = &queued->ids;
    int rc = pp_frame_rows_build(output->session, queued->end, true, queued->arrived >= queued->end->batches,
                                 queued->batches, &output->rows, &counted);
    output->rows.again = NULL;
    rc = rc ? rc : give_to_writers(output, PP_ROWS_FINE);
    if (rc) {
        pp_output_files_fail(output->files, -rc);
        return;
    }
    state->notes.conditional += counted.conditional;
    state->taken.conditional_passes = state->notes.conditional;
    pp_output_files_check_size(output->files);
}

/* Write or drop the fine rows of frames of which it is known now whether they are near a slow frame. */
static void
write_kept(struct pp_frame_output *output)
{
    struct pp_queued_frame *queued = NULL;
    while ((queued = pp_kept_take(&output->queued, output->session))) {
        if (queued->keep)
            write_fine_rows(output, queued);
        pp_frame_queue_remove(&output->queued, queued, output->session);
    }
}

/* Report that a frame is written without some of its results. */
static void
count_incomplete(struct pp_frame_output *output, const struct pp_queued_frame *queued)
{
    const struct pp_frame_item *end = queued->end;
    if (pp_frame_queue_complete(queued) || end->dropped || queued->given_up ||
        end->head.kind != PP_ITEM_FRAME_END)
        return;
    output->files->state.incomplete_frames++;
    if (!output->ending)
        pp_log(PP_MSG_INCOMPLETE, queued->timeline->surface);
}

/* Write a frame and free it, even if results are missing. */
static void
write_and_free(struct pp_frame_output *output, struct pp_queued_frame *queued)
{
    struct pp_frame_item *end = queued->end;
    if (pp_frame_queue_complete(queued))
        pp_frame_queue_pass(&output->queued, queued, pp_now_ns());
    count_incomplete(output, queued);
    if (end->dropped || (queued->given_up && end->head.kind == PP_ITEM_FRAME_END))
        output->files->state.dropped_frames++;
    if (end->dropped)
        pp_log(PP_MSG_DROPPED_WAITING);
    if (queued->given_up)
        end->head.kind = PP_ITEM_TIMELINE_END; /* its number as a frame is no longer known */
    bool waits = pp_kept_must_wait(output->session, queued) && !output->files->discarding;
    write_out(output, queued, end);
    if (waits && pp_row_ids_save(&queued->ids, &output->rows.row) == 0)
        pp_kept_wait(&output->queued, queued);
    else
        pp_frame_queue_remove(&output->queued, queued, output->session);
}

void
pp_frame_output_complete(struct pp_frame_output *output, uint64_t now)
{
    struct pp_queued_frame *next = NULL;
    for (struct pp_queued_frame *queued = output->queued.first; queued; queued = next) {
        next = queued->next;
        if (!pp_frame_queue_complete(queued))
            continue;
        if (!take_streams(queued, now != UINT64_MAX && pp_frame_queue_wait(queued, now) < STREAM_NS))
            return;
        write_and_free(output, queued);
    }
}

/* Write draft rows, as far as --max-size allows. */
static int
write_draft(void *context, const struct pp_frame_row *row)
{
    struct pp_frame_output *output = context;
    pp_output_files_note_surface(output->files, row->timeline);
    int rc = pp_writers_frame(output->files->writers, row);
    uint64_t bytes = pp_output_files_size_at_most(output->files);
    return rc == 0 && bytes > output->session->config.max_size_bytes ? -EFBIG : rc;
}

void
pp_frame_output_draft(struct pp_frame_output *output)
{
    if (!output->files->discarding)
        pp_draft_add(&output->draft, output->session, &output->queued, &output->rows, write_draft, output);
}

/* Write the batches of a frame that does not end as rows without a frame, to free memory. */
static void
write_without_end(struct pp_frame_output *output, struct pp_queued_frame *queued)
{
    struct pp_frame_item *end = pp_frame_queue_make_end(queued);
    if (end) {
        take_streams(queued, false);
        write_out(output, queued, end);
    }
    pp_frame_item_destroy(end);
    pp_frame_queue_empty(&output->queued, queued, output->session);
}

/* Limit frames that have not ended to half of all batches that may wait: a series whose frame never ends
 * (a minimised window's) must not block the others. */
static void
bound_open_frames(struct pp_frame_output *output)
{
    struct pp_session *session = output->session;
    const struct pp_frame_queue *list = &output->queued;
    while (list->open_bytes > session->transport.waiting_bytes_max / 2 ||
           list->open_held > PP_BATCHES_MAX / 2) {
        struct pp_queued_frame *queued = pp_frame_queue_give_up(&output->queued);
        if (!queued)
            return;
        pp_log(PP_MSG_DROPPED_ENDLESS, queued->timeline->surface);
        write_without_end(output, queued);
    }
}

/* Write a frame if it is complete now. With streams, pp_frame_output_complete() does it. */
static void
write_if_complete(struct pp_frame_output *output, struct pp_queued_frame *queued)
{
    if (pp_frame_queue_is_held(queued) && queued->arrived >= queued->end->batches)
        pp_held_add(&output->queued, queued);
    else if (pp_frame_queue_complete(queued) && !atomic_load(&output->session->streams))
        write_and_free(output, queued);
}

/* A batch arrived after its frame was written: write its passes and actions as rows without a frame. */
static void
take_late(struct pp_frame_output *output, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    struct pp_queued_frame *queued = pp_frame_queue_find(&output->queued, batch->frame, batch->timeline);
    if (!queued) {
        pp_batch_item_recycle(output->session, item);
        return;
    }
    output->files->state.late_batches += batch->action_list.passes > 0;
    pp_frame_queue_add(&output->queued, queued, item);
    write_without_end(output, queued);
    pp_frame_queue_remove(&output->queued, queued, output->session);
}

static void
take_batch(struct pp_frame_output *output, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    if (batch->frame < batch->timeline->ends_from && !pp_frame_queue_has(&output->queued, batch->frame)) {
        take_late(output, item);
        return;
    }
    struct pp_queued_frame *queued = pp_frame_queue_find(&output->queued, batch->frame, batch->timeline);
    if (!queued) {
        pp_batch_item_recycle(output->session, item);
        return;
    }
    pp_frame_queue_add(&output->queued, queued, item);
    bound_open_frames(output);
    write_if_complete(output, queued);
}

/* With --keep-slower-than: note whether this frame was slow, and write the fine rows of frames before it. */
static void
note_end(struct pp_frame_output *output, struct pp_queued_frame *queued)
{
    uint64_t lost = pp_kept_note_end(&output->queued, output->session, queued);
    output->files->state.keep_lost += lost;
    if (lost)
        pp_log(PP_MSG_KEEP_LOST);
    write_kept(output);
}

static void
take_end(struct pp_frame_output *output, struct pp_frame_item *end)
{
    struct pp_queued_frame *queued = pp_frame_queue_find(&output->queued, end->key, end->timeline);
    if (!queued || queued->end) {
        output->files->state.dropped_frames += end->head.kind == PP_ITEM_FRAME_END;
        pp_frame_item_destroy(end);
        return;
    }
    if (pp_held_handle_end(&output->queued, queued, end))
        pp_frame_output_complete(output, pp_now_ns());
    pp_frame_queue_end(&output->queued, queued, end);
    if (end->timeline->ends_from <= end->key)
        end->timeline->ends_from = end->key + 1;
    pp_frame_queue_forget_older(&output->queued, queued, output->session);
    note_end(output, queued);
    write_if_complete(output, queued);
}

bool
pp_frame_output_drain(struct pp_frame_output *output, uint64_t until_ns)
{
    struct pp_session *session = output->session;
    for (struct pp_item *item = pp_ring_pop(&session->transport.ring); item;
         item = pp_ring_pop(&session->transport.ring)) {
        if (item->kind == PP_ITEM_BATCH)
            take_batch(output, (struct pp_batch_item *)(void *)item);
        else
            take_end(output, (struct pp_frame_item *)(void *)item);
        if (pp_now_ns() >= until_ns)
            return false;
    }
    return true;
}

void
pp_frame_output_incomplete(struct pp_frame_output *output)
{
    const struct pp_session *session = output->session;
    struct pp_frame_queue *list = &output->queued;
    struct pp_queued_frame *queued = NULL;
    size_t bytes = 0;
    uint32_t held = 0;
    while ((queued = pp_frame_queue_passed(list, PASSED_NS)))
        write_and_free(output, queued);
    while ((queued = pp_frame_queue_incomplete(list, &bytes, &held)) &&
           (bytes > session->transport.waiting_bytes_max / 2 || held > PP_BATCHES_MAX / 2))
        write_and_free(output, queued);
}

void
pp_frame_output_all(struct pp_frame_output *output)
{
    struct pp_queued_frame *next = NULL;
    pp_held_end(&output->queued);
    for (struct pp_queued_frame *queued = output->queued.first; queued; queued = next) {
        next = queued->next;
        struct pp_frame_item *end = queued->end ? NULL : pp_frame_queue_make_end(queued);
        if (end)
            pp_frame_queue_end(&output->queued, queued, end);
        if (queued->end)
            write_and_free(output, queued);
        else
            pp_frame_queue_remove(&output->queued, queued, output->session);
    }
    pp_kept_end(&output->queued, output->session);
}

void
pp_frame_output_finish(struct pp_frame_output *output)
{
    pp_frame_rows_finish(&output->rows);
    pp_draft_finish(&output->draft);
}

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
