/** @file
 * Speed of light: users' tables and their mistakes, verdicts of Intel and Mali, units without counters. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/mali/mali_decode.h"
#include "counters/metric/catalogue.h"
#include "counters/speed_of_light/bottleneck.h"
#include "tests/unit/counters/workload_parts.h"

#define NEAR(got, want) assert_true(is_near(got, want))
#define HEAD            "id,quantity,peak,unit\n"

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-12 * fmax(1, fabs(want));
}

static struct pp_peak_table
table_of(const char *text)
{
    struct pp_peak_table table;
    struct pp_peak_error error = {0};
    if (pp_peak_table_parse(text, strlen(text), &table, &error))
        fail_msg("line %u column %u: %s", error.line, error.column, error.message);
    return table;
}

static const struct pp_bottleneck_unit *
unit(const struct pp_bottleneck *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->units; i++) {
        if (!strcmp(verdict->unit[i].name, name))
            return &verdict->unit[i];
    }
    fail_msg("no unit %s", name);
    return NULL;
}

static const char *
bound(const struct pp_bottleneck *verdict)
{
    return verdict->bound < verdict->units ? verdict->unit[verdict->bound].name : "";
}

/* Tables */

static void
tables_are_read(void **state)
{
    (void)state;
    struct pp_peak_table t =
        table_of("\xEF\xBB\xBF# mine\r\nunit,note,id,peak,quantity,basis\r\n\r\n"
                 "B/s,\"a, \"\"b\"\"\",dram, 2.56E+1 * $Channels*1e9 * $N ,bytes,data sheet\r\n"
                 "bytes,,l3,max,L3Throughput,\nKiB,,cache,-0,size,x");
    assert_int_equal(t.rows, 3);
    assert_string_equal(t.row[0].id, "dram");
    assert_int_equal(t.row[0].kind, PP_PEAK_PER_SECOND);
    NEAR(t.row[0].peak, 25.6e9);
    assert_string_equal(t.row[0].factor[0], "Channels");
    assert_string_equal(t.row[0].factor[1], "N");
    assert_null(t.row[0].factor[2]);
    assert_string_equal(t.row[0].basis, "data sheet");
    assert_string_equal(t.row[0].confidence, "");
    assert_int_equal(t.row[1].kind, PP_PEAK_MAXIMUM);
    assert_int_equal(t.row[2].kind, PP_PEAK_INFO);
    assert_int_equal(t.row[2].line, 6);
    pp_peak_table_destroy(&t);
    pp_peak_table_destroy(&t);
}

static void
mistakes_have_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *part;
    } mistake[] = {
        {"", 1, 1, "empty"},
        {"# only this\n", 1, 1, "empty"},
        {"id,quantity,unit\n", 1, 1, "'peak' is missing"},
        {"id,quantity,peak,unit,id\n", 1, 23, "has column 'id' twice"},
        {"id,quantity,peek,unit\n", 1, 13, "unknown column 'peek'"},
        {HEAD "a,b,1,x/clk\na,b,2\n", 3, 5, "3 cells, but the header has 4"},
        {HEAD "a,b,1,x/clk,9\n", 2, 13, "5 cells"},
        {HEAD "a,b,1,x/clk\n\n#\na,b,1,x/clk\n", 5, 1, "line 2 already has the id 'a'"},
        {HEAD ",b,1,x/clk\n", 2, 1, "empty"},
        {HEAD "a b,b,1,x/clk\n", 2, 2, "letters"},
        {HEAD ".a,b,1,x/clk\n", 2, 1, "begin"},
        {HEAD "a,b,0,x/clk\n", 2, 5, "greater than 0"},
        {HEAD "a,b,-1,percent\n", 2, 5, "greater than 0"},
        {HEAD "a,b,,x/clk\n", 2, 5, "not a number"},
        {HEAD "a,b,1e999,x/clk\n", 2, 5, "not a number"},
        {HEAD "a,b,nan,x\n", 2, 5, "not a number"},
        {HEAD "a,b,0x10,x\n", 2, 5, "not a number"},
        {HEAD "a,b,2*,x/clk\n", 2, 7, "not a number"},
        {HEAD "a,b,2 + 3,x/clk\n", 2, 7, "only *"},
        {HEAD "a,b,2*$,x/clk\n", 2, 7, "name must follow"},
        {HEAD "a,b,$A*$B*$C*$D,x/clk\n", 2, 14, "more than 3"},
        {HEAD "a,b,1e300*1e300,x/clk\n", 2, 5, "out of range"},
        {"runs_on," HEAD "A B,a,b,1,x/clk\n", 2, 2, "name of a unit"},
        {"runs_on," HEAD "A.B,a,b,1,x/clk\n", 2, 2, "name of a unit"},
        {"runs_on," HEAD "A23456789012345678901234567890_32,a,b,1,x/clk\n", 2, 1, "at most 31"},
        {HEAD "a,\"b,1,x/clk\n", 2, 3, "not closed"},
        {HEAD "a,\"b\"c,1,x/clk\n", 2, 6, "after a closing quote"},
        {HEAD "a,b\"c,1,x/clk\n", 2, 4, "contains a quote"},
    };
    for (size_t i = 0; i < sizeof(mistake) / sizeof(mistake[0]); i++) {
        struct pp_peak_table table = {0};
        struct pp_peak_error error = {0};
        int err = pp_peak_table_parse(mistake[i].text, strlen(mistake[i].text), &table, &error);
        if (err != -EINVAL || error.line != mistake[i].line || error.column != mistake[i].column ||
            !strstr(error.message, mistake[i].part))
            fail_msg("'%s': %d, line %u column %u: %s", mistake[i].text, err, error.line, error.column,
                     error.message);
        assert_null(table.memory);
    }
    struct pp_peak_table table;
    assert_int_equal(pp_peak_table_parse("id\0x", 4, &table, NULL), -EINVAL);
}

static void
decimals_ignore_the_locale(void **state)
{
    (void)state;
    char *before = strdup(setlocale(LC_ALL, NULL));
    assert_non_null(before);
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
        free(before);
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    struct pp_peak_table t = table_of(HEAD "dram,bytes,25.6,B/clk\n");
    setlocale(LC_ALL, before);
    NEAR(t.row[0].peak, 25.6);
    pp_peak_table_destroy(&t);
    free(before);
}

static void
compiled_in_tables_are_good(void **state)
{
    (void)state;
    static const char *const want[] = {"gm20b", "intel-oa", "mali-g76", "mali-g76-budget"};
    const struct pp_peak_builtin *builtin;
    size_t n = 0;
    for (; (builtin = pp_peak_builtin(n)); n++) {
        struct pp_peak_table t = table_of(builtin->text);
        assert_int_equal(strlen(builtin->text), builtin->size);
        for (size_t i = 0; i < t.rows; i++)
            assert_true(*t.row[i].basis && *t.row[i].confidence);
        pp_peak_table_destroy(&t);
    }
    for (size_t i = 0; i < 4; i++)
        assert_non_null(pp_peak_builtin_find(want[i]));
    assert_true(n >= 4);
    assert_null(pp_peak_builtin_find("gm20"));
}

/* Verdicts */

/** Make a workload from amounts: key, value. */
static struct pp_bottleneck
judge(const struct pp_peak_table *table, const struct pp_workload *work, double clocks)
{
    static const struct pp_peak_variable variable[] = {{"MaliConstantsL2SliceCount", 2},
                                                       {"MaliConstantsShaderCoreCount", 12}};
    struct pp_bottleneck verdict;
    assert_int_equal(pp_bottleneck_judge(table, work, clocks, 0, variable, 2, &verdict), 0);
    return verdict;
}

static void
must_add(struct pp_workload *work, const char *key, double value)
{
    assert_int_equal(pp_workload_add(work, key, value, false), 0);
}

/* Intel: SamplersBusy 85 %, EuActive 40 %, GTI reads 81 of 100 possible bytes, L3 not in the set. */
static void
intel_names_the_busiest_unit(void **state)
{
    (void)state;
    struct pp_peak_table t = table_of(pp_peak_builtin_find("intel-oa")->text);
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "EuActive", 40);
    must_add(&work, "SamplersBusy", 85);
    assert_int_equal(pp_workload_add_of(&work, "GtiReadThroughput", 81e6, 100e6), 0);
    assert_int_equal(pp_workload_add_of(&work, "GtiWriteThroughput", 1e6, 50e6), 0);
    struct pp_bottleneck v = judge(&t, &work, 1562500);
    assert_string_equal(bound(&v), "SAMPLER");
    assert_int_equal(v.class, PP_BOTTLENECK_SATURATED);
    NEAR(unit(&v, "SAMPLER")->percent, 85);
    NEAR(unit(&v, "EU")->clocks, 625000);
    NEAR(unit(&v, "GTI_READ")->percent, 81);
    assert_true(unit(&v, "GTI_READ")->co_limit); /* 81 of 85 is 95.3 % */
    assert_false(unit(&v, "EU")->co_limit);
    assert_int_equal(unit(&v, "L3_SHADER")->seen, PP_BOTTLENECK_NO_INPUT);
    assert_true(isnan(unit(&v, "L3_SHADER")->percent));
    assert_int_equal(v.unseen, 2);
    assert_int_equal(v.unmatched, 0);
    pp_peak_table_destroy(&t);
}

/* Mali: per-core cycles of the functional units over GPU active cycles; the bus has a beat per slice. */
static void
mali_names_the_busiest_unit(void **state)
{
    (void)state;
    struct pp_peak_table t = table_of(pp_peak_builtin_find("mali-g76")->text);
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "MaliCoreInstructionsExecutedInstructions", 300000);
    must_add(&work, "varying_cycles", 100000);
    must_add(&work, "texture_filtering_cycles", 650000);
    must_add(&work, "load_store_total_issues", 50000);
    must_add(&work, "tiler_active_cycles", 0);
    must_add(&work, "MaliExternalBusBeatsReadBeat", 1240000);
    must_add(&work, "MaliExternalBusBeatsWriteBeat", NAN);
    struct pp_bottleneck v = judge(&t, &work, 1e6);
    assert_string_equal(bound(&v), "TEXTURE");
    NEAR(v.unit[v.bound].percent, 65);
    assert_int_equal(v.class, PP_BOTTLENECK_MIXED);
    NEAR(unit(&v, "BUS_READ")->percent, 62);
    assert_true(unit(&v, "BUS_READ")->co_limit);
    NEAR(unit(&v, "TILER")->percent, 0);
    assert_int_equal(unit(&v, "BUS_WRITE")->seen, PP_BOTTLENECK_UNKNOWN);
    assert_int_equal(v.unseen, 1);
    struct pp_bottleneck blind;
    assert_int_equal(pp_bottleneck_judge(&t, &work, 1e6, 0, NULL, 0, &blind), 0);
    assert_int_equal(unit(&blind, "BUS_READ")->seen, PP_BOTTLENECK_NO_PEAK);
    pp_peak_table_destroy(&t);
}

/* Twelve cores at 700 MHz, 1080p at 60 Hz: 67.5 cycles a pixel, 57.4 of them realistic. */
static void
mali_s_cycle_budget_is_a_verdict(void **state)
{
    (void)state;
    double pixels = 1920.0 * 1080, budget = 12 * 700e6 / (pixels * 60);
    NEAR(budget, 12 * 700e6 / (pixels * 60));
    struct pp_peak_table t = table_of(pp_peak_builtin_find("mali-g76-budget")->text);
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "shader_core_cycles", 0.5 * budget * pixels);
    struct pp_bottleneck v = judge(&t, &work, 700e6 / 60);
    assert_string_equal(bound(&v), "CYCLE_BUDGET");
    NEAR(v.unit[0].percent, 50 / 0.85);
    pp_peak_table_destroy(&t);
}

/* Does a set of this description have a metric of this symbol, with a maximum if one is needed? */
static bool
intel_has(const char *gpu, const char *symbol, bool maximum)
{
    const struct pp_catalogue *intel = pp_catalogue_find("intel");
    bool found = false;
    for (uint32_t s = 0; s < intel->sets; s++) {
        struct pp_catalogue_set set;
        intel->set(s, &set);
        for (uint32_t m = 0; m < set.metrics && !strcmp(set.gpu, gpu); m++) {
            struct pp_catalogue_metric metric;
            intel->metric(s, m, &metric);
            if (strcmp(metric.symbol, symbol) != 0)
                continue;
            if (maximum && !*metric.max_formula)
                fail_msg("%s %s: %s has no maximum", gpu, set.symbol, symbol);
            found = true;
        }
    }
    return found;
}

/* Everything that the tables name exists: EU, sampler and GTI in every Intel description, an L3 port in each.
 */
static void
tables_name_metrics_that_exist(void **state)
{
    (void)state;
    const struct pp_catalogue *intel = pp_catalogue_find("intel");
    struct pp_peak_table t = table_of(pp_peak_builtin_find("intel-oa")->text);
    char before[32] = "";
    unsigned gpus = 0;
    for (uint32_t s = 0; s < intel->sets; s++) {
        struct pp_catalogue_set set;
        intel->set(s, &set);
        if (!strcmp(set.gpu, before))
            continue;
        snprintf(before, sizeof(before), "%s", set.gpu);
        gpus++;
        for (size_t r = 0; r < t.rows; r++) {
            bool has = intel_has(set.gpu, t.row[r].quantity, t.row[r].kind == PP_PEAK_MAXIMUM);
            if (!has && strncmp(t.row[r].id, "l3", 2) != 0)
                fail_msg("%s has no %s", set.gpu, t.row[r].quantity);
        }
        assert_true(intel_has(set.gpu, "L3ShaderThroughput", true) ||
                    intel_has(set.gpu, "L3SamplerThroughput", true));
    }
    assert_int_equal(gpus, 19);
    pp_peak_table_destroy(&t);
}

/** Look a value up in a row of the decoder. */
struct mali_row {
    const struct pp_mali_decoder *decoder;
    const struct pp_mali_cell *cell;
    unsigned asked, known;
};

static int
find_in_row(void *self, const char *quantity, double *ret_value, double *ret_maximum)
{
    struct mali_row *row = self;
    row->asked++;
    (void)ret_maximum;
    for (size_t i = 0; i < pp_mali_decoder_columns(row->decoder); i++) {
        const struct pp_mali_cell *cell = &row->cell[i];
        if (strcmp(pp_mali_decoder_column(row->decoder, i).symbol, quantity) != 0)
            continue;
        row->known++;
        if (!pp_status_has_value((enum pp_status)cell->status))
            return -ENODATA;
        *ret_value = cell->type == PP_METRIC_F64 ? cell->value.f : (double)cell->value.u;
        return 0;
    }
    return -ENODATA;
}

static double
in_row(struct mali_row *row, const char *symbol)
{
    double value = NAN, maximum;
    assert_int_equal(find_in_row(row, symbol, &value, &maximum), 0);
    return value;
}

/* From a dump's sums through the decoder to the verdict: percentages are Arm's utilisations, but relative to
 * the GPU's active cycles, not to the execution core's. */
static void
mali_dumps_get_a_verdict(void **state)
{
    (void)state;
    const struct pp_mali_gpu *gpu = pp_mali_gpu_find("mali-g76");
    struct pp_mali_decoder *decoder;
    struct pp_mali_sums sums;
    assert_int_equal(pp_mali_decoder_create(gpu, &gpu->assumed, &decoder, NULL), 0);
    struct pp_mali_cell *cell = calloc(pp_mali_decoder_columns(decoder), sizeof(*cell));
    assert_non_null(cell);
    pp_mali_sums_begin(&sums);
    sums.dumps = 1;
    uint64_t cores = pp_mali_cores(&gpu->assumed);
    for (uint32_t i = 0; i < gpu->counters; i++) {
        const char *symbol = gpu->counter[i].symbol;
        sums.sum[i] = !strcmp(symbol, "MaliGPUCyclesGPUActive")                 ? 1000000
                      : !strcmp(symbol, "MaliCoreCyclesExecutionCoreActive")    ? 800000 * cores
                      : !strcmp(symbol, "MaliCoreTextureCyclesTexturingActive") ? 700000 * cores
                                                                                : 1000 * (i + 1);
    }
    pp_mali_decode_sums(decoder, &sums, cell);
    struct mali_row row = {.decoder = decoder, .cell = cell};
    struct pp_peak_table t = table_of(pp_peak_builtin_find("mali-g76")->text);
    struct pp_workload work = {.amounts = 0};
    const struct pp_workload_lookup lookup = {find_in_row, &row};
    assert_int_equal(pp_workload_collect(&work, &t, &lookup), 0);
    assert_int_equal(row.asked, 7);
    assert_int_equal(row.known, 7);
    struct pp_bottleneck v = judge(&t, &work, in_row(&row, "gpu_active_cycles"));
    assert_string_equal(bound(&v), "TEXTURE");
    NEAR(v.unit[v.bound].percent, 70);
    assert_int_equal(v.unseen, 0);
    NEAR(unit(&v, "TEXTURE")->percent, in_row(&row, "texture_unit_utilization") * 0.8);
    NEAR(unit(&v, "ALU")->percent, in_row(&row, "arithmetic_unit_utilization") * 0.8);
    NEAR(unit(&v, "VARYING")->percent, in_row(&row, "varying_unit_utilization") * 0.8);
    NEAR(unit(&v, "LOAD_STORE")->percent, in_row(&row, "load_store_unit_utilization") * 0.8);
    NEAR(unit(&v, "TILER")->percent, in_row(&row, "tiler_utilization"));
    pp_peak_table_destroy(&t);
    pp_mali_decoder_destroy(decoder);
    free(cell);
}

static void
classes_of_work_use_their_own_rate(void **state)
{
    (void)state;
    struct pp_peak_table t =
        table_of(HEAD "rop_px,px,16,px/clk\nrop_px.blend,px,4,px/clk\nsetup_tri,prim,1,prim/clk\n"
                      "setup_line,prim,0.5,prim/clk\nvpc_vertex,v,1,v/clk\nvpc_prim,p,2,p/clk\n"
                      "vpc_scalar,s,8,s/clk\nzeta,z,2,z/clk\n");
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "rop_px.blend", 400);
    must_add(&work, "rop_px.fill", 1600);
    must_add(&work, "rop_px.blend", 400);
    must_add(&work, "setup_line", 10);
    must_add(&work, "setup_strip", 30);
    must_add(&work, "fe_draw", 3);
    must_add(&work, "no_such", 3);
    must_add(&work, "z", 8);
    assert_int_equal(workload_add_vertices(&work, 100, 2, 120, 12), 0);
    struct pp_bottleneck v = judge(&t, &work, 1000);
    NEAR(unit(&v, "ROP")->clocks, 800.0 / 4 + 1600.0 / 16);
    NEAR(unit(&v, "SETUP")->clocks, 10 / 0.5 + 30);
    NEAR(unit(&v, "VPC")->clocks, 150); /* the slowest of 100, 60 and 150 */
    NEAR(unit(&v, "ZETA")->clocks, 4);
    assert_int_equal(unit(&v, "FRONT_END")->seen, PP_BOTTLENECK_NO_PEAK);
    assert_int_equal(unit(&v, "ATTRIBUTE")->seen, PP_BOTTLENECK_NO_PEAK);
    assert_int_equal(v.unmatched, 1);
    assert_string_equal(bound(&v), "ROP");
    pp_peak_table_destroy(&t);
}

/* Full-rate and packed half instructions of the GM20B run on the same lanes: their clocks add up. */
static void
kinds_on_one_unit_add_up(void **state)
{
    (void)state;
    struct pp_peak_table t = table_of(pp_peak_builtin_find("gm20b")->text);
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "sm_full", 61.44e6);
    must_add(&work, "sm_h2", 15.36e6);
    struct pp_bottleneck v = judge(&t, &work, 400000);
    NEAR(unit(&v, "SM_FULL")->clocks, 300000);
    NEAR(unit(&v, "SM_FULL")->percent, 75);
    assert_string_equal(bound(&v), "SM_FULL");
    for (size_t i = 0; i < v.units; i++)
        assert_string_not_equal(v.unit[i].name, "SM_H2");

    struct pp_workload half = {.amounts = 0};
    must_add(&half, "sm_full", 61.44e6);
    assert_int_equal(pp_workload_add(&half, "sm_h2", NAN, true), 0);
    v = judge(&t, &half, 400000);
    assert_int_equal(unit(&v, "SM_FULL")->seen, PP_BOTTLENECK_UNKNOWN); /* a part of its load is not known */
    pp_peak_table_destroy(&t);
}

/* In a table `runs_on` says which unit executes a kind of load, for built-in kinds and for the table's own.
 */
static void
tables_say_what_runs_where(void **state)
{
    (void)state;
    struct pp_peak_table t =
        table_of("id,quantity,peak,unit,runs_on\n"
                 "sm_full,a,256,op/clk,\nsm_h2,b,256,op/clk,SM_H2\n"
                 "sm_half,c,128,op/clk,sm_full\nvpc_vertex,v,1,v/clk,\nvpc_prim,p,1,p/clk,\n"
                 "vpc_scalar,s,1,s/clk,ATTRIBUTE\nvertex_attribute,x,1,x/clk,\n"
                 "index_bytes,i,1,B/clk,VPC\nrop_px,px,16,px/clk,\n"
                 "rop_px.blend,px,4,px/clk,BLENDER\nblend2,e,10,e/clk,BLENDER\n");
    struct pp_workload work = {.amounts = 0};
    must_add(&work, "sm_full", 256);
    must_add(&work, "sm_h2", 512);
    must_add(&work, "sm_half", 384);
    must_add(&work, "index_bytes", 7);
    must_add(&work, "rop_px", 32);
    must_add(&work, "rop_px.blend", 40);
    must_add(&work, "e", 30);
    assert_int_equal(workload_add_vertices(&work, 100, 2, 120, 3), 0);
    struct pp_bottleneck v = judge(&t, &work, 1000);
    NEAR(unit(&v, "SM_FULL")->clocks, 1 + 3);
    NEAR(unit(&v, "SM_H2")->clocks, 2);
    NEAR(unit(&v, "VPC")->clocks, 7 + 120); /* index bytes, then the slower of vertices and primitives */
    NEAR(unit(&v, "ATTRIBUTE")->clocks, 200 + 300);
    NEAR(unit(&v, "ROP")->clocks, 2);
    NEAR(unit(&v, "BLENDER")->clocks, 10 + 3);
    assert_int_equal(v.unmatched, 0);
    assert_string_equal(bound(&v), "ATTRIBUTE");
    pp_peak_table_destroy(&t);
}

static void
verdicts_have_sharp_edges(void **state)
{
    (void)state;
    static const struct {
        double clocks;
        enum pp_bottleneck_class class;
        const char *name;
    } edge[] = {
        {0, PP_BOTTLENECK_NO_WORK, "no-work"},
        {59.9, PP_BOTTLENECK_UNDER_USED, "under-used"},
        {60, PP_BOTTLENECK_MIXED, "mixed"},
        {79.9, PP_BOTTLENECK_MIXED, "mixed"},
        {80, PP_BOTTLENECK_SATURATED, "saturated"},
        {100, PP_BOTTLENECK_SATURATED, "saturated"},
        {100.0001, PP_BOTTLENECK_OVER_PEAK, "over-peak"},
        {1e9, PP_BOTTLENECK_OVER_PEAK, "over-peak"},
    };
    for (size_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
        struct pp_bottleneck v = {.units = 1};
        v.unit[0].clocks = edge[i].clocks;
        assert_int_equal(pp_bottleneck_decide(&v, 100), 0);
        assert_int_equal(v.class, edge[i].class);
        assert_string_equal(pp_bottleneck_class_name(v.class), edge[i].name);
        NEAR(v.unit[0].percent, edge[i].clocks);
    }
}

/* A later unit must be clearly slower to become the bottleneck. */
static void
order_breaks_ties(void **state)
{
    (void)state;
    struct pp_bottleneck v = {.units = 2};
    v.unit[0].clocks = 70;
    v.unit[1].clocks = 70 * (1 + 5e-10);
    assert_int_equal(pp_bottleneck_decide(&v, 100), 0);
    assert_int_equal(v.bound, 0);
    assert_true(v.unit[1].co_limit);
    v.unit[1].clocks = 70 * (1 + 2e-9);
    assert_int_equal(pp_bottleneck_decide(&v, 100), 0);
    assert_int_equal(v.bound, 1);
    assert_true(v.unit[0].co_limit && !v.unit[1].co_limit);
}

static void
nonsense_is_refused(void **state)
{
    (void)state;
    struct pp_peak_table t = table_of(HEAD);
    struct pp_workload work = {.amounts = 0};
    struct pp_bottleneck v;
    assert_int_equal(pp_bottleneck_judge(&t, &work, 0, 0, NULL, 0, &v), -EINVAL);
    assert_int_equal(pp_bottleneck_judge(&t, &work, NAN, 0, NULL, 0, &v), -EINVAL);
    assert_int_equal(pp_bottleneck_judge(&t, &work, INFINITY, 0, NULL, 0, &v), -EINVAL);
    assert_int_equal(pp_bottleneck_judge(&t, &work, 1, 0, NULL, 0, &v), 0);
    assert_int_equal(v.class, PP_BOTTLENECK_NO_WORK);
    assert_int_equal(pp_workload_add(&work, "", 1, false), -EINVAL);
    assert_int_equal(pp_workload_add(&work, "a", -1, false), -EINVAL);
    assert_int_equal(pp_workload_add(&work, "a", INFINITY, false), -EINVAL);
    assert_int_equal(pp_workload_add_of(&work, "a", 1, 0), -EINVAL);
    assert_int_equal(
        pp_workload_add(&work, "a_key_that_is_longer_than_any_that_a_table_could_have", 1, false), -EINVAL);
    for (int i = 0; i < PP_WORKLOAD_AMOUNTS; i++) {
        char key[16];
        snprintf(key, sizeof(key), "k%d", i);
        must_add(&work, key, i);
    }
    assert_int_equal(pp_workload_add(&work, "one_more", 1, false), -ENOSPC);
    pp_peak_table_destroy(&t);
}

static void
estimates_are_marked(void **state)
{
    (void)state;
    struct pp_peak_table t = table_of(pp_peak_builtin_find("gm20b")->text);
    struct pp_workload work = {.amounts = 0};
    assert_int_equal(pp_workload_add(&work, "sm_full", 256e3, true), 0);
    must_add(&work, "dram", 25600);
    must_add(&work, "rop_px", 1);
    struct pp_bottleneck v;
    assert_int_equal(pp_bottleneck_judge(&t, &work, 2000, 0, NULL, 0, &v), 0);
    assert_true(unit(&v, "SM_FULL")->estimate && !unit(&v, "ROP")->estimate);
    assert_int_equal(unit(&v, "DRAM")->seen, PP_BOTTLENECK_NO_PEAK); /* bytes a second, and no clock */
    assert_int_equal(pp_bottleneck_judge(&t, &work, 2000, 1e9, NULL, 0, &v), 0);
    NEAR(unit(&v, "DRAM")->clocks, 1000);
    pp_peak_table_destroy(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(mistakes_have_line_and_column),
        cmocka_unit_test(decimals_ignore_the_locale),
        cmocka_unit_test(compiled_in_tables_are_good),
        cmocka_unit_test(intel_names_the_busiest_unit),
        cmocka_unit_test(mali_names_the_busiest_unit),
        cmocka_unit_test(mali_s_cycle_budget_is_a_verdict),
        cmocka_unit_test(tables_name_metrics_that_exist),
        cmocka_unit_test(mali_dumps_get_a_verdict),
        cmocka_unit_test(classes_of_work_use_their_own_rate),
        cmocka_unit_test(kinds_on_one_unit_add_up),
        cmocka_unit_test(tables_say_what_runs_where),
        cmocka_unit_test(verdicts_have_sharp_edges),
        cmocka_unit_test(order_breaks_ties),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(estimates_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
