/** @file
 * The source "oa" with a fake i915: known actions in changing contexts, compared with brackets around them;
 * wraps, losses, rotated sets, refusals. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <stdlib.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_report.h"
#include "counters/oa/oa_set.h"
#include "counters/sources/i915/i915.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/i915.h"
#include "tests/unit/counters/oa_maximum.h"
#include "tests/unit/counters/sources/source_files.h"

#define RENDER_BASIC "99c1a40e-a090-4354-86e3-4d068bb1917e"
#define OURS         0x1234
#define THEIRS       0x77

static struct source_files files;
static char *node;
static struct pp_event_source source;

static int
begin(void **state)
{
    (void)state;
    source_files_begin(&files);
    node = source_files_path(&files, "dev/dri/renderD128");
    source_files_write(&files, "sys/class/drm/renderD128/device/device", "0x5916\n");
    source_files_write(&files, "sys/class/drm/renderD128/device/drm/card0/gt_max_freq_mhz", "1050\n");
    source_files_write(&files, "sys/class/drm/renderD128/device/drm/card0/metrics/none", "");
    source_files_driver(&files, "pci", "i915");
    source_files_write(&files, "proc/sys/dev/i915/perf_stream_paranoid", "1\n");
    source.ops = NULL;
    return 0;
}

static void
close_source(void)
{
    if (source.ops)
        pp_oa_source_close(&source);
    source.ops = NULL;
}

static int
end(void **state)
{
    (void)state;
    close_source();
    assert_int_equal(fake_kernel_open_files(), 0);
    fake_kernel_reset();
    free(node);
    source_files_end(&files);
    return 0;
}

static void
start(struct fake_i915 machine)
{
    close_source();
    fake_kernel_reset();
    machine.node = node;
    machine.eus = machine.eus ? machine.eus : 24;
    machine.slices = 1;
    machine.subslices = 7;
    fake_i915_start(&machine);
    assert_int_equal(pp_oa_source_open(&files.paths, &source), 0);
}

static uint32_t
find(const char *group, const char *name)
{
    struct pp_event event;
    for (uint32_t i = 0; source.ops->event(source.self, i, &event) == 0; i++)
        if (strcmp(event.name, name) == 0 && strcmp(event.group, group) == 0)
            return i;
    fail_msg("no event %s.%s", group, name);
    return 0;
}

/* All available events of a set. */
static size_t
all_of(const char *group, uint32_t *ret)
{
    struct pp_event event;
    size_t count = 0;
    for (uint32_t i = 0; source.ops->event(source.self, i, &event) == 0; i++)
        if (strcmp(event.group, group) == 0 && !event.reason)
            ret[count++] = i;
    return count;
}

/* Actions that give every counter another number. */
static struct fake_i915_work
work_of(uint64_t factor)
{
    struct fake_i915_work work = {.clocks = 1000003 * factor};
    for (unsigned i = 0; i < FAKE_I915_A; i++)
        work.a[i] = (10007 + 13 * i) * factor;
    for (unsigned i = 0; i < 8; i++) {
        work.b[i] = (501 + 7 * i) * factor;
        work.c[i] = (907 + 11 * i) * factor;
    }
    return work;
}

static uint64_t
work_field(const struct fake_i915_work *work, const char *name)
{
    unsigned i = (unsigned)strtoul(name + 1, NULL, 10);
    if (strcmp(name, "GPU_CLOCK") == 0)
        return work->clocks;
    return name[0] == 'A' ? work->a[i] : name[0] == 'B' ? work->b[i] : work->c[i];
}

/* A bracket and its result. */
struct bracket {
    uint64_t begin, end;
    bool serialized;
    uint8_t status;
    uint8_t bytes[1024];
};

static int
ask_of(const uint32_t *event, size_t events, struct bracket *b)
{
    return source.ops->between(source.self, event, events, b->begin, b->end, 1e9 / 12e6, b->serialized,
                               b->bytes, &b->status);
}

static uint32_t some[256];
static size_t somes;

static void
choose(const char *group)
{
    somes = all_of(group, some);
    assert_true(somes > 20 && somes < 256);
    assert_int_equal(source.ops->select(source.self, some, somes), 0);
}

static int
ask(struct bracket *b)
{
    return ask_of(some, somes, b);
}

/* Every field of the result has the value of the actions. @param ticks GPU_TIME. */
static void
assert_work(const struct bracket *b, const struct fake_i915_work *work, uint64_t ticks)
{
    const struct pp_layout *layout = source.ops->layout(source.self, some, somes);
    uint64_t value[PP_OA_FIELDS];
    uint8_t status[PP_OA_FIELDS];
    assert_true(layout->size <= sizeof(b->bytes));
    pp_layout_delta(layout, NULL, b->bytes, value, status);
    for (uint32_t f = 0; f < layout->fields; f++) {
        const char *name = layout->field[f].name;
        uint64_t expected = strcmp(name, "GPU_TIME") == 0 ? ticks : work_field(work, name);
        if (value[f] != expected)
            fail_msg("%s is %llu, not %llu", name, (unsigned long long)value[f],
                     (unsigned long long)expected);
    }
}

/* A bracket that runs by itself: its context begins, works, and ends. */
static struct bracket
isolated(const struct fake_i915_work *work, uint32_t ticks)
{
    static const struct fake_i915_work none;
    struct bracket b = {.serialized = true};
    fake_i915_run(OURS, 3, &none);
    b.begin = fake_i915_now();
    fake_i915_run(OURS, ticks, work);
    b.end = fake_i915_now();
    fake_i915_run(OURS, 3, &none);
    fake_i915_idle(500);
    return b;
}

/* Tests. */

static void
the_source_conforms(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(fake_i915_stream().open, false); /* counters are off before they are chosen */
    struct pp_event event;
    uint32_t first = 0;
    assert_int_equal(source.ops->default_event(source.self, 0, &first), 0);
    assert_int_equal(source.ops->event(source.self, first, &event), 0);
    assert_string_equal(event.group, "RenderBasic");
    const uint32_t two[] = {find("RenderBasic", "GpuBusy"), find("ComputeBasic", "GpuBusy")};
    assert_int_equal(source.ops->fits(source.self, two, 2), 0);
    assert_int_equal(source.ops->fits(source.self, two, 1), 1);
}

static void
serialized_work_is_exact(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    fake_i915_idle(10000);
    struct bracket got[6];
    for (uint64_t i = 0; i < 6; i++) { /* short brackets, and brackets with periodic reports inside */
        const struct fake_i915_work ours = work_of(i + 1), theirs = work_of(1000);
        got[i] = isolated(&ours, (uint32_t)(100 << (2 * i)));
        fake_i915_run(THEIRS, 700, &theirs);
    }
    fake_i915_idle(5000);
    for (uint64_t i = 0; i < 6; i++) {
        const struct fake_i915_work ours = work_of(i + 1);
        assert_int_equal(ask(&got[i]), 0);
        assert_int_equal(got[i].status, PP_OK);
        assert_work(&got[i], &ours, (100U << (2 * i)) + 6);
    }
}

/* Another context interrupts the application's: its counts are left out. */
static void
other_contexts_are_left_out(void **state)
{
    (void)state;
    static const struct fake_i915_work none;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    const struct fake_i915_work one = work_of(1), two = work_of(2), three = work_of(3),
                                theirs = work_of(5000);
    fake_i915_idle(9000);
    fake_i915_run(OURS, 2, &none);
    struct bracket b = {.begin = fake_i915_now(), .serialized = true};
    fake_i915_run(OURS, 3000, &one);
    fake_i915_run(THEIRS, 9000, &theirs);
    fake_i915_run(OURS, 500, &two);
    b.end = fake_i915_now();
    fake_i915_idle(9000);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_OK);
    assert_work(&b, &three, 2 + 3000 + 500);
}

/* Without --serialize the counts between two reports are divided by time: here in halves, which is exact
 * because the load is constant. */
static void
edges_of_brackets_are_interpolated(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1 << 20});
    choose("RenderBasic");
    fake_i915_idle((1 << 20) + 4096);
    const struct fake_i915_work half = work_of(2048), whole = work_of(4096);
    fake_i915_run(OURS, 2048, &half);
    uint64_t middle = fake_i915_now();
    fake_i915_run(OURS, 2048, &half);
    struct bracket b = {.begin = middle - 1024, .end = middle + 1024};
    fake_i915_idle(8192);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_PARTIAL);
    assert_work(&b, &half, 2048);
    b.begin = middle - 2048;
    b.end = middle + 2048;
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_OK); /* brackets end at reports */
    assert_work(&b, &whole, 4096);
}

static void
counters_and_timestamps_wrap(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = UINT64_C(0x1ffffff00), .first_count = UINT64_C(0xffffffff00)});
    choose("RenderBasic");
    fake_i915_idle(100);
    const struct fake_i915_work ours = work_of(3);
    struct bracket b = isolated(&ours, 9000);
    assert_true((uint32_t)b.end < 0x10000);
    fake_i915_idle(5000);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_OK);
    assert_work(&b, &ours, 9006);
}

static void
losses_are_reported(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3);
    struct bracket before = isolated(&ours, 9000);
    fake_i915_idle(5000);
    fake_i915_run(OURS, 10, &ours);
    struct bracket lossy = {.begin = fake_i915_now(), .serialized = true};
    fake_i915_lose_reports(1);
    fake_i915_run(OURS, 9000, &ours);
    lossy.end = fake_i915_now();
    fake_i915_idle(9000);
    assert_int_equal(ask(&before), 0);
    assert_int_equal(before.status, PP_OK);
    assert_int_equal(ask(&lossy), 0);
    assert_int_equal(lossy.status, PP_PARTIAL);
    fake_i915_idle(9000);
    struct bracket gone = {.begin = fake_i915_now(), .serialized = true};
    fake_i915_run(OURS, 9000, &ours);
    fake_i915_lose_buffer();
    gone.end = fake_i915_now();
    fake_i915_idle(9000);
    assert_int_equal(ask(&gone), 0);
    assert_int_equal(gone.status, PP_LOST);
    struct bracket after = isolated(&ours, 9000);
    fake_i915_idle(9000);
    assert_int_equal(ask(&after), 0);
    assert_int_equal(after.status, PP_OK);
    assert_work(&after, &ours, 9006);
}

/* A report that the driver hands out before its data counts as lost, and not as a moment at 0. */
static void
torn_reports_are_losses(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = UINT64_C(0x7fff0000)});
    choose("RenderBasic");
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3);
    struct bracket before = isolated(&ours, 9000);
    fake_i915_run(OURS, 10, &ours);
    struct bracket lossy = {.begin = fake_i915_now(), .serialized = true};
    fake_i915_run(OURS, 9000, &ours);
    fake_i915_tear_report();
    fake_i915_run(OURS, 9000, &ours);
    lossy.end = fake_i915_now();
    fake_i915_idle(9000);
    struct bracket after = isolated(&ours, 9000);
    assert_int_equal(ask(&before), 0);
    assert_int_equal(before.status, PP_OK);
    assert_work(&before, &ours, 9006);
    assert_int_equal(ask(&lossy), 0);
    assert_int_equal(lossy.status, PP_PARTIAL);
    assert_int_equal(ask(&after), 0);
    assert_int_equal(after.status, PP_OK);
    assert_work(&after, &ours, 9006);
}

/* A report that is not available yet is waited for. */
static void
unavailable_reports_are_waited_for(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3);
    struct bracket b = isolated(&ours, 9000);
    fake_i915_hold_back(2);
    assert_int_equal(ask(&b), -EAGAIN);
    assert_int_equal(ask(&b), -EAGAIN);
    fake_i915_hold_back(0);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_OK);
    assert_work(&b, &ours, 9006);
}

static void
reports_come_late(void **state)
{
    (void)state;
    static const struct fake_i915_work none;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    struct bracket b = {.begin = 500, .end = 600};
    assert_int_equal(ask(&b), -EAGAIN);
    fake_i915_idle(9000);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_DISABLED); /* before the stream was opened */
    fake_i915_run(OURS, 10, &none);
    b.begin = fake_i915_now();
    fake_i915_run(OURS, 20, &none);
    b.end = fake_i915_now();
    assert_int_equal(ask(&b), -EAGAIN);
    fake_i915_idle(1);
    assert_int_equal(ask(&b), 0);
    b = (struct bracket){.begin = b.end, .end = b.begin};
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_REJECTED); /* the bracket ends before it begins */
}

/* Vulkan gives ticks whose period was rounded to a float, OpenGL gives nanoseconds. */
static void
clocks_of_the_apis(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick =
                                 UINT64_C(60000000000)}); /* the machine has been running for 83 minutes */
    choose("RenderBasic");
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3);
    struct bracket b = isolated(&ours, 9000);
    fake_i915_idle(9000);
    assert_int_equal(source.ops->between(source.self, some, somes, b.begin, b.end, (double)(1e9F / 12e6F),
                                         true, b.bytes, &b.status),
                     0);
    assert_int_equal(b.status, PP_OK);
    assert_work(&b, &ours, 9006);
    /* 13 wraps of the ticks' low half are 1083 << 32 nanoseconds for Mesa, of which OpenGL may get 36 bits.
     */
    uint64_t before_ns = (UINT64_C(1083) << 32) - (UINT64_C(13) << 32) * 250 / 3;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t mask = i ? 0xfffffffff : UINT64_MAX;
        memset(b.bytes, 0, sizeof(b.bytes));
        assert_int_equal(source.ops->between(source.self, some, somes, (b.begin * 250 / 3 + before_ns) & mask,
                                             (b.end * 250 / 3 + before_ns) & mask, 1.0, true, b.bytes,
                                             &b.status),
                         0);
        assert_int_equal(b.status, PP_OK);
        assert_work(&b, &ours, 9006);
    }
}

/* Where the kernel does not give the GPU's timestamp, nanoseconds are taken as they are. */
static void
nanoseconds_without_the_clock(void **state)
{
    (void)state;
    const struct fake_i915_work ours = work_of(3);
    start((struct fake_i915){.first_tick = 1000, .clock_error = EPERM});
    choose("RenderBasic");
    fake_i915_idle(9000);
    struct bracket b = isolated(&ours, 9000);
    fake_i915_idle(9000);
    assert_int_equal(source.ops->between(source.self, some, somes, b.begin * 250 / 3, b.end * 250 / 3, 1.0,
                                         true, b.bytes, &b.status),
                     0);
    assert_int_equal(b.status, PP_OK);
    assert_work(&b, &ours, 9006);
}

/* Each set is computed from its own reports. Actions during the change of sets belong to no set. */
static void
sets_rotate(void **state)
{
    (void)state;
    static const struct fake_i915_work none;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    /* The id is passprobe's own: a driver may use a set of the public one. */
    assert_memory_equal(fake_i915_stream().guid, "70707262", 8);
    assert_string_equal(fake_i915_stream().guid + 8, RENDER_BASIC + 8);
    assert_int_equal(fake_i915_stream().exponent, 10); /* 2^11 ticks are 170 us */
    assert_true(fake_i915_stream().mux > 0 && fake_i915_stream().boolean > 0 && fake_i915_stream().flex == 7);
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3), later = work_of(4);
    struct bracket first = isolated(&ours, 9000);
    fake_i915_idle(5000);
    fake_i915_run(OURS, 10, &none);
    struct bracket across = {.begin = fake_i915_now(), .serialized = true};
    uint32_t basic[256];
    size_t basics = somes;
    memcpy(basic, some, sizeof(basic));
    choose("ComputeBasic");
    assert_int_equal(fake_i915_stream().removed, 1);
    fake_i915_run(OURS, 10000, &ours);
    across.end = fake_i915_now();
    fake_i915_idle(9000);
    struct bracket second = isolated(&later, 7000);
    fake_i915_idle(9000);
    assert_int_equal(ask_of(basic, basics, &across), 0);
    assert_int_equal(across.status, PP_DISABLED);
    assert_int_equal(ask(&across), 0);
    assert_int_equal(across.status, PP_DISABLED);
    assert_int_equal(ask(&second), 0);
    assert_int_equal(second.status, PP_OK);
    assert_work(&second, &later, 7006);
    memcpy(some, basic, sizeof(some));
    somes = basics;
    assert_int_equal(ask(&first), 0);
    assert_int_equal(first.status, PP_OK);
    assert_work(&first, &ours, 9006);
    assert_int_equal(source.ops->select(source.self, NULL, 0), 0);
    assert_false(fake_i915_stream().open);
}

/* The formulas of the events and the decoder of captured reports agree on every metric and maximum of a set.
 */
static void
formulas_agree_with_the_decoder(void **state)
{
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    const struct pp_layout *layout = source.ops->layout(source.self, some, somes);
    struct pp_metric_program *program = NULL;
    assert_int_equal(source.ops->formulas(source.self, some, somes, &program), 0);
    struct pp_oa_gpu gpu;
    struct pp_oa_set *set = NULL;
    struct pp_metric_variable variable[PP_OA_GPU_VARIABLES + 2];
    assert_int_equal(pp_oa_gpu_find("kblgt2", &gpu), 0);
    size_t variables = pp_oa_gpu_variables(&gpu, variable);
    variable[variables++] = (struct pp_metric_variable){
        .name = "GpuMaxFrequency", .type = PP_METRIC_U64, .value = {.u = 1050000000}};
    int64_t index = pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", "RenderBasic");
    assert_int_equal(pp_oa_set_create((uint32_t)index, gpu.layout, variable, variables, NULL, 0,
                                      PP_OA_SET_MAXIMA, &set, NULL),
                     0);
    const struct fake_i915_work work = work_of(77);
    uint64_t value[PP_OA_FIELDS] = {0}, input[PP_OA_FIELDS], expected[256], got[256];
    uint8_t status[PP_OA_FIELDS] = {0}, expected_status[256], got_status[256];
    struct pp_metric_result result[256];
    struct pp_metric_column column[PP_OA_FIELDS];
    for (uint32_t f = 0; f < gpu.layout->fields; f++)
        if (gpu.layout->field[f].mode == PP_FIELD_WRAPS)
            value[f] = strcmp(gpu.layout->field[f].name, "GPU_TIME") == 0
                           ? 9006
                           : work_field(&work, gpu.layout->field[f].name);
    for (size_t o = 0; o < pp_oa_set_outputs(set); o++)
        result[o] = (struct pp_metric_result){&expected[o], &expected_status[o]};
    void *scratch = aligned_alloc(64, (pp_oa_set_workspace_bytes(set) + 63) / 64 * 64);
    pp_oa_set_eval_fields(set, value, status, result, scratch);
    free(scratch);
    for (uint32_t f = 0; f < layout->fields; f++) {
        input[f] = value[pp_layout_field(gpu.layout, layout->field[f].name)];
        column[f] = (struct pp_metric_column){.value = &input[f]};
    }
    for (size_t o = 0; o < somes; o++)
        result[o] = (struct pp_metric_result){&got[o], &got_status[o]};
    scratch = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    pp_metric_eval(program, column, result, 1, scratch);
    free(scratch);
    struct pp_catalogue_set about;
    pp_catalogue_intel.set((uint32_t)index, &about);
    unsigned compared = 0, maxima = 0;
    for (uint32_t m = 0; m < about.metrics; m++) {
        struct pp_catalogue_metric metric;
        struct pp_event event;
        char maximum[80];
        pp_catalogue_intel.metric((uint32_t)index, m, &metric);
        snprintf(maximum, sizeof(maximum), "%s.max", metric.symbol);
        for (size_t o = 0; o < somes; o++) {
            assert_int_equal(source.ops->event(source.self, some[o], &event), 0);
            int64_t from = strcmp(event.name, metric.symbol) == 0 ? (int64_t)m
                           : strcmp(event.name, maximum) == 0     ? oa_maximum_column((uint32_t)index, m)
                                                                  : -1;
            if (from < 0)
                continue;
            assert_int_equal(got_status[o], expected_status[from]);
            assert_int_equal(got[o], expected[from]);
            compared++;
            maxima += from != (int64_t)m;
        }
    }
    assert_int_equal(compared, somes);
    assert_true(maxima > 5);
    pp_oa_set_destroy(set);
    pp_metric_destroy(program);
}

static void
fused_units_are_missing(void **state)
{
    (void)state;
    struct pp_event event;
    close_source();
    fake_kernel_reset();
    fake_i915_start(&(struct fake_i915){.node = node, .eus = 12, .slices = 1, .subslices = 1});
    assert_int_equal(pp_oa_source_open(&files.paths, &source), 0);
    assert_int_equal(source.ops->event(source.self, find("RenderBasic", "Sampler1Busy"), &event), 0);
    assert_non_null(strstr(event.reason, "has no such unit"));
    assert_int_equal(source.ops->event(source.self, find("RenderBasic", "Sampler0Busy"), &event), 0);
    assert_null(event.reason);
    double eus = 0;
    const char *name = NULL;
    for (uint32_t i = 0; source.ops->variable(source.self, i, &name, &eus) == 0; i++)
        if (strcmp(name, "EuCoresTotalCount") == 0)
            break;
    assert_true(eus == 12);
}

/* Errors of the kernel, and the reasons that users see. */
static void
refusals_are_named(void **state)
{
    static const struct {
        const char *paranoid, *rate; /* content of files; NULL: the file does not exist */
        struct fake_i915 machine;
        const char *said[3];
    } refusal[] = {
        {"1", NULL, {.paranoid = true}, {"perf_stream_paranoid is 1", "CAP_PERFMON", "the whole GPU"}},
        {NULL, NULL, {.paranoid = true}, {"perf_stream_paranoid cannot be read", "sudo sysctl"}},
        {"0", "100000", {.paranoid = true}, {"although dev.i915.perf_stream_paranoid is 0", "container"}},
        {"0", "100", {.max_rate = 100}, {"oa_max_sample_rate is 100; oa needs 10000", "sudo sysctl"}},
        {"0", NULL, {.busy = true}, {"another profiler uses", "only one can"}},
        {"0", NULL, {.remove_error = 524}, {"this kernel has no i915-perf"}},
        {"0", NULL, {.remove_error = ENODEV}, {"this kernel has no i915-perf"}},
        {"0", NULL, {.remove_error = EINVAL}, {"this kernel has no i915-perf"}},
        {"0", NULL, {.open_error = ENODEV}, {"this kernel has no i915-perf"}},
        {"0", NULL, {.open_error = ENOSYS}, {"this kernel has no i915-perf"}},
        {"0", NULL, {.open_error = EMFILE}, {"no file descriptor is left", "ulimit -n"}},
        {"0", NULL, {.open_error = EIO}, {"hangs", "dmesg"}},
        {"0", NULL, {.open_error = ENOMEM}, {"Cannot allocate memory"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusal) / sizeof(refusal[0]); i++) {
        source_files_remove(&files, "proc/sys/dev/i915/perf_stream_paranoid");
        source_files_remove(&files, "proc/sys/dev/i915/oa_max_sample_rate");
        if (refusal[i].paranoid)
            source_files_write(&files, "proc/sys/dev/i915/perf_stream_paranoid", refusal[i].paranoid);
        if (refusal[i].rate)
            source_files_write(&files, "proc/sys/dev/i915/oa_max_sample_rate", refusal[i].rate);
        start(refusal[i].machine);
        for (size_t j = 0; j < 3 && refusal[i].said[j]; j++)
            if (!strstr(source_reason(&source), refusal[i].said[j]))
                fail_msg("%zu: \"%s\" does not say \"%s\"", i, source_reason(&source), refusal[i].said[j]);
        assert_int_equal(fake_i915_stream().open, false);
    }
}

static void
other_machines_are_named(void **state)
{
    (void)state;
    source_files_write(&files, "sys/class/drm/renderD128/device/device", "0x5902\n");
    start((struct fake_i915){.eus = 12});
    assert_non_null(strstr(source_reason(&source), "passprobe knows no metric sets for the Intel GPU 5902"));
    source_files_write(&files, "sys/class/drm/renderD128/device/device", "0x5916\n");
    source_files_driver(&files, "pci", "xe");
    start((struct fake_i915){.eus = 12});
    assert_non_null(
        strstr(source_reason(&source), "kernel driver is xe, but passprobe reads only the counters of i915"));
    source_files_remove(&files, "sys/class/drm/renderD128/device/driver");
    start((struct fake_i915){.eus = 12});
    assert_non_null(strstr(source_reason(&source), "no GPU of this machine has the kernel driver i915"));
    const uint32_t first = 0;
    assert_null(source.ops->layout(source.self, &first, 1));
    assert_int_equal(source.ops->select(source.self, &first, 1), -EINVAL);
}

static void
a_refused_node_has_a_reason(void **state)
{
    (void)state;
    fake_kernel_refuse(node, EACCES);
    assert_int_equal(pp_oa_source_open(&files.paths, &source), 0);
    assert_non_null(strstr(source_reason(&source), "Permission denied; add the user to the group render"));
}

static void
streams_are_refused(void **state)
{
    static const int error[] = {EBUSY, EACCES, EINVAL, ENODEV, ENOMEM, ENOENT};
    static const char *const why[] = {"only one can", "perf_stream_paranoid",   "refuses this metric set",
                                      "i915-perf",    "Cannot allocate memory", "removed it"};
    (void)state;
    for (size_t i = 0; i < sizeof(error) / sizeof(error[0]); i++) {
        start((struct fake_i915){.eus = 24});
        fake_i915_refuse(error[i]); /* as if another process was faster */
        const uint32_t busy = find("RenderBasic", "GpuBusy");
        struct bracket b = {.begin = 1, .end = 2};
        int rc = source.ops->select(source.self, &busy, 1);
        char text[PP_REASON_BYTES];
        assert_int_equal(rc, error[i] == EINVAL ? -EBADRQC : -error[i]);
        source.ops->explain(source.self, -rc, text);
        assert_non_null(strstr(text, why[i]));
        assert_int_equal(fake_i915_stream().added, fake_i915_stream().removed);
        assert_int_equal(ask_of(&busy, 1, &b), 0);
        assert_int_equal(b.status, PP_DISABLED);
    }
}

/* What read() may return instead of reports. */
static void
failed_reads_lose_brackets(void **state)
{
    static const uint8_t nonsense[8] = {1, 0, 0, 0, 0, 0, 4, 0}; /* a record smaller than its header */
    static const uint8_t unknown[16] = {99, 0, 0, 0, 0, 0, 16, 0};
    static const uint8_t large[200] = {1, 0, 0, 0, 0, 0, 200, 0}; /* a report of another format */
    static const uint8_t cut[100] = {1, 0, 0, 0, 0, 0, 8, 1};     /* its end is missing */
    (void)state;
    start((struct fake_i915){.first_tick = 1000});
    choose("RenderBasic");
    fake_i915_idle(9000);
    const struct fake_i915_work ours = work_of(3);
    struct bracket b = isolated(&ours, 9000);
    fake_i915_fail_read(EINTR);
    fake_i915_push(unknown, sizeof(unknown));
    fake_i915_idle(9000);
    assert_int_equal(ask(&b), 0);
    assert_int_equal(b.status, PP_OK); /* signals and unknown record types do no harm */
    assert_work(&b, &ours, 9006);
    const struct {
        const uint8_t *bytes;
        size_t size;
    } bad[] = {{nonsense, sizeof(nonsense)}, {large, sizeof(large)}, {cut, sizeof(cut)}};
    for (size_t i = 0; i < 3; i++) {
        fake_i915_run(OURS, 10, &ours);
        struct bracket across = {.begin = fake_i915_now(), .serialized = true};
        fake_i915_run(OURS, 5000, &ours);
        fake_i915_push(bad[i].bytes, bad[i].size);
        fake_i915_run(OURS, 5000, &ours);
        across.end = fake_i915_now();
        (void)ask(&across);   /* reads broken data */
        fake_i915_idle(9000); /* and then continues */
        struct bracket after = isolated(&ours, 9000);
        fake_i915_idle(9000);
        assert_int_equal(ask(&across), 0);
        assert_int_equal(across.status, PP_LOST);
        assert_int_equal(ask(&after), 0);
        assert_int_equal(after.status, PP_OK);
        assert_work(&after, &ours, 9006);
    }
    b = (struct bracket){.begin = fake_i915_now() + 10, .end = fake_i915_now() + 20};
    fake_i915_fail_read(EIO); /* the GPU was reset */
    assert_int_equal(ask(&b), -EIO);
}

/* Haswell's reports have no contexts: all counts between two moments are the GPU's. */
static void
haswell_counts_the_gpu(void **state)
{
    (void)state;
    source_files_write(&files, "sys/class/drm/renderD128/device/device", "0x0412\n");
    start((struct fake_i915){
        .haswell = true, .first_tick = 1000, .first_count = UINT64_C(0xffffff00), .eus = 20});
    choose("RenderBasic");
    assert_int_equal(fake_i915_stream().format, PP_I915_FORMAT_A45_B8_C8);
    fake_i915_idle((1 << 20) - 1000);
    const struct fake_i915_work half = work_of(2048);
    fake_i915_run(OURS, 2048, &half);
    struct bracket b = {.begin = fake_i915_now() - 1024};
    fake_i915_run(THEIRS, 2048, &half);
    b.end = fake_i915_now() - 1024;
    fake_i915_idle(8192);
    assert_int_equal(source.ops->between(source.self, some, somes, b.begin, b.end, 1e9 / 12.5e6, false,
                                         b.bytes, &b.status),
                     0);
    assert_int_equal(b.status, PP_PARTIAL);
    assert_work(&b, &half, 2048);
}

/* A set that the kernel has already is used, and not removed. */
static void
known_sets_are_used(void **state)
{
    (void)state;
    source_files_write(&files, "sys/class/drm/renderD128/device/drm/card0/metrics/" RENDER_BASIC "/id",
                       "7\n");
    start((struct fake_i915){.known_guid = RENDER_BASIC, .known_id = 7});
    choose("RenderBasic");
    assert_int_equal(fake_i915_stream().config, 7);
    assert_int_equal(fake_i915_stream().added, 0);
    close_source();
    assert_int_equal(fake_i915_stream().removed, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_source_conforms, begin, end),
        cmocka_unit_test_setup_teardown(serialized_work_is_exact, begin, end),
        cmocka_unit_test_setup_teardown(other_contexts_are_left_out, begin, end),
        cmocka_unit_test_setup_teardown(edges_of_brackets_are_interpolated, begin, end),
        cmocka_unit_test_setup_teardown(counters_and_timestamps_wrap, begin, end),
        cmocka_unit_test_setup_teardown(losses_are_reported, begin, end),
        cmocka_unit_test_setup_teardown(torn_reports_are_losses, begin, end),
        cmocka_unit_test_setup_teardown(unavailable_reports_are_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(reports_come_late, begin, end),
        cmocka_unit_test_setup_teardown(clocks_of_the_apis, begin, end),
        cmocka_unit_test_setup_teardown(nanoseconds_without_the_clock, begin, end),
        cmocka_unit_test_setup_teardown(sets_rotate, begin, end),
        cmocka_unit_test_setup_teardown(formulas_agree_with_the_decoder, begin, end),
        cmocka_unit_test_setup_teardown(fused_units_are_missing, begin, end),
        cmocka_unit_test_setup_teardown(refusals_are_named, begin, end),
        cmocka_unit_test_setup_teardown(other_machines_are_named, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_node_has_a_reason, begin, end),
        cmocka_unit_test_setup_teardown(failed_reads_lose_brackets, begin, end),
        cmocka_unit_test_setup_teardown(haswell_counts_the_gpu, begin, end),
        cmocka_unit_test_setup_teardown(streams_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(known_sets_are_used, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
