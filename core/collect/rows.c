/** @file
 * Makes rows from batches; see rows.h. */
#include "core/collect/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/frame_times.h"
#include "core/collect/stable_id.h"
#include "core/engine/event_selection.h"
#include "core/engine/system_counters.h"
#include "core/util/array.h"
#include "core/util/log.h"

/* A mapped GPU time may lie this far outside the CPU interval that encloses it before it is refused: clocks
 * drift by some 10 us between two samples a second apart, and the sampling itself is not exact. */
#define SLACK_NS 500000U

/* A decoded bracket. */
struct times {
    struct pp_value start_ns;
    struct pp_value end_ns;
    struct pp_value length_ns;
    uint64_t begin_ticks;
};

static int
grow_rows(struct pp_session *session, struct pp_frame_rows *rows, uint32_t passes, uint32_t actions,
          uint32_t longest)
{
    int rc = pp_array_grow(&rows->row.pass, &rows->pass_cap, passes, sizeof(*rows->row.pass));
    rc = rc ? rc : pp_array_grow(&rows->row.action, &rows->action_cap, actions, sizeof(*rows->row.action));
    size_t values = (size_t)session->columns * (1 + (size_t)passes + actions);
    rc = rc ? rc : pp_array_grow(&rows->values, &rows->value_cap, values, sizeof(*rows->values));
    size_t given = actions ? (size_t)session->columns * passes : 0;
    rc = rc ? rc : pp_array_grow(&rows->given, &rows->given_cap, given, sizeof(*rows->given));
    rc = rc ? rc : pp_array_grow(&rows->givens, &rows->givens_cap, passes, sizeof(*rows->givens));
    rc = rc ? rc : pp_array_grow(&rows->span, &rows->span_cap, (size_t)passes * 2, sizeof(*rows->span));
    return rc ? rc : pp_array_grow(&rows->map, &rows->map_cap, longest, sizeof(*rows->map));
}

static struct pp_value *
take_values(struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_value *value = rows->values + rows->values_used;
    rows->values_used += session->columns;
    return value;
}

/* What the brackets of one batch have in common, looked up once. */
struct source {
    struct pp_batch *batch;
    const struct pp_device *device;
    const struct pp_field *ticks; /* NULL: the device has no timestamps */
    bool whole;                   /* a tick is all of a word, the first of its row */
    uint32_t columns;
    bool covers; /* the words of one source are all columns */
    struct pp_clock_view clock;
    uint64_t slack_ns;   /* by which a time may contradict the CPU's */
    uint64_t longest_ns; /* UINT64_MAX: the CPU does not know when */
};

static struct source
source_of(const struct pp_session *session, struct pp_batch *batch)
{
    const struct pp_device *device = batch->device;
    struct source source = {.batch = batch, .device = device, .longest_ns = UINT64_MAX};
    if (device->timestamp_bits) {
        source.ticks = device->source_set[0]->set.layout->field;
        source.whole = source.ticks->part[0].bits == 64 && source.ticks->part[0].offset == 0 &&
                       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    }
    source.columns = session->columns;
    source.covers = device->sources == 2 && device->source_set[1]->word &&
                    device->source_set[1]->words == session->columns;
    pp_clock_look(&batch->device->clock, &source.clock);
    source.slack_ns = SLACK_NS + source.clock.uncertainty_ns;
    if (batch->cpu_issued_ns && batch->cpu_landed_ns >= batch->cpu_issued_ns)
        source.longest_ns = batch->cpu_landed_ns - batch->cpu_issued_ns + source.slack_ns;
    return source;
}

static enum pp_status
source_status(const struct pp_batch *batch, uint32_t bracket, uint32_t s)
{
    if (bracket >= batch->bracket_cap)
        return PP_NOT_AVAILABLE;
    return (enum pp_status)(batch->status[(size_t)bracket * PP_MAX_SOURCES + s] & ~PP_IN_PARTS);
}

/* Is it a sum of results? */
static bool
in_parts(const struct pp_batch *batch, uint32_t bracket, uint32_t s)
{
    return bracket < batch->bracket_cap &&
           (batch->status[(size_t)bracket * PP_MAX_SOURCES + s] & PP_IN_PARTS) != 0;
}

static const uint8_t *
snapshot(const struct source *source, uint32_t bracket, unsigned end, uint32_t s)
{
    return pp_batch_row(source->batch, bracket, end) + source->device->offset[s];
}

/* Refuse times that contradict the CPU's view: some drivers return absolute clocks or garbage. */
static enum pp_status
plausible(const struct source *source, uint64_t start_ns, uint64_t length_ns)
{
    const struct pp_batch *batch = source->batch;
    if (length_ns > PP_VALUE_MAX || start_ns > PP_VALUE_MAX || start_ns + length_ns > PP_VALUE_MAX)
        return PP_REJECTED;
    if (source->longest_ns == UINT64_MAX)
        return PP_OK;
    if (length_ns > source->longest_ns)
        return PP_REJECTED;
    if (source->clock.method != PP_CLOCK_SAMPLED)
        return PP_OK;
    if (start_ns + source->slack_ns < batch->cpu_issued_ns ||
        start_ns + length_ns > batch->cpu_landed_ns + source->slack_ns)
        return PP_REJECTED;
    return PP_OK;
}

static inline uint64_t
read_ticks(const struct source *source, const uint8_t *from)
{
    uint64_t ticks;
    if (!source->whole)
        return pp_field_read(source->ticks, from);
    memcpy(&ticks, from, sizeof(ticks));
    return ticks;
}

static inline struct times
decode_times(const struct source *source, uint32_t bracket, uint8_t flags, struct pp_frame_notes *notes)
{
    struct times times;
    enum pp_status status = source->ticks ? source_status(source->batch, bracket, 0) : PP_UNSUPPORTED;
    notes->brackets++;
    if (!pp_status_has_value(status)) {
        times.start_ns = times.end_ns = times.length_ns = pp_value_missing(status);
        times.begin_ticks = 0;
        notes->lost += source->ticks && status != PP_DISABLED && status != PP_UNSUPPORTED;
        return times;
    }
    uint64_t begin = read_ticks(source, snapshot(source, bracket, 0, 0));
    uint64_t end = read_ticks(source, snapshot(source, bracket, 1, 0));
    /* A suspended pass has no end, its continuation no begin: the caller joins them. */
    uint64_t length = flags & PP_PASS_SUSPENDED ? 0 : pp_clock_view_interval_ns(&source->clock, begin, end);
    uint64_t start_ns = 0;
    bool mapped = pp_clock_view_map(&source->clock, begin, &start_ns);
    enum pp_status judged = mapped                  ? plausible(source, start_ns, length)
                            : length > PP_VALUE_MAX ? PP_REJECTED
                                                    : PP_OK;
    notes->rejected += judged == PP_REJECTED;
    times.begin_ticks = begin;
    times.length_ns = (struct pp_value){length, judged};
    times.start_ns = mapped ? (struct pp_value){start_ns, judged} : pp_value_missing(PP_UNSUPPORTED);
    times.end_ns = mapped ? (struct pp_value){start_ns + length, judged} : pp_value_missing(PP_UNSUPPORTED);
    return times;
}

/* A driver may return a float that is not finite, or a whole number that no count can reach. */
static bool
is_no_number(const struct pp_field *field, uint64_t image)
{
    double real = 0;
    enum pp_number number = pp_number_image((enum pp_number)field->number);
    if (number == PP_NUMBER_U64)
        return image > PP_VALUE_MAX;
    if (number != PP_NUMBER_F64)
        return false;
    memcpy(&real, &image, sizeof(real));
    return !isfinite(real);
}

/* Report once for a column that the driver returned no finite number. */
static void
say_no_number(const struct source *source, uint16_t column)
{
    struct pp_column *of = &source->device->session->column[column];
    char event[400];
    if (of->said_none)
        return;
    of->said_none = true;
    snprintf(event, sizeof(event), PP_EVENT_NOT_FINITE, of->name);
    pp_device_missing(source->batch->device, event, PP_TEXT_NOT_FINITE);
}

/* What one set of one source counted in a bracket, whatever its fields look like. */
static void
decode_fields(const struct source *source, uint32_t bracket, uint32_t s, const struct pp_source_set *set,
              struct pp_value *counter, struct pp_frame_notes *notes)
{
    uint64_t value[PP_MAX_COLUMNS];
    uint8_t status[PP_MAX_COLUMNS];
    const struct pp_layout *layout = set->set.layout;
    enum pp_status all = source_status(source->batch, bracket, s);
    bool parts = in_parts(source->batch, bracket, s), nonsense = false;
    if (layout->fields > PP_MAX_COLUMNS)
        return;
    if (pp_status_has_value(all))
        pp_layout_delta(layout, snapshot(source, bracket, 0, s), snapshot(source, bracket, 1, s), value,
                        status);
    for (uint32_t i = 0; i < layout->fields; i++) {
        uint16_t column = set->column[i];
        if (column == UINT16_MAX)
            continue;
        if (pp_status_has_value(all) && parts && layout->field[i].not_additive) {
            counter[column] = pp_value_missing(PP_UNSUPPORTED);
        } else if (pp_status_has_value(all) && is_no_number(&layout->field[i], value[i])) {
            counter[column] = pp_value_missing(PP_REJECTED);
            say_no_number(source, column);
            nonsense = true;
        } else if (pp_status_has_value(all)) {
            counter[column] = (struct pp_value){value[i], pp_status_worse(all, (enum pp_status)status[i])};
        } else {
            counter[column] = pp_value_missing(all);
        }
    }
    notes->counts_rejected += nonsense;
}

/* Some of a bracket's words are too large for a count. */
static void
reject_words(const struct source *source, const struct pp_source_set *set, struct pp_value *counter,
             struct pp_frame_notes *notes)
{
    for (uint32_t i = 0; i < set->words; i++) {
        uint32_t column = set->word[i].column;
        if (counter[column].value <= PP_VALUE_MAX ||
            source->device->session->column[column].number != PP_NUMBER_U64)
            continue;
        counter[column] = pp_value_missing(PP_REJECTED);
        say_no_number(source, (uint16_t)column);
    }
    notes->counts_rejected++;
}

/* Decode the counts of a bracket like decode_fields(), where every field is a 64-bit word with the count.
 * @return True: all counts are available. */
static bool
decode_words(const struct source *source, uint32_t bracket, uint32_t s, const struct pp_source_set *set,
             struct pp_value *counter, struct pp_frame_notes *notes)
{
    uint64_t bits = 0;
    enum pp_status all = source_status(source->batch, bracket, s);
    if (!pp_status_has_value(all)) {
        for (uint32_t i = 0; i < set->words; i++)
            counter[set->word[i].column] = pp_value_missing(all);
        return false;
    }
    const uint8_t *end = snapshot(source, bracket, 1, s);
    uint32_t words = set->words;
    if (set->run && words) {
        end += set->word[0].offset;
        counter += set->word[0].column;
        for (uint32_t i = 0; i < words; i++) {
            memcpy(&counter[i].value, end + i * sizeof(uint64_t), sizeof(counter[i].value));
            counter[i].status = all;
            bits |= counter[i].value;
        }
        if (bits > PP_VALUE_MAX)
            reject_words(source, set, counter - set->word[0].column, notes);
        return bits <= PP_VALUE_MAX;
    }
    for (uint32_t i = 0; i < words; i++) {
        struct pp_value *to = &counter[set->word[i].column];
        memcpy(&to->value, end + set->word[i].offset, sizeof(to->value));
        to->status = all;
        bits |= to->value;
    }
    if (bits > PP_VALUE_MAX)
        reject_words(source, set, counter, notes);
    return bits <= PP_VALUE_MAX;
}

/* Count results that were asked for and did not come, or are nonsense. Streams of the kernel leave what has
 * not come as it was; that of a bracket without a time cannot be looked up. */
static void
note_result(const struct source *source, uint32_t bracket, uint32_t s, struct pp_frame_notes *notes)
{
    const struct pp_source_ops *ops = source->device->counter[s].ops;
    enum pp_status status = source_status(source->batch, bracket, s);
    bool late = status == PP_NOT_AVAILABLE && ops && ops->reads == PP_READ_STREAM &&
                pp_status_has_value(source_status(source->batch, bracket, 0));
    notes->counts_lost += status == PP_LOST || late;
    notes->counts_rejected += status == PP_REJECTED;
}

/* Decode what a bracket counted into every column. A column that no source of the bracket fills is
 * unsupported. @return True: every column has a value with status PP_OK, found by the fast path. */
static bool
decode_counters(const struct source *source, uint32_t bracket, struct pp_value *counter,
                struct pp_frame_notes *notes)
{
    const struct pp_batch *batch = source->batch;
    const struct pp_device *device = source->device;
    bool known = bracket < batch->bracket_cap;
    if (source->covers && known && batch->set[(size_t)bracket * PP_MAX_SOURCES + 1] == 0 &&
        batch->status[(size_t)bracket * PP_MAX_SOURCES + 1] == PP_OK) {
        return decode_words(source, bracket, 1, device->source_set[1], counter, notes);
    }
    for (uint32_t i = 0; i < source->columns; i++)
        counter[i] = pp_value_missing(PP_UNSUPPORTED);
    for (uint32_t s = 1; s < device->sources; s++) {
        uint32_t k = known ? batch->set[(size_t)bracket * PP_MAX_SOURCES + s] : 0;
        const struct pp_source_set *set = &device->source_set[s][k];
        if (k >= device->source_sets[s] || !set->set.layout)
            continue;
        note_result(source, bracket, s, notes);
        if (set->word && !in_parts(batch, bracket, s))
            (void)decode_words(source, bracket, s, set, counter, notes);
        else
            decode_fields(source, bracket, s, set, counter, notes);
    }
    return false;
}

/* Under --serialize, note in the row whether it was overlapped by other work. */
static void
note_isolated(const struct pp_session *session, struct pp_value *counter, bool isolated)
{
    if (session->config.serialize && session->isolated != UINT16_MAX)
        counter[session->isolated] = pp_value_ok(isolated);
}

/* Does the row say so far that it was not overlapped? */
static bool
was_isolated(const struct pp_session *session, const struct pp_value *counter)
{
    return session->isolated != UINT16_MAX && counter[session->isolated].value != 0;
}

static bool
is_pass_isolated(const struct pp_batch *batch, const struct pp_pass *pass)
{
    return batch->isolated != PP_ISOLATED_NOTHING && !(pass->flags & PP_PASS_OVERLAPPED);
}

/* Draws of one render pass run together, unless the front end could tell them apart. */
static bool
is_isolated(const struct pp_batch *batch, const struct pp_action *action)
{
    const struct pp_pass *pass = &batch->action_list.pass[action->pass];
    bool only = pass->kind != PP_PASS_RENDER || (pass->flags & PP_PASS_APART) ||
                (pass->actions == 1 && pass->draws + pass->dispatches + pass->copies == 1);
    if (action->overlapped)
        return false;
    return batch->isolated == PP_ISOLATED_ALL || (batch->isolated == PP_ISOLATED_PASSES && only);
}

static struct pp_value
add(struct pp_value a, struct pp_value b)
{
    if (pp_status_has_value(pp_status_worse(a.status, b.status)) && a.value + b.value > PP_VALUE_MAX)
        return pp_value_missing(PP_REJECTED);
    return (struct pp_value){a.value + b.value, pp_status_worse(a.status, b.status)};
}

static void
add_counters(const struct pp_session *session, struct pp_value *to, const struct pp_value *from)
{
    for (uint32_t i = 0; i < session->columns; i++)
        to[i] = pp_counter_add(&session->column[i], to[i], from[i]);
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

/* Note when the GPU worked on a part of a pass: between the parts it may have had nothing to do. */
static void
add_span(struct pp_frame_rows *rows, const struct times *times)
{
    uint64_t *span = &rows->span[2 * (size_t)rows->spans++];
    rows->spans_status =
        pp_status_worse(rows->spans_status, pp_status_worse(times->start_ns.status, times->end_ns.status));
    span[0] = times->start_ns.value;
    span[1] = times->end_ns.value;
}

/* Join a continuation to its row. Behind a suspended part the span from its begin to this end counts. */
static void
join(struct pp_session *session, struct pp_frame_rows *rows, struct pp_pass_row *row,
     const struct source *source, const struct pp_pass *pass, struct pp_frame_notes *notes)
{
    struct pp_value counter[PP_MAX_COLUMNS];
    struct pp_batch *batch = source->batch;
    struct times times;
    if (row->suspended) {
        uint8_t *begin = pass->bracket < batch->bracket_cap ? pp_batch_row(batch, pass->bracket, 0) : NULL;
        if (begin)
            memcpy(begin + batch->device->offset[0], &row->begin_ticks, sizeof(row->begin_ticks));
        times = decode_times(source, pass->bracket, pass->flags, notes);
        row->gpu_time_ns = times.length_ns;
    } else {
        times = decode_times(source, pass->bracket, pass->flags, notes);
        row->gpu_time_ns = add(row->gpu_time_ns, times.length_ns);
    }
    add_span(rows, &times);
    row->suspended = (pass->flags & PP_PASS_SUSPENDED) != 0;
    row->draws += pass->draws;
    row->dispatches += pass->dispatches;
    row->copies += pass->copies;
    row->cleared |= pass->cleared;
    row->discarded |= pass->discarded;
    row->undefined |= pass->undefined;
    for (uint32_t i = 0; i < session->columns; i++)
        counter[i] = pp_value_missing(PP_UNSUPPORTED);
    (void)decode_counters(source, pass->bracket, counter, notes);
    /* a pass was not overlapped if none of its parts was */
    bool before = was_isolated(session, row->counter);
    add_counters(session, row->counter, counter);
    note_isolated(session, row->counter, before && is_pass_isolated(batch, pass));
}

static struct pp_pass_row *
new_pass(struct pp_session *session, struct pp_frame_rows *rows, const struct source *source,
         const struct pp_pass *pass, struct pp_frame_notes *notes)
{
    struct pp_pass_row *row = &rows->row.pass[rows->row.passes];
    struct times times = decode_times(source, pass->bracket, pass->flags, notes);
    memset(row, 0, sizeof(*row));
    row->number = rows->row.passes++;
    row->kind = (enum pp_pass_kind)pass->kind;
    row->render_target = pass->render_target;
    row->label = pass->label;
    row->queue = source->batch->queue;
    row->cleared = pass->cleared;
    row->discarded = pass->discarded;
    row->undefined = pass->undefined;
    row->draws = pass->draws;
    row->dispatches = pass->dispatches;
    row->copies = pass->copies;
    row->gpu_start_ns = times.start_ns;
    row->gpu_time_ns = times.length_ns;
    add_span(rows, &times);
    row->suspended = (pass->flags & PP_PASS_SUSPENDED) != 0;
    row->begin_ticks = times.begin_ticks;
    row->counter = take_values(session, rows);
    (void)decode_counters(source, pass->bracket, row->counter, notes);
    note_isolated(session, row->counter, is_pass_isolated(source->batch, pass));
    return row;
}

static void
build_action(struct pp_session *session, struct pp_frame_rows *rows, const struct source *source,
             const struct pp_action *action, struct pp_frame_notes *notes)
{
    struct pp_action_row *row = &rows->row.action[rows->row.actions++];
    struct times times = decode_times(source, action->bracket, 0, notes);
    row->pass = rows->map[action->pass];
    row->action = action;
    row->gpu_start_ns = times.start_ns;
    row->gpu_time_ns = times.length_ns;
    row->counter = take_values(session, rows);
    row->clean = decode_counters(source, action->bracket, row->counter, notes);
    note_isolated(session, row->counter, is_isolated(source->batch, action));
}

static void
build_batch(struct pp_session *session, struct pp_frame_rows *rows, struct pp_batch *batch,
            struct pp_frame_notes *notes)
{
    const struct pp_action_list *action_list = &batch->action_list;
    const struct source source = source_of(session, batch);
    for (uint32_t i = 0; i < action_list->passes; i++) {
        const struct pp_pass *pass = &action_list->pass[i];
        struct pp_pass_row *row = NULL;
        if (pass->flags & PP_PASS_CONTINUED)
            row = find_continued(rows, pass, batch->queue);
        bool joins = row != NULL;
        if (joins)
            join(session, rows, row, &source, pass, notes);
        else
            row = new_pass(session, rows, &source, pass, notes);
        /* what it goes on from did not come */
        row->partial |= !joins && (pass->flags & PP_PASS_CONTINUED) && rows->row.incomplete;
        bool conditional = (pass->flags & PP_PASS_CONDITIONAL) != 0;
        notes->conditional += conditional && !row->conditional;
        row->conditional |= conditional;
        rows->map[i] = row->number;
    }
    for (uint32_t i = 0; i < action_list->actions; i++)
        if (action_list->action[i].pass < action_list->passes)
            build_action(session, rows, &source, &action_list->action[i], notes);
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

/* Rows of all batches; of a frame that lacks some, with what is not known because of it. */
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
        for (uint32_t c = 0; c < session->columns; c++)
            pass->counter[c] = pp_value_missing(PP_NOT_AVAILABLE);
    }
}

/* pp_pass_row.sums */
enum { SUM_NONE, SUM_WANTED, SUM_BEGUN };

/* Columns of a pass that were given to its work instead. @return How many. */
static uint32_t
find_given(const struct pp_session *session, const struct pp_pass_row *pass, uint16_t *given)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < session->columns; c++)
        if (pass->counter[c].status == PP_DISABLED)
            given[count++] = (uint16_t)c;
    return count;
}

/* Put an action into the sum that the given columns of its pass are. */
static void
sum_action(const struct pp_session *session, struct pp_pass_row *pass, const struct pp_value *counter,
           const uint16_t *given, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint16_t c = given[i];
        pass->counter[c] = pass->sums == SUM_WANTED
                               ? counter[c]
                               : pp_counter_add(&session->column[c], pass->counter[c], counter[c]);
    }
    pass->sums = SUM_BEGUN;
}

/* Add an action to its pass like sum_action(), where all columns are given and plain and the action has
 * all values. Statuses stay unchanged. */
static void
sum_clean_action(struct pp_value *to, const struct pp_value *from, uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c++)
        to[c].value += from[c].value;
}

/* Do values of every column just add up? */
static bool
all_plain(const struct pp_session *session)
{
    bool plain = true;
    for (uint32_t c = 0; c < session->columns; c++)
        plain &= session->column[c].number == PP_NUMBER_U64 && !session->column[c].not_additive;
    return plain;
}

/* At level draw, sources that cannot nest measure the actions. The value of a pass is then the sum over
 * its actions. */
static void
sum_action_into_passes(const struct pp_session *session, struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t i = 0; i < frame->passes && frame->actions; i++) {
        rows->givens[i] = find_given(session, &frame->pass[i], rows->given + (size_t)i * session->columns);
        frame->pass[i].sums = rows->givens[i] ? SUM_WANTED : SUM_NONE;
    }
    bool plain = all_plain(session);
    /* Not in the order of passes: a continuation adds to a pass behind which others may have begun. */
    for (uint32_t w = 0; w < frame->actions; w++) {
        const struct pp_action_row *action = &frame->action[w];
        struct pp_pass_row *pass = &frame->pass[action->pass];
        uint32_t givens = rows->givens[action->pass];
        if (plain && action->clean && pass->sums == SUM_BEGUN && givens == session->columns)
            sum_clean_action(pass->counter, action->counter, givens);
        else if (givens)
            sum_action(session, pass, action->counter, rows->given + (size_t)action->pass * session->columns,
                       givens);
    }
}

static void
sum_frame(struct pp_session *session, struct pp_frame_rows *rows, bool complete)
{
    struct pp_frame_row *frame = &rows->row;
    for (uint32_t c = 0; c < session->columns; c++)
        frame->counter[c] = !complete       ? pp_value_missing(PP_NOT_AVAILABLE)
                            : frame->passes ? pp_value_ok(0)
                                            : pp_value_missing(PP_DISABLED);
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *pass = &frame->pass[i];
        frame->draws += pass->draws;
        frame->dispatches += pass->dispatches;
        frame->copies += pass->copies;
        if (i == 0 && complete && session->columns)
            memcpy(frame->counter, pass->counter, session->columns * sizeof(*frame->counter));
        else
            add_counters(session, frame->counter, pass->counter);
    }
    if (session->config.serialize && session->isolated != UINT16_MAX)
        frame->counter[session->isolated] = pp_value_missing(PP_UNSUPPORTED); /* says nothing of frames */
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
    if (!session->formulas)
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
    int rc = pp_counter_compute(session, row, count);
    free(row);
    return rc;
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
    return grow_rows(session, rows, (uint32_t)passes, (uint32_t)actions, longest);
}

int
pp_frame_build(struct pp_session *session, const struct pp_frame_item *end, bool is_frame, bool complete,
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
    frame->apps = end->apps;
    frame->frame = end->frame;
    frame->timeline = end->timeline;
    frame->level = end->level;
    frame->bound_by = "";
    rows->values_used = 0;
    rows->spans = 0;
    rows->spans_status = PP_OK;
    frame->counter = take_values(session, rows);
    build_batches(session, rows, end, batches, notes);
    sum_action_into_passes(session, rows);
    empty_partial_passes(session, frame);
    sum_frame(session, rows, complete);
    if (is_frame && complete && end->level != PP_LEVEL_FRAME && !notes->draft)
        note_statistics(frame, end->timeline->device);
    if (is_frame)
        pp_system_counters_fill(session->system_counters, end->system_counters,
                                end->system_counters ? end->system_counters +
                                                           pp_system_counters_bytes(session->system_counters)
                                                     : NULL,
                                frame->counter);
    rc = compute_rows(session, rows);
    if (rc)
        return rc;
    pp_frame_gpu_times(rows, end->level != PP_LEVEL_FRAME || end->timeline->device->brackets_submissions,
                       complete);
    if (is_frame) {
        pp_frame_cpu_times(frame, end);
        frame->bound_by = pp_frame_bound_by(frame, &end->times);
        if (end->level == PP_LEVEL_FRAME)
            frame->passes = frame->actions = 0;
    }
    if (!is_frame) {
        frame->first_pass = rows->unclaimed_passes;
        frame->first_action = rows->unclaimed_actions;
        rows->unclaimed_passes += frame->passes;
        rows->unclaimed_actions += frame->actions;
    }
    return pp_identity_assign(&rows->identity, session, frame);
}

void
pp_frame_rows_finish(struct pp_frame_rows *rows)
{
    free(rows->row.pass);
    free(rows->row.action);
    free(rows->values);
    free(rows->span);
    free(rows->map);
    free(rows->given);
    free(rows->givens);
    pp_identity_finish(&rows->identity);
    memset(rows, 0, sizeof(*rows));
}
