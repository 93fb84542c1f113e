/** @file
 * Intel OA, as far as the vectors do not test it: descriptions, FLEX selections, statuses of sums, broken
 * streams, division in columns. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/oa/oa_set.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/i915/i915_uapi.h"

#if __has_include(<libdrm/i915_drm.h>)
#define HAS_I915_DRM 1
#include <libdrm/i915_drm.h>
#endif

#define REPORT 256

static void
all_descriptions_are_there(void **state)
{
    (void)state;
    struct pp_oa_gpu gpu;
    struct pp_catalogue_set set;
    struct pp_catalogue_metric metric;
    uint32_t gpus = 0, sets = 0, metrics = 0;
    for (; pp_oa_gpu_at(gpus, &gpu) == 0; gpus++) {
        assert_int_equal(gpu.first_set, sets);
        sets += gpu.sets;
        assert_int_equal(pp_layout_check(gpu.layout, NULL), 0);
    }
    for (uint32_t i = 0; i < pp_catalogue_intel.sets; i++) {
        pp_catalogue_intel.set(i, &set);
        assert_int_equal(strlen(set.guid), 36);
        for (uint32_t m = 0; m < set.metrics; m++, metrics++) {
            pp_catalogue_intel.metric(i, m, &metric);
            assert_true(metric.symbol[0] && metric.description[0] && metric.unit[0] && metric.formula[0]);
        }
    }
    /* Counted in the XML: grep -c '<set ', grep -c '<counter '. */
    assert_int_equal(gpus, 19);
    assert_int_equal(sets, 389);
    assert_int_equal(pp_catalogue_intel.sets, 389);
    assert_int_equal(metrics, 11916);
}

static void
known_sets_are_found(void **state)
{
    (void)state;
    struct pp_catalogue_metric metric;
    struct pp_catalogue_set set;
    char name[64];
    int64_t render = pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", "RenderBasic");
    assert_true(render >= 0);
    assert_int_equal(
        pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", "99c1a40e-a090-4354-86e3-4d068bb1917e"), render);
    assert_int_equal(pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", "Nothing"), -ENOENT);
    pp_catalogue_intel.set((uint32_t)render, &set);
    assert_int_equal(set.metrics, 52);
    pp_catalogue_intel.metric((uint32_t)render, 0, &metric);
    assert_string_equal(metric.symbol, "GpuTime");
    pp_catalogue_column_name(&metric, name, sizeof(name));
    assert_string_equal(name, "GpuTime_ns");
    pp_catalogue_intel.metric((uint32_t)render, 3, &metric);
    pp_catalogue_column_name(&metric, name, sizeof(name));
    assert_string_equal(name, "VsThreads");
    assert_ptr_equal(pp_catalogue_find("intel"), &pp_catalogue_intel);
    assert_null(pp_catalogue_find("nobody"));
}

/** Registers of KBL GT2 RenderBasic, read in the XML. */
static void
registers_are_those_of_the_xml(void **state)
{
    (void)state;
    struct pp_oa_register_config config;
    uint32_t set = (uint32_t)pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", "RenderBasic");
    unsigned kinds[3] = {0};
    uint32_t index = 0;
    bool active = false;
    for (; pp_oa_register_config_at(set, index, &config) == 0; index++) {
        kinds[config.kind] += config.pairs;
        for (uint32_t i = 0; i < config.pairs; i++)
            active |= config.kind == PP_OA_REGISTER_FLEX && config.pair[i][0] == 0xe458 &&
                      config.pair[i][1] == 0x5004;
    }
    assert_true(kinds[PP_OA_REGISTER_MUX] > 0 && kinds[PP_OA_REGISTER_BOOLEAN] > 0);
    assert_int_equal(kinds[PP_OA_REGISTER_FLEX], 7);
    assert_true(active);
}

/** Does metric @p m have a value for reports that are all zero? */
static bool
is_available(const struct pp_oa_set *set, uint32_t m)
{
    static const uint8_t zero[2 * REPORT];
    size_t outputs = pp_oa_set_outputs(set);
    const struct pp_snapshot_pairs pairs = {.begin = zero, .end = zero + REPORT, .pairs = 1};
    struct pp_metric_result *result = calloc(outputs, sizeof(*result));
    uint64_t *value = calloc(outputs, sizeof(*value));
    uint8_t *status = calloc(outputs, sizeof(*status));
    void *workspace = aligned_alloc(64, (pp_oa_set_workspace_bytes(set) + 63) / 64 * 64);
    assert_true(result && value && status && workspace);
    for (size_t o = 0; o < outputs; o++)
        result[o] = (struct pp_metric_result){.value = &value[o], .status = &status[o]};
    pp_oa_set_eval_pairs(set, &pairs, result, workspace);
    bool available = status[m] != PP_UNSUPPORTED;
    free(result);
    free(value);
    free(status);
    free(workspace);
    return available;
}

/** Every set of every GPU compiles for its reports, and its metrics are numbers or unavailable for a reason.
 */
static void
every_set_compiles(void **state)
{
    (void)state;
    struct pp_oa_gpu gpu;
    unsigned without = 0;
    for (uint32_t g = 0; pp_oa_gpu_at(g, &gpu) == 0; g++) {
        struct pp_metric_variable variable[PP_OA_GPU_VARIABLES + 3];
        size_t variables = pp_oa_gpu_variables(&gpu, variable);
        variable[variables++] =
            (struct pp_metric_variable){"GpuMaxFrequency", PP_METRIC_U64, {.u = 1000000000}};
        if (gpu.gen >= PP_OA_GEN11)
            variable[variables++] =
                (struct pp_metric_variable){"GpuTimestampFrequency", PP_METRIC_U64, {.u = 12000000}};
        for (uint32_t s = gpu.first_set; s < gpu.first_set + gpu.sets; s++) {
            struct pp_oa_set *set = NULL;
            struct pp_metric_error error = {.message = ""};
            struct pp_catalogue_set about;
            pp_catalogue_intel.set(s, &about);
            if (pp_oa_set_create(s, gpu.layout, variable, variables, NULL, 0, PP_OA_SET_MAXIMA, &set,
                                 &error) < 0)
                fail_msg("%s.%s: metric %zu: %s", gpu.name, about.symbol, error.def, error.message);
            for (uint32_t m = 0; m < about.metrics; m++) {
                struct pp_catalogue_metric metric;
                pp_catalogue_intel.metric(s, m, &metric);
                bool available = is_available(set, m);
                if (!available && !metric.availability[0])
                    fail_msg("%s.%s.%s is not available", gpu.name, about.symbol, metric.symbol);
                without += !available;
            }
            pp_oa_set_destroy(set);
        }
    }
    assert_true(without > 0);
    assert_int_equal(
        pp_oa_set_create(389, gpu.layout, NULL, 0, NULL, 0, 0, &(struct pp_oa_set *){NULL}, NULL), -EINVAL);
}

static void
put(uint8_t *report, const char *name, uint64_t value)
{
    const struct pp_layout *layout = pp_layout_find("oa-a32u40-a4u32-b8-c8");
    int index = pp_layout_field(layout, name);
    const struct pp_field *field = &layout->field[index];
    for (int i = 0; i < 4; i++)
        report[field->part[0].offset + (unsigned)i] = (uint8_t)(value >> (8 * i));
    if (field->part[1].bits)
        report[field->part[1].offset] = (uint8_t)(value >> 32);
}

static struct pp_oa_machine
kaby_lake(void)
{
    return (struct pp_oa_machine){.layout = pp_layout_find("oa-a32u40-a4u32-b8-c8"),
                                  .gen = PP_OA_GEN9,
                                  .timestamp_hz = 12000000,
                                  .max_clock_hz = 1050000000,
                                  .eus = 24};
}

static void
make_pair(uint8_t begin[REPORT], uint8_t end[REPORT], uint64_t ticks)
{
    memset(begin, 0, REPORT);
    memset(end, 0, REPORT);
    put(begin, "RPT_ID", 1000);
    put(begin, "GPU_TIME", 77);
    put(begin, "CTX_ID", 5);
    put(end, "RPT_ID", 1001);
    put(end, "GPU_TIME", 77 + ticks);
    put(end, "CTX_ID", 5);
    put(end, "GPU_CLOCK", 1234);
    put(end, "A7", 9999);
}

static uint8_t
status_of(const struct pp_oa_sum *sum, const char *name)
{
    return sum->status[pp_layout_field(pp_layout_find("oa-a32u40-a4u32-b8-c8"), name)];
}

static void
unseen_wraps_are_marked(void **state)
{
    (void)state;
    struct pp_oa_machine machine = kaby_lake();
    struct pp_oa_sum sum;
    uint8_t begin[REPORT], end[REPORT];
    make_pair(begin, end, UINT64_C(12000000) * 4); /* 4.0 s: 2^32 clocks at 1.05 GHz last 4.09 s */
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_int_equal(status_of(&sum, "GPU_CLOCK"), PP_OK);
    make_pair(begin, end, UINT64_C(12000000) * 5);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_int_equal(status_of(&sum, "GPU_CLOCK"), PP_WRAPPED);
    assert_int_equal(status_of(&sum, "B0"), PP_WRAPPED);
    assert_int_equal(status_of(&sum, "A7"), PP_OK); /* 40 bits at 24 a clock last 43.6 s */
    assert_int_equal(status_of(&sum, "GPU_TIME"), PP_OK);
    make_pair(begin, end, UINT64_C(12000000) * 44);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_int_equal(status_of(&sum, "A7"), PP_WRAPPED);
    machine.max_clock_hz = 0;
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_int_equal(status_of(&sum, "GPU_CLOCK"), PP_OK);
}

static void
missing_reports_give_no_number(void **state)
{
    (void)state;
    struct pp_oa_machine machine = kaby_lake();
    struct pp_oa_sum sum;
    uint8_t begin[REPORT], end[REPORT], nothing[REPORT] = {0};
    static const uint8_t buffer_lost[8] = {3, 0, 0, 0, 0, 0, 8, 0};
    static const uint8_t report_lost[8] = {2, 0, 0, 0, 0, 0, 8, 0};
    make_pair(begin, end, 1000);
    assert_int_equal(pp_oa_sum_context(&machine, begin, nothing, NULL, 0, &sum, NULL), 0);
    for (uint32_t i = 0; i < machine.layout->fields; i++)
        assert_int_equal(sum.status[i], PP_NOT_AVAILABLE);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, buffer_lost, 8, &sum, NULL), 0);
    assert_true(sum.buffer_lost);
    for (uint32_t i = 0; i < machine.layout->fields; i++)
        assert_int_equal(sum.status[i], PP_LOST);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, report_lost, 8, &sum, NULL), 0);
    assert_int_equal(sum.reports_lost, 1);
    assert_int_equal(status_of(&sum, "A7"), PP_OK);
}

static void
brackets_of_two_contexts_are_marked(void **state)
{
    (void)state;
    struct pp_oa_machine machine = kaby_lake();
    struct pp_oa_sum sum;
    uint8_t begin[REPORT], end[REPORT];
    make_pair(begin, end, 1000);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_false(sum.context_mismatch);
    put(end, "CTX_ID", 6);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), 0);
    assert_true(sum.context_mismatch);
}

/** Gen12's counters are saved with the context, so reports of the stream, which count for all contexts, must
 * not be added. */
static void
generations_differ_about_streams(void **state)
{
    (void)state;
    struct pp_oa_machine machine = kaby_lake();
    struct pp_oa_sum sum;
    uint8_t begin[REPORT], end[REPORT], stream[2 * (8 + REPORT)] = {0};
    make_pair(begin, end, 1000);
    for (int i = 0; i < 2; i++) {
        uint8_t *record = stream + (size_t)i * (8 + REPORT);
        record[0] = PP_OA_RECORD_SAMPLE;
        record[6] = (8 + REPORT) & 0xff;
        record[7] = (8 + REPORT) >> 8;
        put(record + 8, "RPT_ID", 0x00080000); /* a timer report without a valid context */
        put(record + 8, "GPU_TIME", 77 + UINT64_C(100) * (uint64_t)(i + 1));
        put(record + 8, "CTX_ID", 9);
        put(record + 8, "A7", UINT64_C(1000) * (uint64_t)(i + 1));
    }
    int a7 = pp_layout_field(machine.layout, "A7");
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, stream, sizeof(stream), &sum, NULL), 0);
    assert_true(sum.disjoint);
    assert_int_equal(sum.value[a7], 1000 + 9999 - 2000); /* without the counts between the two reports */
    machine.gen = PP_OA_GEN12;
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, stream, sizeof(stream), &sum, NULL), 0);
    assert_false(sum.disjoint);
    assert_int_equal(sum.value[a7], 9999);
    machine.gen = PP_OA_GEN7_5;
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, stream, sizeof(stream), &sum, NULL), 0);
    assert_false(sum.disjoint);
    assert_int_equal(sum.segments, 3);
    assert_int_equal(sum.value[a7], 9999);
}

static void
broken_streams_are_located(void **state)
{
    (void)state;
    uint8_t stream[8 + 8 + 8 + REPORT] = {2, 0, 0, 0, 0, 0, 8, 0, 99, 0, 0, 0, 0, 0, 8, 0, 1};
    struct pp_oa_record record;
    size_t offset = 0, where = 0;
    struct pp_oa_machine machine = kaby_lake();
    struct pp_oa_sum sum;
    uint8_t begin[REPORT], end[REPORT];
    make_pair(begin, end, 1000);
    stream[16 + 6] = (8 + REPORT) & 0xff;
    stream[16 + 7] = (8 + REPORT) >> 8;
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream), REPORT, &offset, &record), 1);
    assert_int_equal(record.type, PP_OA_RECORD_REPORT_LOST);
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream), REPORT, &offset, &record), 1);
    assert_int_equal(record.type, 99); /* skipped by its size */
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream) - 1, REPORT, &offset, &record), -ENODATA);
    assert_int_equal(offset, 16);
    assert_int_equal(pp_oa_stream_next(stream, 20, REPORT, &offset, &record), -ENODATA);
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream), 128, &offset, &record), -EBADMSG);
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream), REPORT, &offset, &record), 1);
    assert_ptr_equal(record.report, stream + 24);
    assert_int_equal(pp_oa_stream_next(stream, sizeof(stream), REPORT, &offset, &record), 0);
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, stream, 30, &sum, &where), -ENODATA);
    assert_int_equal(where, 16);
    stream[8 + 6] = 3;
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, stream, sizeof(stream), &sum, &where), -EBADMSG);
    assert_int_equal(where, 8);
    machine.timestamp_hz = 0;
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), -EINVAL);
    machine.timestamp_hz = 1;
    machine.layout = pp_layout_find("mali-block");
    assert_int_equal(pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL), -EINVAL);
}

static void
ticks_and_nanoseconds_are_exact(void **state)
{
    (void)state;
    static const uint64_t hz[] = {12000000, 12500000, 19200000, 999999999};
    uint64_t ticks = 1;
    for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
        for (unsigned k = 0; k < 2000; k++) {
            ticks = ticks * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t some = ticks >> (k % 40 + 20);
            assert_int_equal(pp_oa_ns_to_ticks(pp_oa_ticks_to_ns(some, hz[i]), hz[i]), some);
        }
    }
    assert_int_equal(pp_oa_ticks_to_ns(UINT64_C(1) << 40, 12000000), UINT64_C(91625968981333));
}

/** Gen12's seventh reason of a report, and reasons that older and newer generations lack. */
static void
report_ids_differ_by_generation(void **state)
{
    (void)state;
    struct pp_oa_report_id id;
    uint8_t reason;
    pp_oa_report_id_decode(PP_OA_GEN12, 0x02010000, &id);
    reason = id.reason;
    assert_string_equal(pp_oa_reason_next(PP_OA_GEN12, &reason), "mmio-trigger");
    assert_null(pp_oa_reason_next(PP_OA_GEN12, &reason));
    assert_true(id.context_valid);
    assert_false(id.has_ratios);
    pp_oa_report_id_decode(PP_OA_GEN11, 0x0201003f, &id);
    assert_true(id.has_ratios);
    assert_int_equal(id.slice_ratio, 1);
    assert_int_equal(id.unslice_ratio, 63);
    pp_oa_report_id_decode(PP_OA_GEN7_5, 0xffffffff, &id);
    assert_int_equal(id.reason, 0);
    assert_true(id.context_valid);
}

/** Division by a constant in doubles where vectors are wide: the result must be exact next to every multiple,
 * and numbers that are too large for a double must be divided in another way. */
static void
division_is_exact(void **state)
{
    (void)state;
    enum { ROWS = 256 };
    static const uint64_t divisor[] = {
        1,    2,        3,        7,          23,         24,          96,
        1000, 12000000, 19200000, 0x7fffffff, 0xffffffff, 0x100000001, (UINT64_C(1) << 51) + 1};
    const struct pp_metric_input input = {"A", PP_METRIC_U64};
    const struct pp_metric_scope scope = {.input = &input, .inputs = 1};
    static uint64_t a[ROWS], out[ROWS];
    static uint8_t status[ROWS];
    uint64_t random = 11;
    for (size_t d = 0; d < sizeof(divisor) / sizeof(divisor[0]); d++) {
        char formula[64];
        struct pp_metric_program *program = NULL;
        snprintf(formula, sizeof(formula), "$A %llu UDIV", (unsigned long long)divisor[d]);
        const struct pp_metric_def def = {.formula = formula, .lang = PP_METRIC_RPN};
        assert_int_equal(pp_metric_compile(&scope, &def, 1, 0, &program, NULL), 0);
        void *workspace = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
        for (unsigned round = 0; round < 60; round++) {
            unsigned top = round % 3 == 2 ? 64 : 52; /* every third block has numbers beyond doubles */
            for (size_t r = 0; r < ROWS; r++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                uint64_t limit = top == 64 ? UINT64_MAX : (UINT64_C(1) << top) - 1;
                uint64_t multiple = (random >> (64 - top)) / divisor[d] * divisor[d];
                a[r] = r % 3 == 0 ? multiple : r % 3 == 1 ? multiple + divisor[d] - 1 : multiple + 1;
                if (r % 16 == 0)
                    a[r] = limit - r / 16;
                if (a[r] > limit)
                    a[r] = limit;
            }
            const struct pp_metric_column column = {.value = a};
            const struct pp_metric_result result = {.value = out, .status = status};
            pp_metric_eval(program, &column, &result, ROWS, workspace);
            for (size_t r = 0; r < ROWS; r++)
                assert_int_equal(out[r], a[r] / divisor[d]);
        }
        free(workspace);
        pp_metric_destroy(program);
    }
}

static void
uapi_is_the_systems(void **state)
{
    (void)state;
#ifdef HAS_I915_DRM
    assert_int_equal(PP_I915_PERF_OPEN, DRM_IOCTL_I915_PERF_OPEN);
    assert_int_equal(PP_I915_ADD_CONFIG, DRM_IOCTL_I915_PERF_ADD_CONFIG);
    assert_int_equal(PP_I915_REMOVE_CONFIG, DRM_IOCTL_I915_PERF_REMOVE_CONFIG);
    assert_int_equal(PP_I915_REG_READ, DRM_IOCTL_I915_REG_READ);
    assert_int_equal(PP_I915_REG_READ_8B_WA, I915_REG_READ_8B_WA);
    assert_int_equal(PP_I915_GETPARAM, DRM_IOCTL_I915_GETPARAM);
    assert_int_equal(PP_I915_ENABLE, I915_PERF_IOCTL_ENABLE);
    assert_int_equal(PP_I915_CONFIG, I915_PERF_IOCTL_CONFIG);
    assert_int_equal(PP_I915_CONTEXT_CREATE, DRM_IOCTL_I915_GEM_CONTEXT_CREATE);
    assert_int_equal(PP_I915_PROP_CTX_HANDLE, DRM_I915_PERF_PROP_CTX_HANDLE);
    assert_int_equal(PP_I915_PROP_HOLD_PREEMPTION, DRM_I915_PERF_PROP_HOLD_PREEMPTION);
    assert_int_equal(PP_I915_DISABLE, I915_PERF_IOCTL_DISABLE);
    assert_int_equal(PP_I915_PARAM_EU_TOTAL, I915_PARAM_EU_TOTAL);
    assert_int_equal(PP_I915_PARAM_SUBSLICE_MASK, I915_PARAM_SUBSLICE_MASK);
    assert_int_equal(PP_I915_PARAM_CS_TIMESTAMP_FREQUENCY, I915_PARAM_CS_TIMESTAMP_FREQUENCY);
    assert_int_equal(PP_I915_FORMAT_A32U40_A4U32_B8_C8, I915_OA_FORMAT_A32u40_A4u32_B8_C8);
    assert_int_equal(PP_I915_PROP_OA_EXPONENT, DRM_I915_PERF_PROP_OA_EXPONENT);
    assert_int_equal(sizeof(struct pp_i915_oa_config), sizeof(struct drm_i915_perf_oa_config));
    assert_int_equal(offsetof(struct pp_i915_oa_config, flex_ptr),
                     offsetof(struct drm_i915_perf_oa_config, flex_regs_ptr));
#else
    skip();
#endif
}

static void
gpus_are_in_the_tables(void **state)
{
    (void)state;
    unsigned known = 0;
    for (uint32_t pci = 0; pci < 0x10000; pci++) {
        struct pp_oa_gpu gpu;
        known += pp_oa_gpu_by_pci(pci, &gpu) == 0;
    }
    struct pp_oa_gpu gpu;
    assert_int_equal(known, 242);
    assert_int_equal(pp_oa_gpu_by_pci(0x5927, &gpu), 0);
    assert_string_equal(gpu.name, "kblgt3");
    assert_int_equal(pp_oa_gpu_by_pci(0, &gpu), -ENOENT);
}

/* What OpenGL says of Mesa's version and the GPU. */
static void
mesa_is_read_from_texts(void **state)
{
    (void)state;
    assert_int_equal(pp_oa_mesa_version("4.6 (Core Profile) Mesa 25.0.7-2~bpo12+1"),
                     PP_MESA_VERSION(25, 0, 7));
    assert_int_equal(pp_oa_mesa_version("OpenGL ES 3.2 Mesa 26.1.0-devel (git-0123)"),
                     PP_MESA_VERSION(26, 1, 0));
    assert_int_equal(pp_oa_mesa_version("4.6.0 NVIDIA 535.54"), 0);
    assert_int_equal(pp_oa_mesa_version("Mesa "), 0);
    assert_int_equal(pp_oa_mesa_gen("Mesa Intel(R) HD Graphics 620 (KBL GT2)"), PP_OA_GEN9);
    assert_int_equal(pp_oa_mesa_gen("Mesa Intel(R) UHD Graphics (CML GT2)"), PP_OA_GEN9);
    assert_int_equal(pp_oa_mesa_gen("Mesa Intel(R) HD Graphics 5500 (BDW GT2)"), PP_OA_GEN8);
    assert_int_equal(pp_oa_mesa_gen("Mesa Intel(R) UHD Graphics (JSL)"), PP_OA_GEN11);
    assert_int_equal(pp_oa_mesa_gen("Mesa Intel(R) Xe Graphics (TGL GT2)"), 0);
    assert_int_equal(pp_oa_mesa_gen("KBL"), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_descriptions_are_there),
        cmocka_unit_test(known_sets_are_found),
        cmocka_unit_test(registers_are_those_of_the_xml),
        cmocka_unit_test(every_set_compiles),
        cmocka_unit_test(unseen_wraps_are_marked),
        cmocka_unit_test(missing_reports_give_no_number),
        cmocka_unit_test(brackets_of_two_contexts_are_marked),
        cmocka_unit_test(generations_differ_about_streams),
        cmocka_unit_test(broken_streams_are_located),
        cmocka_unit_test(ticks_and_nanoseconds_are_exact),
        cmocka_unit_test(report_ids_differ_by_generation),
        cmocka_unit_test(division_is_exact),
        cmocka_unit_test(uapi_is_the_systems),
        cmocka_unit_test(gpus_are_in_the_tables),
        cmocka_unit_test(mesa_is_read_from_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
