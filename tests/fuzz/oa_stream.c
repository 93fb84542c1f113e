/** @file
 * Fuzz target: i915-perf streams. Two reports and a stream of any bytes are summed for any generation and
 * clock, and decoded as columns; both ways of decoding must agree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/snapshot/layout.h"
#include "counters/snapshot/layout_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Layouts with the three fields that a stream needs. */
static const char *const layouts[] = {"oa-a32u40-a4u32-b8-c8",  "oa-gen75-a45-b8-c8", "oa-a12", "oa-c4-b8",
                                      "oa-a24u40-a14u32-b8-c8", "oa-pec64u64"};
static const unsigned generations[] = {PP_OA_GEN7_5, PP_OA_GEN8, PP_OA_GEN9, PP_OA_GEN11, PP_OA_GEN12};

static void
compare_ways(const struct pp_layout *layout, const uint8_t *begin, const uint8_t *end)
{
    uint64_t single[PP_OA_FIELDS], column[PP_OA_FIELDS];
    uint8_t status[PP_OA_FIELDS], wanted[PP_OA_FIELDS];
    _Alignas(64) static uint8_t scratch[65536];
    struct pp_layout_run run[PP_OA_FIELDS];
    struct pp_layout_plan plan = {.run = run};
    struct pp_snapshot_pairs pairs = {.begin = begin, .end = end, .pairs = 1};
    memset(wanted, 1, sizeof(wanted));
    pp_layout_plan(layout, wanted, &plan);
    if (pp_layout_plan_scratch_bytes(&plan) > sizeof(scratch))
        abort();
    pp_layout_plan_decode(&plan, &pairs, column, 1, scratch);
    pp_layout_delta(layout, begin, end, single, status);
    for (uint32_t i = 0; i < layout->fields; i++) {
        if (single[i] != column[pp_layout_plan_column(&plan, i)])
            abort();
    }
}

static void
check_sum(const struct pp_oa_machine *machine, const struct pp_oa_sum *sum, size_t size)
{
    if (sum->segments > 1 + size / machine->layout->size)
        abort();
    for (uint32_t i = 0; i < machine->layout->fields; i++) {
        if (sum->status[i] >= PP_STATUS_COUNT)
            abort();
        if (sum->buffer_lost && pp_status_has_value((enum pp_status)sum->status[i]))
            abort();
    }
}

static void
walk_records(const uint8_t *stream, size_t size, uint32_t report_size)
{
    struct pp_oa_record record;
    size_t offset = 0, before = 0;
    while (pp_oa_stream_next(stream, size, report_size, &offset, &record) > 0) {
        if (offset <= before || offset > size)
            abort();
        if (record.report && (record.report < stream || record.report + report_size > stream + size))
            abort();
        before = offset;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    const struct pp_layout *layout =
        pp_layout_find(layouts[data[0] % (sizeof(layouts) / sizeof(layouts[0]))]);
    struct pp_oa_machine machine = {
        .layout = layout,
        .gen = generations[data[1] % (sizeof(generations) / sizeof(generations[0]))],
        .timestamp_hz = data[2] & 1 ? 12000000 : 1 + (uint64_t)data[2],
        .max_clock_hz = (uint64_t)data[3] << 24,
        .eus = data[3],
    };
    data += 4;
    size -= 4;
    if (size < 2 * (size_t)layout->size)
        return 0;
    /* Copies of the exact size, so that ASan finds a byte too far. */
    size_t rest = size - 2 * (size_t)layout->size, where = 0;
    uint8_t *reports = malloc(2 * (size_t)layout->size), *stream = malloc(rest + !rest);
    if (reports && stream) {
        struct pp_oa_sum sum;
        memcpy(reports, data, 2 * (size_t)layout->size);
        memcpy(stream, data + 2 * (size_t)layout->size, rest);
        walk_records(stream, rest, layout->size);
        int rc = pp_oa_sum_context(&machine, reports, reports + layout->size, stream, rest, &sum, &where);
        if (rc == 0)
            check_sum(&machine, &sum, rest);
        else if (where > rest)
            abort();
        compare_ways(layout, reports, reports + layout->size);
    }
    free(reports);
    free(stream);
    return 0;
}
