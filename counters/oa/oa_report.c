/** @file
 * RPT_ID and timestamps, records of a stream, and the sum of what one context did; see oa_report.h. */
#include "counters/oa/oa_report.h"

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "counters/oa/oa_gpu.h"
#include "counters/util/array_size.h"
#include "counters/util/mul128.h"

/* One report. */

static uint16_t
bits(uint32_t word, unsigned low, unsigned count)
{
    return (uint16_t)((word >> low) & ((1U << count) - 1));
}

void
pp_oa_report_id_decode(unsigned gen, uint32_t rpt_id, struct pp_oa_report_id *ret)
{
    *ret = (struct pp_oa_report_id){.context_valid = true};
    if (gen < PP_OA_GEN8)
        return;
    ret->reason = (uint8_t)bits(rpt_id, 19, gen >= PP_OA_GEN12 ? 7 : 6);
    ret->start_trigger = bits(rpt_id, 18, 1);
    ret->threshold = bits(rpt_id, 17, 1);
    if (gen < PP_OA_GEN9) {
        ret->context_valid = bits(rpt_id, 25, 1);
        ret->timer_enabled = bits(rpt_id, 16, 1);
        return;
    }
    ret->context_valid = bits(rpt_id, 16, 1);
    if (gen < PP_OA_GEN12) {
        ret->has_ratios = true;
        ret->slice_ratio = (uint16_t)(bits(rpt_id, 25, 7) | bits(rpt_id, 9, 2) << 7);
        ret->unslice_ratio = bits(rpt_id, 0, 9);
    }
}

const char *
pp_oa_reason_next(unsigned gen, uint8_t *reason)
{
    static const struct {
        const char *name;
        unsigned first_gen;
    } known[] = {
        {"timer", PP_OA_GEN8},          {"trigger1", PP_OA_GEN8},      {"trigger2", PP_OA_GEN8},
        {"context-switch", PP_OA_GEN8}, {"go-transition", PP_OA_GEN8}, {"clock-ratio-change", PP_OA_GEN9},
        {"mmio-trigger", PP_OA_GEN12},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++) {
        uint8_t bit = (uint8_t)(1U << i);
        if ((*reason & bit) && gen >= known[i].first_gen) {
            *reason = (uint8_t)(*reason & ~bit);
            return known[i].name;
        }
    }
    return NULL;
}

uint64_t
pp_oa_ticks_to_ns(uint64_t ticks, uint64_t timestamp_hz)
{
    return pp_muldiv(ticks, 1000000000, 0, timestamp_hz);
}

uint64_t
pp_oa_ns_to_ticks(uint64_t ns, uint64_t timestamp_hz)
{
    return pp_muldiv(ns, timestamp_hz, 999999999, 1000000000);
}

/* A stream. */

/** Mesa's window. A report is before begin if its distance from begin, modulo the timestamp's wrap, exceeds
 * the window; a report is after end if its distance from end does not exceed the window. */
#define WINDOW_NS       UINT64_C(5000000000)

#define INVALID_CONTEXT UINT32_C(0xffffffff)

static uint32_t
load32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    return le32toh(word);
}

int
pp_oa_stream_next(const uint8_t *bytes, size_t size, uint32_t report_size, size_t *offset,
                  struct pp_oa_record *ret)
{
    if (*offset >= size)
        return 0;
    size_t left = size - *offset;
    const uint8_t *at = bytes + *offset;
    if (left < PP_OA_RECORD_HEADER)
        return -ENODATA;
    uint32_t type = load32(at);
    uint32_t length = (uint32_t)at[6] | (uint32_t)at[7] << 8;
    if (length < PP_OA_RECORD_HEADER)
        return -EBADMSG;
    if (type == PP_OA_RECORD_SAMPLE && length != PP_OA_RECORD_HEADER + report_size)
        return -EBADMSG;
    if (length > left)
        return -ENODATA;
    *ret = (struct pp_oa_record){
        .type = type,
        .offset = *offset,
        .report = type == PP_OA_RECORD_SAMPLE ? at + PP_OA_RECORD_HEADER : NULL,
    };
    *offset += length;
    return 1;
}

/** A summation in progress. */
struct walk {
    const struct pp_oa_machine *machine;
    const struct pp_field *id, *time, *context; /**< fields of the layout */
    const uint8_t *begin, *end, *last;
    struct pp_oa_sum *sum;
    unsigned foreign; /**< consecutive reports of other contexts */
    bool last_match;
};

static uint64_t
ticks_between(const struct walk *walk, const uint8_t *from, const uint8_t *to)
{
    unsigned width = (unsigned)walk->time->part[0].bits + walk->time->part[1].bits;
    uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    return (pp_field_read(walk->time, to) - pp_field_read(walk->time, from)) & mask;
}

static uint64_t
ns_between(const struct walk *walk, const uint8_t *from, const uint8_t *to)
{
    return pp_oa_ticks_to_ns(ticks_between(walk, from, to), walk->machine->timestamp_hz);
}

/** Could this counter have wrapped more than once in @p ns? The question makes no sense for GPU_TIME, which
 * measures the gap itself. */
static bool
wrapped_twice(const struct pp_oa_machine *machine, const struct pp_field *field, uint64_t ns)
{
    unsigned width = (unsigned)field->part[0].bits + field->part[1].bits;
    uint64_t rate = machine->max_clock_hz;
    if (rate == 0 || width >= 64 || strcmp(field->name, "GPU_TIME") == 0)
        return false;
    if (field->name[0] == 'A' && machine->eus)
        rate *= machine->eus;
    double clocks = (double)ns * 1e-9 * (double)rate;
    return clocks >= (double)(UINT64_C(1) << width);
}

static void
add_segment(struct walk *walk, const uint8_t *from, const uint8_t *to)
{
    const struct pp_layout *layout = walk->machine->layout;
    struct pp_oa_sum *sum = walk->sum;
    uint64_t delta[PP_OA_FIELDS];
    uint8_t status[PP_OA_FIELDS];
    uint64_t ns = ns_between(walk, from, to);
    pp_layout_delta(layout, from, to, delta, status);
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        if (field->mode == PP_FIELD_WRAPS) {
            sum->value[i] += delta[i];
            if (wrapped_twice(walk->machine, field, ns))
                sum->status[i] = PP_WRAPPED;
        } else {
            sum->value[i] = delta[i];
        }
    }
    uint32_t context = (uint32_t)pp_field_read(walk->context, from);
    if (sum->context == INVALID_CONTEXT)
        sum->context = context;
    sum->segments++;
}

static bool
is_ours(const struct walk *walk, const uint8_t *report)
{
    if (walk->machine->gen < PP_OA_GEN8)
        return true;
    struct pp_oa_report_id id;
    pp_oa_report_id_decode(walk->machine->gen, (uint32_t)pp_field_read(walk->id, report), &id);
    return id.context_valid &&
           pp_field_read(walk->context, report) == pp_field_read(walk->context, walk->begin);
}

/** Add one report of the stream. @return False: the report is after the end, and so do all that follow. */
static bool
walk_report(struct walk *walk, const uint8_t *report)
{
    if (ns_between(walk, walk->begin, report) > WINDOW_NS)
        return true;
    if (ns_between(walk, walk->end, report) <= WINDOW_NS)
        return false;
    bool match = is_ours(walk, report);
    walk->foreign = match ? 0 : walk->foreign + 1;
    /* The first report of another context ends the segment of this context. */
    if (walk->last_match && walk->foreign < 2)
        add_segment(walk, walk->last, report);
    else
        walk->sum->disjoint = true;
    walk->last = report;
    walk->last_match = match;
    return true;
}

static void
fail_all(const struct pp_layout *layout, struct pp_oa_sum *sum, enum pp_status status)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        sum->status[i] = (uint8_t)status;
        sum->value[i] = 0;
    }
}

static int
walk_stream(struct walk *walk, const uint8_t *stream, size_t size, size_t *ret_offset)
{
    size_t offset = 0;
    struct pp_oa_record record;
    int rc = 0;
    while ((rc = pp_oa_stream_next(stream, size, walk->machine->layout->size, &offset, &record)) > 0) {
        if (record.type == PP_OA_RECORD_BUFFER_LOST) {
            walk->sum->buffer_lost = true;
            return 0;
        }
        if (record.type == PP_OA_RECORD_REPORT_LOST)
            walk->sum->reports_lost++;
        if (record.type == PP_OA_RECORD_SAMPLE && !walk_report(walk, record.report))
            return 0;
    }
    if (rc < 0 && ret_offset)
        *ret_offset = offset;
    return rc;
}

static int
find_fields(const struct pp_oa_machine *machine, struct walk *walk)
{
    const struct pp_layout *layout = machine->layout;
    int id = pp_layout_field(layout, "RPT_ID"), time = pp_layout_field(layout, "GPU_TIME"),
        context = pp_layout_field(layout, "CTX_ID");
    if (id < 0 || time < 0 || context < 0 || layout->fields > PP_OA_FIELDS || machine->timestamp_hz == 0)
        return -EINVAL;
    walk->id = &layout->field[id];
    walk->time = &layout->field[time];
    walk->context = &layout->field[context];
    return 0;
}

int
pp_oa_sum_context(const struct pp_oa_machine *machine, const uint8_t *begin, const uint8_t *end,
                  const uint8_t *stream, size_t size, struct pp_oa_sum *ret, size_t *ret_offset)
{
    struct pp_oa_sum sum = {.context = INVALID_CONTEXT};
    struct walk walk = {
        .machine = machine, .begin = begin, .end = end, .last = begin, .last_match = true, .sum = &sum};
    int rc = find_fields(machine, &walk);
    if (rc < 0)
        return rc;
    if (!pp_oa_report_written(machine->layout, begin) || !pp_oa_report_written(machine->layout, end)) {
        fail_all(machine->layout, &sum, PP_NOT_AVAILABLE);
        *ret = sum;
        return 0;
    }
    if (machine->gen < PP_OA_GEN12)
        rc = walk_stream(&walk, stream, size, ret_offset);
    if (rc < 0)
        return rc;
    if (sum.buffer_lost) {
        fail_all(machine->layout, &sum, PP_LOST);
    } else {
        /* The last segment always counts, even if the last report belongs to another context: as in Mesa. */
        add_segment(&walk, walk.last, end);
        sum.context_mismatch = machine->gen >= PP_OA_GEN8 &&
                               pp_field_read(walk.context, begin) != pp_field_read(walk.context, end);
    }
    *ret = sum;
    return 0;
}

bool
pp_oa_report_written(const struct pp_layout *layout, const uint8_t *report)
{
    int id = pp_layout_field(layout, "RPT_ID"), time = pp_layout_field(layout, "GPU_TIME");
    return (id < 0 || pp_field_read(&layout->field[id], report) != 0) ||
           (time < 0 || pp_field_read(&layout->field[time], report) != 0);
}
