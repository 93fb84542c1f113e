/** @file
 * Brackets and reports, joined by GPU timestamp; see oa_history.h. */
#include "counters/oa/oa_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/util/mul128.h"

#define NO_CONTEXT UINT32_MAX

int
pp_oa_history_init(struct pp_oa_history *history, const struct pp_oa_machine *machine, uint32_t capacity)
{
    const struct pp_layout *layout = machine->layout;
    memset(history, 0, sizeof(*history));
    history->machine = *machine;
    history->capacity = capacity;
    history->field_id = pp_layout_field(layout, "RPT_ID");
    history->field_time = pp_layout_field(layout, "GPU_TIME");
    history->field_context = pp_layout_field(layout, "CTX_ID");
    if (history->field_id < 0 || history->field_time < 0 || history->field_context < 0 || capacity < 16 ||
        layout->fields > PP_OA_FIELDS || machine->timestamp_hz == 0)
        return -EINVAL;
    history->kept = calloc(capacity, sizeof(*history->kept));
    history->report = calloc(capacity, layout->size);
    if (history->kept && history->report)
        return 0;
    pp_oa_history_finish(history);
    return -ENOMEM;
}

void
pp_oa_history_finish(struct pp_oa_history *history)
{
    free(history->kept);
    free(history->report);
    history->kept = NULL;
    history->report = NULL;
    history->reports = 0;
}

void
pp_oa_history_change(struct pp_oa_history *history, uint32_t set)
{
    history->set = set;
    history->lost = 0;
}

static uint8_t *
report_at(const struct pp_oa_history *history, uint32_t i)
{
    return history->report + (size_t)i * history->machine.layout->size;
}

static uint32_t
field_of(const struct pp_oa_history *history, int field, const uint8_t *report)
{
    return (uint32_t)pp_field_read(&history->machine.layout->field[field], report);
}

/* Drop the older half of the reports. */
static void
make_room(struct pp_oa_history *history)
{
    uint32_t gone = history->reports / 2, left = history->reports - gone;
    memmove(history->kept, history->kept + gone, left * sizeof(*history->kept));
    memmove(history->report, report_at(history, gone), (size_t)left * history->machine.layout->size);
    history->reports = left;
    history->dropped = true;
}

static void
add_report(struct pp_oa_history *history, const uint8_t *report)
{
    struct pp_oa_report_id id;
    uint32_t time = field_of(history, history->field_time, report);
    uint32_t word = field_of(history, history->field_id, report);
    /* i915 before Linux 6.5 handed reports out before their data was in memory. Such a report is lost. */
    if (word == 0 && time == 0) {
        history->lost = history->lost ? history->lost : PP_OA_RECORD_REPORT_LOST;
        return;
    }
    if (history->reports == history->capacity)
        make_room(history);
    uint32_t i = history->reports;
    struct pp_oa_kept *kept = &history->kept[i];
    pp_oa_report_id_decode(history->machine.gen, word, &id);
    *kept = (struct pp_oa_kept){
        .ticks = UINT64_C(1) << 40 | time,
        .context = id.context_valid ? field_of(history, history->field_context, report) : NO_CONTEXT,
        .entered = id.reason & PP_OA_REASON_CONTEXT_SWITCH,
        .lost = history->lost,
        .set = history->set,
    };
    if (i > 0) { /* undo wraps; reports may be slightly out of order */
        uint32_t last = field_of(history, history->field_time, report_at(history, i - 1));
        kept->ticks = history->kept[i - 1].ticks + (uint64_t)(int64_t)(int32_t)(time - last);
    }
    /* A report that is older than its predecessor would make a segment of negative length. Reports are out of
     * order by microseconds. A step back of more than a second is a pause of minutes: another set was
     * measured, or nothing read the stream and the buffer was lost. No bracket contains the time of the
     * pause. */
    if (i > 0 && kept->ticks < history->kept[i - 1].ticks) {
        if (kept->set == history->kept[i - 1].set && kept->lost != PP_OA_RECORD_BUFFER_LOST &&
            history->kept[i - 1].ticks - kept->ticks < history->machine.timestamp_hz)
            return;
        history->kept[0] = *kept;
        history->kept[0].ticks = UINT64_C(1) << 40 | time;
        history->dropped = true;
        i = 0;
    }
    memcpy(report_at(history, i), report, history->machine.layout->size);
    history->reports = i + 1;
    history->lost = 0;
}

int
pp_oa_history_add(struct pp_oa_history *history, const uint8_t *bytes, size_t size)
{
    struct pp_oa_record record;
    size_t offset = 0;
    int rc = 0;
    while ((rc = pp_oa_stream_next(bytes, size, history->machine.layout->size, &offset, &record)) > 0) {
        if (record.report)
            add_report(history, record.report);
        else if (record.type == PP_OA_RECORD_BUFFER_LOST)
            history->lost = PP_OA_RECORD_BUFFER_LOST;
        else if (record.type == PP_OA_RECORD_REPORT_LOST && !history->lost)
            history->lost = PP_OA_RECORD_REPORT_LOST;
    }
    if (rc < 0)
        history->lost = PP_OA_RECORD_BUFFER_LOST;
    return rc;
}

/* One call of pp_oa_history_between(). */
struct question {
    const struct pp_oa_history *history;
    uint64_t begin, end;  /* ticks, wraps undone */
    uint32_t first, last; /* the reports around them */
    uint32_t context;
    bool serialized;
    bool estimate;
    struct pp_oa_sum *sum;
};

static void
all_fields(const struct pp_oa_history *history, struct pp_oa_sum *sum, enum pp_status status)
{
    memset(sum->value, 0, sizeof(sum->value));
    memset(sum->status, (int)status, history->machine.layout->fields);
}

/* Undo the wraps of a timestamp near the newest report. */
static uint64_t
unwrap(const struct pp_oa_history *history, uint32_t ticks)
{
    uint32_t newest = history->reports - 1;
    uint32_t time = field_of(history, history->field_time, report_at(history, newest));
    return history->kept[newest].ticks + (uint64_t)(int64_t)(int32_t)(ticks - time);
}

/* Index of the first report at or after a time; history->reports: there is none. */
static uint32_t
first_from(const struct pp_oa_history *history, uint64_t ticks)
{
    uint32_t low = 0, high = history->reports;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (history->kept[middle].ticks < ticks)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Did the context run in segment @p i, from report i to the next? */
static bool
ran_in(const struct question *q, uint32_t i)
{
    return q->history->machine.gen < PP_OA_GEN8 || q->history->kept[i].context == q->context;
}

/* Could a field have wrapped twice in this many ticks? */
static bool
too_long(const struct pp_oa_machine *machine, const struct pp_field *field, uint64_t ticks)
{
    unsigned bits = (unsigned)field->part[0].bits + field->part[1].bits;
    double clocks = (double)ticks / (double)machine->timestamp_hz * (double)machine->max_clock_hz;
    if (bits >= 64 || strcmp(field->name, "GPU_TIME") == 0)
        return false;
    if (field->name[0] == 'A')
        clocks *= machine->eus ? machine->eus : 1;
    return clocks >= (double)(UINT64_C(1) << bits);
}

/* Add the part of segment @p i that is inside the bracket. */
static void
add_segment(struct question *q, uint32_t i)
{
    const struct pp_oa_history *history = q->history;
    const struct pp_layout *layout = history->machine.layout;
    uint64_t from = history->kept[i].ticks, to = history->kept[i + 1].ticks;
    uint64_t delta[PP_OA_FIELDS];
    uint8_t status[PP_OA_FIELDS];
    bool all_begin = q->begin <= from || (q->serialized && history->kept[i].entered);
    bool all_end = q->end >= to || (q->serialized && !ran_in(q, i + 1));
    uint64_t first = all_begin ? from : q->begin, last = all_end ? to : q->end;
    bool cut = !all_begin || !all_end;
    pp_layout_delta(layout, report_at(history, i), report_at(history, i + 1), delta, status);
    for (uint32_t f = 0; f < layout->fields; f++) {
        const struct pp_field *field = &layout->field[f];
        if (field->mode != PP_FIELD_WRAPS) {
            q->sum->value[f] = delta[f];
            continue;
        }
        if (cut && to > from)
            delta[f] = pp_muldiv(delta[f], last - first, 0, to - from);
        q->sum->value[f] += delta[f];
        if (history->machine.max_clock_hz && too_long(&history->machine, field, to - from))
            q->sum->status[f] = PP_WRAPPED;
    }
    q->estimate |= cut;
    q->sum->segments++;
}

static bool
is_of_set(const struct question *q, uint32_t set)
{
    for (uint32_t i = q->first; i <= q->last; i++)
        if (q->history->kept[i].set != set)
            return false;
    return true;
}

/* Check for losses inside the bracket. @return False: a buffer was lost. */
static bool
check_losses(struct question *q)
{
    for (uint32_t i = q->first + 1; i <= q->last; i++) {
        if (q->history->kept[i].lost == PP_OA_RECORD_BUFFER_LOST)
            return false;
        q->sum->reports_lost += q->history->kept[i].lost == PP_OA_RECORD_REPORT_LOST;
    }
    return true;
}

static void
sum_up(struct question *q)
{
    for (uint32_t i = q->first; i < q->last; i++) {
        if (ran_in(q, i))
            add_segment(q, i);
        else
            q->sum->disjoint = true;
    }
    q->sum->context_mismatch = !ran_in(q, q->last - 1);
    bool estimate = q->estimate || q->sum->reports_lost || q->sum->context_mismatch;
    for (uint32_t f = 0; f < q->history->machine.layout->fields && estimate; f++)
        if (q->sum->status[f] == PP_OK)
            q->sum->status[f] = PP_PARTIAL;
}

int
pp_oa_history_between(const struct pp_oa_history *history, uint32_t set, uint32_t begin_ticks,
                      uint32_t end_ticks, bool serialized, struct pp_oa_sum *ret)
{
    struct question q = {.history = history, .serialized = serialized, .sum = ret};
    if (history->reports == 0)
        return -EAGAIN;
    q.begin = unwrap(history, begin_ticks);
    q.end = q.begin + (uint64_t)(int64_t)(int32_t)(end_ticks - begin_ticks);
    q.last = first_from(history, q.end > q.begin ? q.end : q.begin + 1);
    if (q.end >= q.begin && q.last == history->reports)
        return -EAGAIN;
    memset(ret, 0, sizeof(*ret));
    ret->context = NO_CONTEXT;
    if (q.end < q.begin) {
        all_fields(history, ret, PP_REJECTED);
        return 0;
    }
    q.first = first_from(history, q.begin + 1);
    if (q.first == 0) { /* before all reports of the history */
        all_fields(history, ret, history->dropped ? PP_LOST : PP_DISABLED);
        return 0;
    }
    q.first--;
    if (!is_of_set(&q, set)) {
        all_fields(history, ret, PP_DISABLED);
        return 0;
    }
    if (!check_losses(&q)) {
        all_fields(history, ret, PP_LOST);
        ret->buffer_lost = true;
        return 0;
    }
    q.context = history->kept[q.first].context;
    if (q.context == NO_CONTEXT)
        q.context = history->kept[q.last - 1].context;
    if (q.context == NO_CONTEXT && history->machine.gen >= PP_OA_GEN8) {
        all_fields(history, ret, PP_REJECTED);
        return 0;
    }
    ret->context = q.context;
    sum_up(&q);
    return 0;
}
