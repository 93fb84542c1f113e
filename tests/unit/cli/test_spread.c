/** @file
 * What repeated runs of one command say (`stat -r`), of made runs: which runs count for a pass. */
#include "tests/lib/cmocka_test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/spread.h"

#define RUNS 4U

/* A pass of a run; 0: its frames have no such pass. */
struct made {
    double always_ns, sometimes_ns;
    bool no_passes; /* they were not measured */
};

static void
put_pass(json_t *passes, const char *id, double ns, int per_frame)
{
    if (ns > 0)
        (void)json_array_append_new(passes, json_pack("{s:s, s:s, s:s, s:i, s:f, s:f}", "id", id, "kind",
                                                      "render", "name", id, "per_frame", per_frame,
                                                      "gpu_ns_per_frame", ns, "p50_ns", ns));
}

static void
make_run(const struct made *of, struct pp_run_figures *ret)
{
    char why[PP_RUN_WHY];
    json_t *passes = json_array();
    if (!of->no_passes) {
        put_pass(passes, "always", of->always_ns, 1);
        put_pass(passes, "sometimes", of->sometimes_ns, 1);
        put_pass(passes, "first frames", 5, 0);
    }
    json_t *json =
        json_pack("{s:s, s:i, s:[{s:s, s:f, s:{s:{s:i, s:f, s:f}}, s:o}]}", "format", "passprobe-report",
                  "schema", 4, "surfaces", "surface", "window 1", "fps", 60.0, "times", "frame_time",
                  "frames", 100, "mean_ns", 17e6, "p50_ns", 16e6, "passes", passes);
    *ret = (struct pp_run_figures){.json = NULL};
    assert_int_equal(pp_run_figures_take(json, "made", ret, why), 0);
}

static const struct pp_runs_spread_row *
find(const struct pp_runs_spread *spread, const char *id)
{
    for (size_t i = 0; i < spread->len; i++)
        if (strcmp(spread->row[i].id, id) == 0)
            return &spread->row[i];
    return NULL;
}

/* Frames that lack a pass spend no time in it. A run whose passes were not measured says nothing. */
static void
a_pass_that_a_run_lacks_costs_nothing(void **state)
{
    static const struct made made[RUNS] = {{10, 0, false}, {12, 8, false}, {11, 4, false}, {0, 0, true}};
    struct pp_run_figures run[RUNS];
    struct pp_runs_spread spread;
    (void)state;
    for (size_t i = 0; i < RUNS; i++)
        make_run(&made[i], &run[i]);
    assert_int_equal(pp_runs_spread_make(run, RUNS, &spread), 0);
    const struct pp_runs_spread_row *always = find(&spread, "always"),
                                    *sometimes = find(&spread, "sometimes");
    assert_non_null(always);
    assert_non_null(sometimes);
    assert_int_equal(always->between.runs, 3);
    assert_int_equal(sometimes->between.runs, 3);
    assert_true(fabs(sometimes->value[0]) <= 0 && isnan(sometimes->value[3]));
    assert_true(fabs(sometimes->between.mean - 4) < 1e-9);
    assert_true(fabs(sometimes->p50 - 6) < 1e-9); /* of the runs that have it */
    assert_null(find(&spread, "first frames"));
    pp_runs_spread_finish(&spread);
    for (size_t i = 0; i < RUNS; i++)
        pp_run_figures_finish(&run[i]);
}

/* One rule for all figures: also a time of frames, whose median is shown as one of the percentiles within a
 * run.
 */
static void
a_run_counts_as_its_mean(void **state)
{
    static const struct made made = {10, 0, false};
    struct pp_run_figures run;
    struct pp_runs_spread spread;
    (void)state;
    make_run(&made, &run);
    assert_int_equal(pp_runs_spread_make(&run, 1, &spread), 0);
    for (size_t i = 0; i < spread.len; i++) {
        if (spread.row[i].kind != PP_SPREAD_TIME)
            continue;
        assert_true(fabs(spread.row[i].value[0] - 17e6) < 1);
        assert_true(fabs(spread.row[i].p50 - 16e6) < 1);
    }
    assert_int_equal(spread.row[1].kind, PP_SPREAD_TIME);
    pp_runs_spread_finish(&spread);
    pp_run_figures_finish(&run);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pass_that_a_run_lacks_costs_nothing),
                                       cmocka_unit_test(a_run_counts_as_its_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
