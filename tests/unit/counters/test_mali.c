/** @file
 * Mali: configuration from registers and from text, hand-computed dumps, kinstr samples with every mistake,
 * and all metrics with synthetic and with zero counts. The public vectors are vectors_mali's. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/mali/mali_decode.h"
#include "counters/metric/catalogue.h"

static const struct pp_mali_config two_cores = {.core_mask = 0x5, .l2_slices = 2, .bus_width_bits = 128};

enum {
    BLOCKS = 2 + 2 + 3, /* core 1 of 0..2 is absent */
    DUMP_BYTES = BLOCKS * 256,
};

static const struct pp_mali_gpu *
g76(void)
{
    const struct pp_mali_gpu *gpu = pp_mali_gpu_find("mali-g76");
    assert_non_null(gpu);
    return gpu;
}

static size_t
column_of(const char *symbol)
{
    for (uint32_t i = 0; i < g76()->counters; i++)
        if (strcmp(g76()->counter[i].symbol, symbol) == 0)
            return i;
    for (uint32_t i = 0; i < g76()->metrics; i++)
        if (strcmp(g76()->metric[i].symbol, symbol) == 0)
            return g76()->counters + i;
    fail_msg("no column %s", symbol);
    return 0;
}

static void
configuration_follows_from_registers(void **state)
{
    (void)state;
    struct pp_mali_config config;
    assert_int_equal(pp_mali_config_from_registers(0x7777, 0x301, 0x07120206, &config), 0);
    assert_true(config.core_mask == 0x7777 && config.l2_slices == 4 && config.bus_width_bits == 128);
    assert_int_equal(pp_mali_cores(&config), 12);
    assert_int_equal(pp_mali_dump_bytes(&config), (2 + 4 + 15) * 256);
    assert_int_equal(pp_mali_config_from_registers(0, 0x301, 0x07120206, &config), -EINVAL);
    assert_int_equal(pp_mali_config_from_registers(1, 0x301, 0xff120206, &config), -EINVAL);
    assert_int_equal(pp_mali_config_from_registers(UINT64_MAX, 0xf00, 0x06000000, &config), 0);
    assert_int_equal(pp_mali_dump_bytes(&config), (2 + 16 + 64) * 256);
    assert_ptr_equal(pp_mali_gpu_by_product(0x7211), g76());
    assert_null(pp_mali_gpu_by_product(0x7212));
}

static void
configuration_is_read_from_text(void **state)
{
    (void)state;
    const struct pp_mali_gpu *gpu = NULL;
    struct pp_mali_config config;
    char message[128];
    assert_int_equal(pp_mali_config_parse(NULL, &gpu, &config, message, sizeof(message)), 0);
    assert_ptr_equal(gpu, g76());
    assert_int_equal(
        pp_mali_config_parse("mali-g76:cores=0x7777,l2=2,bus=64", &gpu, &config, message, sizeof(message)),
        0);
    assert_true(config.core_mask == 0x7777 && config.l2_slices == 2 && config.bus_width_bits == 64);
    assert_int_equal(pp_mali_config_parse("mali-g76:l2=1", &gpu, &config, message, sizeof(message)), 0);
    assert_true(config.core_mask == g76()->assumed.core_mask && config.l2_slices == 1);
    assert_int_equal(pp_mali_config_parse("mali-g77", &gpu, &config, message, sizeof(message)), -ENOENT);
    assert_string_equal(message, "unknown GPU 'mali-g77'; `passprobe list -e mali` shows the GPUs");
    static const char *const bad[] = {"mali-g76:l2",        "mali-g76:l2=",
                                      "mali-g76:l2=x",      "mali-g76:l2=-1",
                                      "mali-g76:l3=1",      "mali-g76:l2=1,,bus=64",
                                      "mali-g76:l2=0",      "mali-g76:cores=0",
                                      "mali-g76:bus=4",     "mali-g76:l2=99999999999",
                                      "mali-g76:cores=0x1g"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (pp_mali_config_parse(bad[i], &gpu, &config, message, sizeof(message)) != -EINVAL)
            fail_msg("%s is accepted", bad[i]);
}

/* A dump in which every enabled word of block b is 10 * (b + 1). */
static void
make_dump(uint32_t *dump)
{
    for (uint32_t b = 0; b < BLOCKS; b++) {
        for (uint32_t w = 0; w < 64; w++)
            dump[b * 64 + w] = 10 * (b + 1);
        dump[b * 64 + 2] = 0xffff;
    }
}

static void
blocks_add_up_by_kind(void **state)
{
    (void)state;
    uint32_t dump[BLOCKS * 64];
    static struct pp_mali_cell cell[256];
    struct pp_mali_decoder *decoder = NULL;
    make_dump(dump);
    dump[6 * 64 + 2] &= ~(1U << (44 / 4)); /* core 2 lacks words 44..47 */
    dump[4 * 64 + 28] = UINT32_MAX;        /* core 0: saturated */
    assert_int_equal(pp_mali_decoder_create(g76(), &two_cores, &decoder, NULL), 0);
    static struct pp_mali_sums sums;
    pp_mali_sums_begin(&sums);
    assert_int_equal(pp_mali_add_dump(g76(), &two_cores, (const uint8_t *)dump, DUMP_BYTES - 1, &sums),
                     -EMSGSIZE);
    assert_int_equal(pp_mali_add_dump(g76(), &two_cores, (const uint8_t *)dump, DUMP_BYTES, &sums), 0);
    pp_mali_decode_sums(decoder, &sums, cell);
    const struct pp_mali_cell *c = &cell[column_of("MaliGPUCyclesGPUActive")];
    assert_true(c->type == PP_METRIC_U64 && c->value.u == 10 && c->status == PP_OK && c->remark == 0);
    assert_true(cell[column_of("MaliGPUCyclesTilerActive")].value.u == 20);
    assert_true(cell[column_of("MaliExternalBusBeatsReadBeat")].value.u == 30 + 40);
    c = &cell[column_of("MaliCoreCyclesFragmentActive")];
    assert_true(c->type == PP_METRIC_F64 && c->value.f == (50.0 + 70.0) / 2);
    c = &cell[column_of("MaliCoreLoadStoreCyclesFullReadCycles")];
    assert_true(c->status == PP_PARTIAL && c->remark == PP_MALI_PARTIAL && c->value.f == 25);
    c = &cell[column_of("MaliCoreInstructionsExecutedInstructions")];
    assert_true(c->status == PP_SATURATED && c->remark == PP_MALI_SATURATED);
    assert_true(c->value.f == (4294967295.0 + 70.0) / 2);
    assert_true(cell[column_of("output_external_read_bytes")].value.f == 70 * 16);
    assert_true(cell[column_of("shader_core_count")].value.f == 2);
    assert_true(cell[column_of("load_store_full_read_issues")].status == PP_PARTIAL);
    assert_true(cell[column_of("arithmetic_unit_utilization")].remark == PP_MALI_SATURATED);
    pp_mali_decoder_destroy(decoder);
}

static void
intervals_add_up(void **state)
{
    (void)state;
    uint32_t dump[BLOCKS * 64], after[BLOCKS * 64];
    struct pp_mali_sums sums;
    make_dump(dump);
    memcpy(after, dump, sizeof(after));
    pp_mali_sums_begin(&sums);
    assert_int_equal(pp_mali_status(&sums, 0), PP_NOT_AVAILABLE);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pp_mali_add_dump(g76(), &two_cores, (const uint8_t *)dump, DUMP_BYTES, &sums), 0);
    assert_true(sums.sum[column_of("MaliGPUCyclesGPUActive")] == 30 && sums.dumps == 3);
    dump[0 * 64 + 2] = 0;
    assert_int_equal(pp_mali_add_dump(g76(), &two_cores, (const uint8_t *)dump, DUMP_BYTES, &sums), 0);
    assert_int_equal(pp_mali_status(&sums, (uint32_t)column_of("MaliGPUCyclesGPUActive")), PP_DISABLED);
    assert_int_equal(pp_mali_status(&sums, (uint32_t)column_of("MaliGPUCyclesTilerActive")), PP_OK);
    /* Free-running counters: the difference wraps, and only blocks that both dumps have enabled count. */
    dump[0 * 64 + 2] = 0xffff;
    dump[0 * 64 + 6] = 0xfffffff0;
    after[0 * 64 + 6] = 0x10;
    after[1 * 64 + 2] = 0xfffd;
    pp_mali_sums_begin(&sums);
    assert_int_equal(pp_mali_add_difference(g76(), &two_cores, (const uint8_t *)dump, (const uint8_t *)after,
                                            DUMP_BYTES, &sums),
                     0);
    assert_true(sums.sum[column_of("MaliGPUCyclesGPUActive")] == 0x20);
    assert_int_equal(pp_mali_status(&sums, (uint32_t)column_of("MaliGPUCyclesTilerActive")), PP_DISABLED);
    assert_int_equal(
        pp_mali_add_difference(g76(), &two_cores, (const uint8_t *)dump, (const uint8_t *)after, 256, &sums),
        -EMSGSIZE);
}

/* A sample of the GPU with two cores: items of 48 bytes, then values of 6 blocks. */
struct sample {
    uint8_t map[16 + 9 * 48 + 6 * 512];
    struct pp_mali_kinstr kinstr;
};

static void
put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint8_t *
item_of(struct sample *s, unsigned item)
{
    return s->map + 16 + item * 48;
}

static void
make_sample(struct sample *s)
{
    static const uint8_t type[6] = {0, 1, 2, 2, 3, 3}, index[6] = {0, 0, 0, 1, 0, 1};
    memset(s, 0, sizeof(*s));
    s->kinstr = (struct pp_mali_kinstr){
        .map = s->map, .map_bytes = sizeof(s->map), .sample_offset = 16, .metadata_item_bytes = 48};
    put(item_of(s, 0), 0x2000, 2);
    put(item_of(s, 0) + 8, 1000, 8);
    put(item_of(s, 0) + 16, 3000, 8);
    put(item_of(s, 0) + 24, 7, 8);
    put(item_of(s, 1), 0x2001, 2);
    put(item_of(s, 1) + 8, 2, 4);
    put(item_of(s, 1) + 16, 111, 8);
    put(item_of(s, 1) + 24, 222, 8);
    for (unsigned b = 0; b < 6; b++) {
        uint32_t offset = 16 + 9 * 48 + b * 512;
        uint8_t *item = item_of(s, 2 + b);
        put(item, 0x2002, 2);
        item[8] = type[b];
        item[9] = index[b];
        put(item + 12, 1 | 4, 4);
        put(item + 16, offset, 4);
        put(s->map + offset + 2 * 8, 0xffff, 8);
        for (unsigned w = 4; w < 64; w++)
            put(s->map + offset + w * 8, UINT64_C(0x100000000) * (b + 1), 8);
    }
}

static int
add(struct sample *s, struct pp_mali_sums *sums, struct pp_mali_sample *out, size_t *offset)
{
    pp_mali_sums_begin(sums);
    return pp_mali_add_kinstr(g76(), &two_cores, &s->kinstr, sums, out, offset);
}

static void
samples_are_decoded(void **state)
{
    (void)state;
    struct sample s;
    struct pp_mali_sums sums;
    struct pp_mali_sample out;
    make_sample(&s);
    assert_int_equal(add(&s, &sums, &out, NULL), 0);
    assert_true(out.start_ns == 1000 && out.end_ns == 3000 && out.sequence == 7 && !out.stretched);
    assert_true(out.clocks == 2 && out.cycles[0] == 111 && out.cycles[1] == 222);
    assert_true(sums.sum[column_of("MaliGPUCyclesGPUActive")] == UINT64_C(0x100000000));
    assert_true(sums.sum[column_of("MaliExternalBusBeatsReadBeat")] == UINT64_C(0x700000000));
    assert_true(sums.sum[column_of("MaliCoreCyclesFragmentActive")] == UINT64_C(0xb00000000));
    assert_int_equal(pp_mali_status(&sums, 0), PP_OK);
    /* A core is off; a sample is longer than requested. */
    put(item_of(&s, 7) + 12, 2 | 4, 4);
    put(item_of(&s, 0) + 40, 1, 4);
    assert_int_equal(add(&s, &sums, &out, NULL), 0);
    assert_true(out.stretched && sums.stretched);
    assert_int_equal(pp_mali_status(&sums, (uint32_t)column_of("MaliCoreCyclesFragmentActive")), PP_PARTIAL);
    assert_true(sums.sum[column_of("MaliCoreCyclesFragmentActive")] == UINT64_C(0x500000000));
}

static void
bad_samples_are_refused_with_their_place(void **state)
{
    (void)state;
    struct sample s;
    struct pp_mali_sums sums;
    size_t offset = 0;
    make_sample(&s);
    put(item_of(&s, 0), 0x2001, 2);
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    assert_int_equal(offset, 16);
    make_sample(&s);
    put(item_of(&s, 0) + 40, 1U << 30, 4);
    assert_int_equal(add(&s, &sums, NULL, &offset), -EIO);
    make_sample(&s);
    put(item_of(&s, 3) + 16, sizeof(s.map) - 511, 4);
    assert_int_equal(add(&s, &sums, NULL, &offset), -ERANGE);
    assert_int_equal(offset, 16 + 3 * 48);
    put(item_of(&s, 3) + 16, 0xffffffff, 4);
    assert_int_equal(add(&s, &sums, NULL, &offset), -ERANGE);
    make_sample(&s);
    put(item_of(&s, 5), 0x2001, 2); /* a slice is missing */
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    make_sample(&s);
    item_of(&s, 4)[8] = 3; /* a slice is a core */
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    make_sample(&s);
    put(item_of(&s, 4), 0x2000, 2); /* a second sample inside the list */
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    make_sample(&s);
    s.kinstr.map_bytes = 16 + 8 * 48; /* ends before the end of the list and before the values */
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    s.kinstr.map_bytes = 16 + 9 * 48 + 5 * 512; /* ends before the last block's values */
    assert_int_equal(add(&s, &sums, NULL, &offset), -ERANGE);
    assert_int_equal(offset, 16 + 7 * 48);
    make_sample(&s);
    s.kinstr.sample_offset = UINT64_MAX;
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    make_sample(&s);
    s.kinstr.metadata_item_bytes = 0;
    assert_int_equal(add(&s, &sums, NULL, &offset), -EBADMSG);
    assert_int_equal(sums.dumps, 0);
}

/* Every metric gives a number for plausible counts, and none where its divisor is zero. */
static void
all_metrics_with_counts_and_without(void **state)
{
    (void)state;
    static struct pp_mali_cell cell[256];
    struct pp_mali_decoder *decoder = NULL;
    struct pp_mali_sums sums;
    assert_int_equal(pp_mali_decoder_create(g76(), &two_cores, &decoder, NULL), 0);
    pp_mali_sums_begin(&sums);
    sums.dumps = 1;
    for (uint32_t i = 0; i < g76()->counters; i++)
        sums.sum[i] = 1000 + 7 * i;
    pp_mali_decode_sums(decoder, &sums, cell);
    for (uint32_t i = 0; i < g76()->metrics; i++) {
        const struct pp_mali_cell *c = &cell[g76()->counters + i];
        if (c->status != PP_OK || c->type != PP_METRIC_F64 || !isfinite(c->value.f) || c->value.f < 0)
            fail_msg("%s is %g (%d)", g76()->metric[i].symbol, c->value.f, c->status);
    }
    memset(sums.sum, 0, sizeof(sums.sum));
    pp_mali_decode_sums(decoder, &sums, cell);
    for (uint32_t i = 0; i < g76()->metrics; i++) {
        const struct pp_mali_cell *c = &cell[g76()->counters + i];
        bool divides = false;
        for (const char *p = strchr(g76()->metric[i].formula, '/'); p; p = strchr(p + 1, '/'))
            divides |= p[2] == '$' || p[2] == '(';
        if (divides ? c->status != PP_DIV_BY_ZERO || !isnan(c->value.f) : c->status != PP_OK)
            fail_msg("%s: %s gives %g (%d)", g76()->metric[i].symbol, g76()->metric[i].formula, c->value.f,
                     c->status);
    }
    pp_mali_decoder_destroy(decoder);
}

static void
columns_equal_single_rows(void **state)
{
    (void)state;
    enum {
        ROWS = 300,
    };
    const struct pp_mali_gpu *gpu = g76();
    struct pp_mali_sums *sums = calloc(ROWS, sizeof(*sums));
    size_t columns = (size_t)gpu->counters + gpu->metrics;
    union pp_metric_number *value = calloc(columns * ROWS, sizeof(*value));
    uint8_t *status = calloc(columns, ROWS);
    struct pp_metric_result result[256];
    static struct pp_mali_cell cell[256];
    struct pp_mali_decoder *decoder = NULL;
    assert_int_equal(pp_mali_decoder_create(gpu, &two_cores, &decoder, NULL), 0);
    for (size_t i = 0; i < columns; i++)
        result[i] = (struct pp_metric_result){value + i * ROWS, status + i * ROWS};
    for (uint32_t row = 0; row < ROWS; row++) {
        sums[row].dumps = row != 17;
        for (uint32_t i = 0; i < gpu->counters; i++) {
            sums[row].sum[i] = (row * 31 + i * 17) % 11 ? row * 1000 + i : 0;
            sums[row].remark[i] = (row + i) % 97 == 0 ? PP_MALI_SATURATED : 0;
        }
    }
    pp_mali_decode_columns(decoder, ROWS, sums, result, result + gpu->counters);
    for (uint32_t row = 0; row < ROWS; row++) {
        pp_mali_decode_sums(decoder, &sums[row], cell);
        for (size_t i = 0; i < columns; i++) {
            assert_int_equal(cell[i].status, status[i * ROWS + row]);
            if (pp_status_has_value(cell[i].status))
                assert_true(cell[i].value.u == value[i * ROWS + row].u);
        }
    }
    pp_mali_decoder_destroy(decoder);
    free(sums);
    free(value);
    free(status);
}

static void
everything_is_listed(void **state)
{
    (void)state;
    const struct pp_catalogue *catalogue = pp_catalogue_find("mali");
    assert_non_null(catalogue);
    assert_int_equal(catalogue->sets, 2);
    int64_t metrics = pp_catalogue_find_set(catalogue, "mali-g76", "Derived");
    assert_true(metrics >= 0);
    assert_true(pp_catalogue_find_set(catalogue, "mali-g76", "Hardware") >= 0);
    for (uint32_t s = 0; s < catalogue->sets; s++) {
        struct pp_catalogue_set set;
        catalogue->set(s, &set);
        assert_int_equal(set.metrics, s == metrics ? 85 : 63);
        for (uint32_t i = 0; i < set.metrics; i++) {
            struct pp_catalogue_metric metric;
            char name[128];
            catalogue->metric(s, i, &metric);
            assert_true(*metric.symbol && *metric.name && *metric.description && *metric.unit &&
                        *metric.formula);
            assert_true(metric.max_formula && metric.availability && metric.group);
            assert_true(pp_catalogue_column_name(&metric, name, sizeof(name)) < (int)sizeof(name));
            assert_null(strstr(name, "_cycles_cycles"));
            assert_null(strchr(name, '/'));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configuration_follows_from_registers),
        cmocka_unit_test(configuration_is_read_from_text),
        cmocka_unit_test(blocks_add_up_by_kind),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(samples_are_decoded),
        cmocka_unit_test(bad_samples_are_refused_with_their_place),
        cmocka_unit_test(all_metrics_with_counts_and_without),
        cmocka_unit_test(columns_equal_single_rows),
        cmocka_unit_test(everything_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
