/** @file
 * See rows.h. Makes rows from batches;
 *
 * Sums of values; */
#include "core/collect/rows/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/decode/bracket_decode.h"
#include "core/collect/rows/frame_times.h"
#include "core/collect/rows/stable_id.h"
#include "core/derive/user_metrics.h"
#include "core/derive/verdicts.h"
#include "core/engine/batch_pool.h"
#include "core/engine/session_private.h"
#include "core/events/system_counters.h"
#include "core/session/timeline_private.h"
#include "core/util/heap.h"

/* Bytes of the alignment for one action (stable_id.h): the items of this frame and of the last ones, each
 * four times, and slots of the hash table. */
#define ALIGN_BYTES 512U

static int
grow_rows(struct pp_session *session, struct pp_frame_rows *rows, uint32_t passes, uint32_t actions,
          uint32_t longest)
{
    int rc = pp_array_grow(&rows->row.pass, &rows->pass_cap, passes, sizeof(*rows->row.pass));
    rc = rc ? rc : pp_array_grow(&rows->build, &rows->build_cap, passes, sizeof(*rows->build));
    rc = rc ? rc : pp_array_grow(&rows->row.action, &rows->action_cap, actions, sizeof(*rows->row.action));
    size_t values = ((size_t)session->rows.columns + session->rows.metrics) * (1 + (size_t)passes + actions);
    rc = rc ? rc : pp_array_grow(&rows->values, &rows->value_cap, values, sizeof(*rows->values));
    size_t from_actions = actions ? (size_t)session->rows.columns * passes : 0;
    rc = rc ? rc
            : pp_array_grow(&rows->from_actions, &rows->from_actions_cap, from_actions,
                            sizeof(*rows->from_actions));
    rc = rc ? rc
            : pp_array_grow(&rows->from_actions_count, &rows->from_actions_count_cap, passes,
                            sizeof(*rows->from_actions_count));
    size_t spans = (size_t)passes + (session->config.serialize ? actions : 0);
    rc = rc ? rc : pp_array_grow(&rows->span, &rows->span_cap, spans, sizeof(*rows->span));
    return rc ? rc : pp_array_grow(&rows->map, &rows->map_cap, longest, sizeof(*rows->map));
}

static struct pp_value *
take_values(struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_value *value = rows->values + rows->values_used;
    rows->values_used += session->rows.columns + session->rows.metrics;
    return value;
}

/* Under --serialize, note in the row whether it was overlapped by other work. */
static void
note_isolated(const struct pp_session *session, struct pp_value *counter, bool isolated)
{
    if (session->config.serialize && session->rows.isolated != UINT16_MAX)
        counter[session->rows.isolated] = pp_value_ok(isolated);
}

/* Does the row say so far that it was not overlapped? */
static bool
was_isolated(const struct pp_session *session, const struct pp_value *counter)
{
    return session->rows.isolated != UINT16_MAX && counter[session->rows.isolated].value != 0;
}

static bool
is_pass_isolated(const struct pp_batch *batch, const struct pp_pass *pass)
{
    return batch->isolated != PP_ISOLATED_NOTHING && !(pass->flags & PP_PASS_OVERLAPPED);
}

/* Draws of one render pass run together, unless the front end could separate them. */
static bool
is_isolated(const struct pp_batch *batch, const struct pp_action *action)
{
    const struct pp_pass *pass = &batch->action_list.pass[action->pass];
    bool only = pass->kind != PP_PASS_RENDER || (pass->flags & PP_PASS_ACTIONS_SERIALIZED) ||
                (pass->actions == 1 && pass->draws + pass->dispatches + pass->copies == 1);
    if (action->overlapped)
        return false;
    return batch->isolated == PP_ISOLATED_ALL || (batch->isolated == PP_ISOLATED_PASSES && only);
}

/* The row that a continued pass goes on with. */
static struct pp_pass_row *
find_continued(struct pp_frame_rows *rows, const struct pp_pass *pass, pp_string_id queue)
{
    for (uint32_t i = rows->row.passes; i > 0; i--) {
        struct pp_pass_row *row = &rows->row.pass[i - 1];
        if (row->queue == queue)
            return row->kind == (enum pp_pass_kind)pass->kind ? row : NULL;
    }
    return NULL;
}

/* Join a continuation to its row. After a suspended part the span from its begin to this end counts. */
static void
join(struct pp_session *session, struct pp_frame_rows *rows, struct pp_pass_row *row,
     const struct pp_bracket_reader *reader, const struct pp_pass *pass, struct pp_frame_notes *notes)
{
    struct pp_value counter[PP_MAX_COLUMNS];
    struct pp_batch *batch = reader->batch;
    struct pp_bracket_times times;
    struct pp_pass_build *build = &rows->build[row->number];
    if (build->suspended) {
        uint8_t *begin = pass->bracket < batch->bracket_cap ? pp_batch_row(batch, pass->bracket, 0) : NULL;
        if (begin)
            memcpy(begin + batch->device->offset[PP_SOURCE_TIME], &build->begin_ticks,
                   sizeof(build->begin_ticks));
        times = pp_bracket_decode_times(reader, pass->bracket, pass->flags, notes);
        row->gpu_time_ns = times.length_ns;
    } else {
        times = pp_bracket_decode_times(reader, pass->bracket, pass->flags, notes);
        row->gpu_time_ns = pp_pass_times_sum(row->gpu_time_ns, times.length_ns);
    }
    pp_pass_times_add_part(rows, row->number, batch, pass, &times);
    build->suspended = (pass->flags & PP_PASS_SUSPENDED) != 0;
    row->draws += pass->draws;
    row->dispatches += pass->dispatches;
    row->copies += pass->copies;
    row->cleared |= pass->cleared;
    row->discarded |= pass->discarded;
    row->undefined |= pass->undefined;
    for (uint32_t i = 0; i < session->rows.columns; i++)
        counter[i] = pp_value_missing(PP_UNSUPPORTED);
    (void)pp_bracket_decode_counters(reader, pass->bracket, counter, notes);
    /* a pass was not overlapped if none of its parts was */
    bool before = was_isolated(session, row->counter);
    pp_row_sums_add(session, row->counter, counter);
    note_isolated(session, row->counter, before && is_pass_isolated(batch, pass));
}

static struct pp_pass_row *
new_pass(struct pp_session *session, struct pp_frame_rows *rows, const struct pp_bracket_reader *reader,
         const struct pp_pass *pass, struct pp_frame_notes *notes)
{
    struct pp_pass_row *row = &rows->row.pass[rows->row.passes];
    struct pp_bracket_times times = pp_bracket_decode_times(reader, pass->bracket, pass->flags, notes);
    memset(row, 0, sizeof(*row));
    row->number = rows->row.passes++;
    row->kind = (enum pp_pass_kind)pass->kind;
    row->render_target = pass->render_target;
    row->label = pass->label;
    row->queue = reader->batch->queue;
    row->program = pass->program;
    row->cleared = pass->cleared;
    row->discarded = pass->discarded;
    row->undefined = pass->undefined;
    row->draws = pass->draws;
    row->dispatches = pass->dispatches;
    row->copies = pass->copies;
    row->gpu_start_ns = times.start_ns;
    row->gpu_time_ns = times.length_ns;
    row->stack = pass->stack;
    row->submit_stack = reader->batch->submit_stack;
    rows->build[row->number] = (struct pp_pass_build){.suspended = (pass->flags & PP_PASS_SUSPENDED) != 0,
                                                      .one_by_one = session->config.serialize,
                                                      .begin_ticks = times.begin_ticks,
                                                      .actions_ns = pp_value_ok(0)};
    pp_pass_times_add_part(rows, row->number, reader->batch, pass, &times);
    row->counter = take_values(session, rows);
    (void)pp_bracket_decode_counters(reader, pass->bracket, row->counter, notes);
    note_isolated(session, row->counter, is_pass_isolated(reader->batch, pass));
    return row;
}

static void
build_action(struct pp_session *session, struct pp_frame_rows *rows, const struct pp_bracket_reader *reader,
             uint32_t number, struct pp_frame_notes *notes)
{
    const struct pp_action *action = &reader->batch->action_list.action[number];
    struct pp_action_row *row = &rows->row.action[rows->row.actions++];
    struct pp_bracket_times times = pp_bracket_decode_times(reader, action->bracket, 0, notes);
    row->pass = rows->map[action->pass];
    row->action = action;
    row->stack = pp_action_list_stack(&reader->batch->action_list, number);
    row->gpu_start_ns = times.start_ns;
    row->gpu_time_ns = times.length_ns;
    row->counter = take_values(session, rows);
    row->clean = pp_bracket_decode_counters(reader, action->bracket, row->counter, notes);
    bool isolated = is_isolated(reader->batch, action);
    note_isolated(session, row->counter, isolated);
    pp_pass_times_add_action(&rows->build[row->pass], isolated, row->gpu_time_ns);
}

static void
build_batch(struct pp_session *session, struct pp_frame_rows *rows, struct pp_batch *batch,
            struct pp_frame_notes *notes)
{
    const struct pp_action_list *action_list = &batch->action_list;
    const struct pp_bracket_reader reader = pp_bracket_read_batch(session, batch);
    for (uint32_t i = 0; i < action_list->passes; i++) {
        const struct pp_pass *pass = &action_list->pass[i];
        struct pp_pass_row *row = NULL;
        if (pass->flags & PP_PASS_CONTINUED)
            row = find_continued(rows, pass, batch->queue);
        bool joins = row != NULL;
        if (joins)
            join(session, rows, row, &reader, pass, notes);
        else
            row = new_pass(session, rows, &reader, pass, notes);
        /* the part that this pass continues is missing */
        row->partial |= !joins && (pass->flags & PP_PASS_CONTINUED) && rows->row.incomplete;
        bool conditional = (pass->flags & PP_PASS_CONDITIONAL) != 0;
        struct pp_pass_build *build = &rows->build[row->number];
        notes->conditional += conditional && !build->conditional;
        build->conditional |= conditional;
        rows->map[i] = row->number;
    }
    for (uint32_t i = 0; i < action_list->actions && !rows->coarse; i++)
        if (action_list->action[i].pass < action_list->passes)
            build_action(session, rows, &reader, i, notes);
}

/* Results are missing here: the newest pass of each queue may continue in them. */
static void
note_gap(struct pp_frame_row *frame)
{
    for (uint32_t i = frame->passes; i-- > 0;) {
        uint32_t later = i + 1;
        while (later < frame->passes && frame->pass[later].queue != frame->pass[i].queue)
            later++;
        frame->pass[i].partial |= later == frame->passes;
    }
}

/* Make the rows of all batches. If a batch is missing, mark the passes that it may have continued. */
static void
build_batches(struct pp_session *session, struct pp_frame_rows *rows, const struct pp_frame_item *end,
              struct pp_batch_item *batches, struct pp_frame_notes *notes)
{
    struct pp_frame_row *frame = &rows->row;
    uint32_t expected = 0;
    for (struct pp_batch_item *item = batches; item; item = item->next) {
        if (frame->incomplete && item->batch.number != expected)
            note_gap(frame);
        build_batch(session, rows, &item->batch, notes);
        expected = item->batch.number + 1;
    }
    if (frame->incomplete && expected < end->batches)
        note_gap(frame);
}

/* Empty the values of passes that may continue in missing results, because the known part is too small. */
static void
empty_partial_passes(const struct pp_session *session, struct pp_frame_row *frame)
{
    for (uint32_t i = 0; i < frame->passes && frame->incomplete; i++) {
        struct pp_pass_row *pass = &frame->pass[i];
        if (!pass->partial)
            continue;
        pass->gpu_time_ns = pp_value_missing(PP_NOT_AVAILABLE);
        for (uint32_t c = 0; c < session->rows.columns; c++)
            pass->counter[c] = pp_value_missing(PP_NOT_AVAILABLE);
    }
}

/* The source of pipeline statistics of a device. @return Its first column; UINT16_MAX: it has none. */
static uint16_t
statistics_column(const struct pp_device *device)
{
    for (uint32_t s = 0; s < device->sources; s++)
        if (strcmp(device->source_name[s], "pipeline") == 0 && device->source_set[s][0].set.layout)
            return device->source_set[s][0].column[0];
    return UINT16_MAX;
}

/* Count of how many passes and frames the pipeline statistics are known: a frame has a sum only if all of its
 * passes have. */
static void
note_statistics(const struct pp_frame_row *frame, struct pp_device *device)
{
    uint16_t column = statistics_column(device);
    if (column == UINT16_MAX || frame->passes == 0)
        return;
    for (uint32_t i = 0; i < frame->passes; i++)
        device->statistics.passes += pp_status_has_value(frame->pass[i].counter[column].status);
    device->statistics.of_passes += frame->passes;
    device->statistics.frames += pp_status_has_value(frame->counter[column].status);
    device->statistics.of_frames++;
}

/* Columns that are computed, of every row. */
static int
compute_rows(struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    if (!session->rows.formulas)
        return 0;
    size_t count = 1 + (size_t)frame->passes + frame->actions, at = 0;
    struct pp_value **row = calloc(count, sizeof(*row));
    if (!row)
        return -ENOMEM;
    row[at++] = frame->counter;
    for (uint32_t i = 0; i < frame->passes; i++)
        row[at++] = frame->pass[i].counter;
    for (uint32_t i = 0; i < frame->actions; i++)
        row[at++] = frame->action[i].counter;
    int rc = pp_formulas_compute(session, row, count);
    free(row);
    return rc;
}

/* Compute verdicts, user metrics and label regions from the finished figures. */
static int
finish_rows(struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    pp_row_bottleneck_judge(frame->timeline->device->bound, session, frame);
    int rc = pp_user_metrics_fill(session->user_metrics, session, frame);
    return rc ? rc : pp_label_rows_make(&rows->labels, session, frame);
}

/* Is there memory for the rows of this number of actions, and did the front ends have memory for all? */
static bool
has_memory(const struct pp_session *session, struct pp_frame_rows *rows, const struct pp_batch_item *batches,
           uint32_t actions)
{
    size_t values = (size_t)session->rows.columns + session->rows.metrics;
    size_t each = sizeof(struct pp_action_row) + values * sizeof(struct pp_value) + ALIGN_BYTES;
    for (const struct pp_batch_item *item = batches; item; item = item->next)
        if (item->batch.action_list.lacks_actions)
            return false;
    if (actions <= rows->actions_most)
        return true;
    if (!pp_heap_fits((size_t)2 * actions * each)) /* arrays double */
        return false;
    rows->actions_most = actions;
    return true;
}

static int
reserve_for(struct pp_session *session, struct pp_batch_item *batches, struct pp_frame_rows *rows)
{
    uint64_t passes = 0;
    uint64_t actions = 0;
    uint32_t longest = 0;
    for (struct pp_batch_item *item = batches; item; item = item->next) {
        const struct pp_action_list *action_list = &item->batch.action_list;
        passes += action_list->passes;
        actions += action_list->actions;
        longest = action_list->passes > longest ? action_list->passes : longest;
    }
    if (passes > UINT32_MAX / 2 || actions > UINT32_MAX / 2)
        return -ENOMEM;
    rows->coarse = !has_memory(session, rows, batches, (uint32_t)actions);
    if (rows->coarse)
        actions = 0;
    return grow_rows(session, rows, (uint32_t)passes, (uint32_t)actions, longest);
}

int
pp_frame_rows_build(struct pp_session *session, const struct pp_frame_item *end, bool is_frame, bool complete,
                    struct pp_batch_item *batches, struct pp_frame_rows *rows, struct pp_frame_notes *notes)
{
    struct pp_frame_row *frame = &rows->row;
    int rc = reserve_for(session, batches, rows);
    if (rc)
        return rc;
    struct pp_pass_row *pass = frame->pass;
    struct pp_action_row *action = frame->action;
    memset(frame, 0, sizeof(*frame));
    frame->pass = pass;
    frame->action = action;
    frame->is_frame = is_frame;
    frame->incomplete = !complete;
    frame->user_counters = end->user_counters;
    frame->user_counter_count = end->user_counter_count;
    frame->frame = end->frame;
    frame->timeline = end->timeline;
    frame->level = (uint8_t)(rows->coarse && end->level > PP_LEVEL_PASS ? PP_LEVEL_PASS : end->level);
    frame->bound_by = "";
    rows->values_used = 0;
    rows->spans = 0;
    frame->counter = take_values(session, rows);
    build_batches(session, rows, end, batches, notes);
    pp_pass_times_finish(rows);
    pp_row_sums_of_passes(session, rows);
    empty_partial_passes(session, frame);
    pp_row_sums_of_frame(session, rows, complete);
    if (is_frame && complete && end->level != PP_LEVEL_FRAME && !notes->draft)
        note_statistics(frame, end->timeline->device);
    if (is_frame)
        pp_system_counters_fill(session->sources.system_counters, end->system_counters,
                                end->system_counters
                                    ? end->system_counters +
                                          pp_system_counters_bytes(session->sources.system_counters)
                                    : NULL,
                                frame->counter);
    rc = compute_rows(session, rows);
    if (rc)
        return rc;
    (void)pp_heap_look(); /* much of what it holds, the collector holds now */
    if (rows->coarse && is_frame && !notes->draft)
        pp_memory_coarser(session);
    pp_frame_gpu_times(rows, end->level != PP_LEVEL_FRAME || end->timeline->device->brackets_submissions,
                       complete);
    pp_row_plausibility_check(end->timeline->device->plausibility, end->timeline->device, frame,
                              notes->draft);
    pp_row_estimates_note(session, frame);
    if (is_frame) {
        pp_frame_cpu_times(frame, end);
        frame->stack = end->times.stack;
        const struct pp_thread_times thread =
            pp_system_counters_thread(session->sources.system_counters, frame->counter);
        frame->bound_by = pp_frame_bound_by(frame, &end->times, &thread);
        if (end->level == PP_LEVEL_FRAME)
            frame->passes = frame->actions = 0;
    }
    if (!is_frame) {
        frame->first_pass = rows->unclaimed_passes;
        frame->first_action = rows->unclaimed_actions;
        rows->unclaimed_passes += frame->passes;
        rows->unclaimed_actions += frame->actions;
    }
    if (rows->again)
        pp_row_ids_restore(rows->again, frame);
    else
        rc = pp_stable_id_assign(&rows->identity, session, frame);
    return rc ? rc : finish_rows(session, rows);
}

void
pp_frame_rows_finish(struct pp_frame_rows *rows)
{
    free(rows->row.pass);
    free(rows->row.action);
    free(rows->values);
    free(rows->span);
    free(rows->map);
    free(rows->from_actions);
    free(rows->from_actions_count);
    free(rows->build);
    pp_label_rows_finish(&rows->labels);
    pp_stable_id_finish(&rows->identity);
    memset(rows, 0, sizeof(*rows));
}

/* pp_pass_build.sums */
enum { SUM_NONE, SUM_WANTED, SUM_BEGUN };

void
pp_row_sums_add(const struct pp_session *session, struct pp_value *to, const struct pp_value *from)
{
    for (uint32_t i = 0; i < session->rows.columns; i++)
        to[i] = pp_column_add(&session->rows.column[i], to[i], from[i]);
}

/* Find the columns of a pass that were measured in its actions instead. @return How many. */
static uint32_t
find_from_actions(const struct pp_session *session, const struct pp_pass_row *pass, uint16_t *from_actions)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        if (pass->counter[c].status == PP_DISABLED)
            from_actions[count++] = (uint16_t)c;
    return count;
}

/* Add an action to the columns of its pass that are sums over the actions. */
static void
sum_action(const struct pp_session *session, struct pp_frame_rows *rows, const struct pp_action_row *action,
           const uint16_t *from_actions, uint32_t count)
{
    struct pp_value *to = rows->row.pass[action->pass].counter;
    struct pp_pass_build *build = &rows->build[action->pass];
    for (uint32_t i = 0; i < count; i++) {
        uint16_t c = from_actions[i];
        to[c] = build->sums == SUM_WANTED
                    ? action->counter[c]
                    : pp_column_add(&session->rows.column[c], to[c], action->counter[c]);
    }
    build->sums = SUM_BEGUN;
}

/* Add an action to its pass like sum_action(), where all columns are sums over the actions, each column
 * simply adds up, and the action has all values. Statuses stay unchanged. */
static void
sum_clean_action(struct pp_value *to, const struct pp_value *from, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c++)
        to[c].value += from[c].value;
}

/* Does every column simply add up: whole numbers that are additive? */
static bool
all_add_up(const struct pp_session *session)
{
    bool add_up = true;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        add_up &= session->rows.column[c].number == PP_NUMBER_U64 && !session->rows.column[c].not_additive;
    return add_up;
}

void
pp_row_sums_of_passes(const struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t i = 0; i < frame->passes && frame->actions; i++) {
        rows->from_actions_count[i] = find_from_actions(
            session, &frame->pass[i], rows->from_actions + (size_t)i * session->rows.columns);
        rows->build[i].sums = rows->from_actions_count[i] ? SUM_WANTED : SUM_NONE;
    }
    bool add_up = all_add_up(session);
    /* Not in the order of passes: a continuation adds to a pass after which others may have begun. */
    for (uint32_t a = 0; a < frame->actions; a++) {
        const struct pp_action_row *action = &frame->action[a];
        uint32_t count = rows->from_actions_count[action->pass];
        if (add_up && action->clean && rows->build[action->pass].sums == SUM_BEGUN &&
            count == session->rows.columns)
            sum_clean_action(frame->pass[action->pass].counter, action->counter, count);
        else if (count)
            sum_action(session, rows, action,
                       rows->from_actions + (size_t)action->pass * session->rows.columns, count);
    }
}

void
pp_row_sums_of_frame(struct pp_session *session, struct pp_frame_rows *rows, bool complete)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t c = 0; c < session->rows.columns; c++)
        frame->counter[c] = !complete       ? pp_value_missing(PP_NOT_AVAILABLE)
                            : frame->passes ? pp_value_ok(0)
                                            : pp_value_missing(PP_DISABLED);
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *pass = &frame->pass[i];
        frame->draws += pass->draws;
        frame->dispatches += pass->dispatches;
        frame->copies += pass->copies;
        if (i == 0 && complete && session->rows.columns)
            memcpy(frame->counter, pass->counter, session->rows.columns * sizeof(*frame->counter));
        else
            pp_row_sums_add(session, frame->counter, pass->counter);
    }
    if (session->config.serialize && session->rows.isolated != UINT16_MAX)
        frame->counter[session->rows.isolated] =
            pp_value_missing(PP_UNSUPPORTED); /* not defined for frames */
}

static void
note_row(const struct pp_session *session, struct pp_value *counter)
{
    const struct pp_column *column = session->rows.column;
    for (uint32_t i = 0; i < session->rows.columns; i++)
        if (column[i].estimate)
            counter[column[i].estimate - 1] = pp_value_missing(PP_UNSUPPORTED);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        if (!column[i].estimate)
            continue;
        struct pp_value *says = &counter[column[i].estimate - 1];
        enum pp_status status = counter[i].status;
        if (pp_status_has_value(status))
            *says = pp_value_ok((says->status == PP_OK && says->value) || status == PP_PARTIAL);
        else if (says->status == PP_UNSUPPORTED)
            *says = pp_value_missing(status);
    }
}

void
pp_row_estimates_note(const struct pp_session *session, struct pp_frame_row *frame)
{
    if (!session->rows.estimates)
        return;
    for (uint32_t i = 0; i < frame->passes; i++)
        note_row(session, frame->pass[i].counter);
    for (uint32_t i = 0; i < frame->actions; i++)
        note_row(session, frame->action[i].counter);
}
