/** @file
 * The source "mali" with a fake GPU, with either driver: sums over blocks with missing cores, the same
 * metrics as the decoder of captured dumps, invalid samples, refusals. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <stdlib.h>

#include "counters/mali/mali_decode.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "counters/sources/mali/mali_uapi.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/mali.h"
#include "tests/unit/counters/sources/source_files.h"

#define CORES UINT64_C(0x37) /* bits 0, 1, 2, 4, 5: a hole */

enum { EVENTS = 512 };

static struct source_files files;
static char *render, *mali0;
static struct pp_event_source source;
static const struct pp_mali_gpu *gpu;

static int
begin(void **state)
{
    (void)state;
    source_files_begin(&files);
    render = source_files_path(&files, "dev/dri/renderD128");
    mali0 = source_files_path(&files, "dev/mali0");
    source.ops = NULL;
    gpu = pp_mali_gpu_find("mali-g76");
    return gpu ? 0 : -1;
}

static void
close_source(void)
{
    if (source.ops)
        pp_mali_source_close(&source);
    source.ops = NULL;
}

static int
end(void **state)
{
    (void)state;
    close_source();
    assert_int_equal(fake_kernel_open_files(), 0);
    fake_kernel_reset();
    free(render);
    free(mali0);
    source_files_end(&files);
    return 0;
}

static struct fake_mali
g76(void)
{
    return (struct fake_mali){.product = 0x7211, .cores = CORES, .slices = 2, .bus_log2 = 7, .version = 38};
}

static void
start(struct fake_mali machine, bool kbase)
{
    close_source();
    fake_kernel_reset();
    machine.node = kbase ? mali0 : render;
    if (kbase) {
        source_files_driver(&files, "platform", "other");
        fake_mali_kbase(&machine);
    } else {
        source_files_driver(&files, "platform", "panfrost");
        fake_mali_panfrost(&machine);
    }
    assert_int_equal(pp_mali_source_open(&files.paths, &source), 0);
}

/* Every counter counts; each core and slice has other values. */
static void
work(uint64_t factor)
{
    for (uint32_t i = 0; i < gpu->counters; i++) {
        const struct pp_mali_counter *c = &gpu->counter[i];
        unsigned instances = c->block == PP_MALI_SHADER_CORE ? 6 : c->block == PP_MALI_L2 ? 2 : 1;
        for (unsigned n = 0; n < instances; n++)
            if (c->block != PP_MALI_SHADER_CORE || (CORES >> n & 1))
                fake_mali_count(c->block, n, c->word, (1000 + 10 * i + n) * factor);
    }
}

static uint64_t
worked(uint32_t i, uint64_t factor)
{
    static const unsigned core[] = {0, 1, 2, 4, 5};
    uint64_t base = 1000 + 10 * (uint64_t)i, sum = 0;
    if (gpu->counter[i].block == PP_MALI_SHADER_CORE)
        for (unsigned n = 0; n < 5; n++)
            sum += (base + core[n]) * factor;
    else
        sum = gpu->counter[i].block == PP_MALI_L2 ? (2 * base + 1) * factor : base * factor;
    return sum;
}

static uint32_t all[EVENTS];
static size_t alls;
static uint8_t first[4096], last[4096];

static int
take(uint8_t *snapshot)
{
    return source.ops->read(source.self, all, alls, snapshot);
}

static void
choose_all(void)
{
    struct pp_event event;
    for (alls = 0; source.ops->event(source.self, (uint32_t)alls, &event) == 0; alls++)
        all[alls] = (uint32_t)alls;
    assert_int_equal(alls, gpu->counters + gpu->metrics);
    assert_true(source.ops->layout(source.self, all, alls)->size <= sizeof(first));
}

static void
assert_difference(uint64_t factor)
{
    const struct pp_layout *layout = source.ops->layout(source.self, all, alls);
    uint64_t value[PP_MALI_MAX_COUNTERS];
    uint8_t status[PP_MALI_MAX_COUNTERS];
    pp_layout_delta(layout, first, last, value, status);
    assert_int_equal(layout->fields, gpu->counters);
    for (uint32_t i = 0; i < layout->fields; i++)
        if (value[i] != worked(i, factor))
            fail_msg("%s is %llu, not %llu", layout->field[i].name, (unsigned long long)value[i],
                     (unsigned long long)worked(i, factor));
}

/* Each twice, with either driver. */

static void
conforms_and_counts(bool kbase)
{
    start(g76(), kbase);
    pp_source_conforms(source.ops, source.self);
    choose_all();
    assert_false(fake_mali_enabled()); /* nothing counts before the first read */
    assert_int_equal(take(first), 0);
    assert_true(fake_mali_enabled());
    for (uint64_t factor = 1; factor < 4; factor++) {
        work(factor);
        assert_int_equal(take(last), 0);
        assert_difference(factor);
        memcpy(first, last, sizeof(first));
    }
    work(7); /* between brackets: belongs to no bracket */
    assert_int_equal(take(first), 0);
    work(1);
    assert_int_equal(take(last), 0);
    assert_difference(1);
    close_source();
    assert_false(fake_mali_enabled());
}

static void
counts_by_panfrost(void **state)
{
    (void)state;
    conforms_and_counts(false);
}

static void
counts_by_kbase(void **state)
{
    (void)state;
    conforms_and_counts(true);
}

/* Each counter and metric that the formulas of the events compute equals the decoder's, for the same sums. */
static void
formulas_agree_with_the_decoder(void **state)
{
    (void)state;
    struct pp_mali_config config = {.core_mask = CORES, .l2_slices = 2, .bus_width_bits = 128};
    struct pp_mali_decoder *decoder = NULL;
    struct pp_metric_program *program = NULL;
    struct pp_mali_sums sums;
    struct pp_mali_cell cell[EVENTS];
    struct pp_metric_column column[PP_MALI_MAX_COUNTERS];
    struct pp_metric_result result[EVENTS];
    uint64_t got[EVENTS];
    uint8_t status[EVENTS];
    start(g76(), false);
    choose_all();
    assert_int_equal(source.ops->formulas(source.self, all, alls, &program), 0);
    assert_int_equal(pp_mali_decoder_create(gpu, &config, &decoder, NULL), 0);
    pp_mali_sums_begin(&sums);
    sums.dumps = 1;
    for (uint32_t i = 0; i < gpu->counters; i++) {
        sums.sum[i] = worked(i, 3);
        column[i] = (struct pp_metric_column){.value = &sums.sum[i]};
    }
    pp_mali_decode_sums(decoder, &sums, cell);
    for (size_t i = 0; i < alls; i++)
        result[i] = (struct pp_metric_result){&got[i], &status[i]};
    void *scratch = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    pp_metric_eval(program, column, result, 1, scratch);
    free(scratch);
    for (size_t i = 0; i < alls; i++) {
        struct pp_event event;
        assert_int_equal(source.ops->event(source.self, (uint32_t)i, &event), 0);
        assert_int_equal(status[i], cell[i].status);
        assert_int_equal(got[i], cell[i].value.u);
        assert_int_equal(event.number == PP_NUMBER_F64, cell[i].type == PP_METRIC_F64);
    }
    double cores = 0;
    const char *name = NULL;
    assert_int_equal(source.ops->variable(source.self, 0, &name, &cores), 0);
    assert_string_equal(name, "MaliConstantsShaderCoreCount");
    assert_true(cores == 5);
    pp_mali_decoder_destroy(decoder);
    pp_metric_destroy(program);
}

/* 32 bits saturate: with panfrost the value is lost, later values are not. kbase's driver sums in 64 bits. */
static void
saturation_is_no_value(void **state)
{
    (void)state;
    start(g76(), false);
    choose_all();
    assert_int_equal(take(first), 0);
    fake_mali_count(PP_MALI_JM, 0, gpu->counter[0].word, UINT64_C(0x1ffffffff));
    assert_int_equal(take(last), -ERANGE);
    assert_int_equal(take(first), 0);
    work(2);
    assert_int_equal(take(last), 0);
    assert_difference(2);
}

static void
kbase_adds_up_in_64_bits(void **state)
{
    (void)state;
    start(g76(), true);
    choose_all();
    assert_int_equal(take(first), 0);
    work(UINT64_C(0x100000003));
    assert_int_equal(take(last), 0);
    assert_difference(UINT64_C(0x100000003));
}

static void
failed_samples_are_lost(void **state)
{
    (void)state;
    static const int error[] = {ETIMEDOUT, EFAULT, EIO};
    for (unsigned kbase = 0; kbase < 2; kbase++) {
        start(g76(), kbase);
        choose_all();
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(take(first), 0);
            work(5);
            fake_mali_fail(error[i]);
            assert_int_equal(take(last), -error[i]);
            assert_int_equal(take(first), 0);
            work(2);
            assert_int_equal(take(last), 0);
            assert_difference(2);
        }
    }
    fake_mali_stretch();
    assert_int_equal(take(last), -EIO);
    assert_int_equal(take(last), 0);
}

/* A sample that comes after its time is of an interval that is lost: it is not given to the next one. */
static void
late_samples_are_lost(void **state)
{
    (void)state;
    start(g76(), true);
    choose_all();
    assert_int_equal(take(first), 0);
    work(5);
    fake_mali_be_late();
    assert_int_equal(take(last), -ETIMEDOUT);
    for (uint64_t factor = 1; factor < 4; factor++) {
        assert_int_equal(take(first), 0);
        work(factor);
        assert_int_equal(take(last), 0);
        assert_difference(factor);
    }
}

/* An idle GPU's cores are off when the opening sample is taken: they have counted nothing. */
static void
cores_that_are_off_count_nothing(void **state)
{
    (void)state;
    struct fake_mali machine = g76();
    machine.disabled_core = CORES;
    start(machine, true);
    choose_all();
    assert_int_equal(take(first), 0);
    assert_int_equal(take(last), 0);
    const struct pp_layout *layout = source.ops->layout(source.self, all, alls);
    assert_memory_equal(first, last, layout->size);
}

static void
refusals_of_panfrost(void **state)
{
    (void)state;
    struct fake_mali machine = g76();
    machine.stable_only = true;
    start(machine, false);
    assert_non_null(strstr(source_reason(&source),
                           "/sys/module/panfrost/parameters/unstable_ioctls (this taints the kernel"));
    machine = g76();
    machine.owned = true;
    start(machine, false);
    assert_non_null(strstr(source_reason(&source), "another profiler uses"));
    machine = g76();
    machine.product = 0x860;
    start(machine, false);
    assert_non_null(strstr(source_reason(&source), "product id 860"));
    close_source();
    fake_kernel_reset();
    fake_kernel_refuse(render, EACCES);
    assert_int_equal(pp_mali_source_open(&files.paths, &source), 0);
    assert_non_null(strstr(source_reason(&source), "Permission denied; add the user to the group render"));
    close_source();
    source_files_driver(&files, "platform", "panthor");
    assert_int_equal(pp_mali_source_open(&files.paths, &source), 0);
    assert_non_null(strstr(source_reason(&source), "panthor offers no counters"));
}

static void
refusals_of_kbase(void **state)
{
    (void)state;
    struct fake_mali machine = g76();
    machine.version = 0;
    start(machine, true);
    assert_non_null(strstr(source_reason(&source), "GPUs with command streams"));
    machine.version = 36;
    start(machine, true);
    assert_non_null(strstr(source_reason(&source), "interface is 11.36, but counters need 11.37"));
    machine = g76();
    machine.no_kinstr = true;
    start(machine, true);
    assert_non_null(strstr(source_reason(&source), "does not offer counters (kinstr_prfcnt)"));
    static const struct {
        int error;
        const char *text;
    } row[] = {{EINVAL, "CONFIG_MALI_PRFCNT_SET_SECONDARY"},
               {EBUSY, "accepts no more readers"},
               {ENOMEM, "accepts no more readers"},
               {EPERM, "refuses access to its counters: Operation not"}};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        machine = g76();
        machine.setup_error = row[i].error;
        start(machine, true);
        assert_non_null(strstr(source_reason(&source), row[i].text));
    }
    machine = g76();
    machine.product = 0xa002;
    start(machine, true);
    assert_non_null(strstr(source_reason(&source), "product id a002"));
    close_source();
    fake_kernel_reset();
    fake_kernel_refuse(mali0, EACCES);
    assert_int_equal(pp_mali_source_open(&files.paths, &source), 0);
    assert_non_null(strstr(source_reason(&source), "/dev/mali0: Permission denied"));
    close_source();
    fake_kernel_reset();
    assert_int_equal(pp_mali_source_open(&files.paths, &source), 0);
    assert_non_null(strstr(source_reason(&source), "kernel driver panfrost, and /dev/mali0 does not exist"));
    char text[PP_REASON_BYTES] = "";
    source.ops->explain(source.self, EINVAL, text);
    assert_string_equal(text, source_reason(&source));
    const uint32_t zero = 0;
    assert_null(source.ops->layout(source.self, &zero, 1));
    assert_int_equal(source.ops->read(source.self, &zero, 1, first), -EINVAL);
}

/* Numbers of ioctls contain the sizes of their arguments: these are the numbers that were measured on a
 * Mali-G76. */
static void
uapi_equals_the_drivers_headers(void **state)
{
    (void)state;
    assert_int_equal(PP_PANFROST_GET_PARAM, 0xc0106444);
    assert_int_equal(PP_PANFROST_PERFCNT_ENABLE, 0x40086446);
    assert_int_equal(PP_PANFROST_PERFCNT_DUMP, 0x40086447);
    assert_int_equal(PP_KINSTR_ENUM_INFO, 0xc0108038);
    assert_int_equal(PP_KINSTR_SETUP, 0xc0108039);
    assert_int_equal(PP_KINSTR_COMMAND, 0x4010bf00);
    assert_int_equal(PP_KINSTR_GET_SAMPLE, 0x8010bf01);
    assert_int_equal(PP_KINSTR_PUT_SAMPLE, 0x4010bf10);
    assert_int_equal(sizeof(struct pp_kinstr_request), 32);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_by_panfrost, begin, end),
        cmocka_unit_test_setup_teardown(counts_by_kbase, begin, end),
        cmocka_unit_test_setup_teardown(formulas_agree_with_the_decoder, begin, end),
        cmocka_unit_test_setup_teardown(saturation_is_no_value, begin, end),
        cmocka_unit_test_setup_teardown(kbase_adds_up_in_64_bits, begin, end),
        cmocka_unit_test_setup_teardown(failed_samples_are_lost, begin, end),
        cmocka_unit_test_setup_teardown(late_samples_are_lost, begin, end),
        cmocka_unit_test_setup_teardown(cores_that_are_off_count_nothing, begin, end),
        cmocka_unit_test_setup_teardown(refusals_of_panfrost, begin, end),
        cmocka_unit_test_setup_teardown(refusals_of_kbase, begin, end),
        cmocka_unit_test(uapi_equals_the_drivers_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
