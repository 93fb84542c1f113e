/** @file
 * Limits of `diff --fail-above` on comparisons of made runs: what is above a limit, what is no more than
 * chance, and what cannot be judged. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/limit_check.h"

#define RUNS 5U

/* Figures of a run; 0: left out. */
struct figures {
    double frame_ms, fps, shadow_ms, bloom_ms, glow_ms, tiny_us, objects, slow;
};

static void
put_pass(json_t *passes, const char *label, double ns)
{
    if (ns > 0)
        (void)json_array_append_new(
            passes, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f}", "id", label, "kind",
                              "render", "name", "window", "label", label, "place",
                              (int)json_array_size(passes), "per_frame", 1, "gpu_ns_per_frame", ns, "mean_ns",
                              ns, "p50_ns", ns, "p95_ns", 2 * ns, "max_ns", 3 * ns));
}

/* Append a run to a side. */
static void
add_run(struct pp_diff_side *side, const struct figures *of)
{
    char why[PP_RUN_WHY];
    double ns = of->frame_ms * 1e6;
    json_t *passes = json_array(), *counters = json_array();
    put_pass(passes, "Frame/Shadow", of->shadow_ms * 1e6);
    put_pass(passes, "Frame/Bloom", of->bloom_ms * 1e6);
    put_pass(passes, "Frame/Glow", of->glow_ms * 1e6);
    put_pass(passes, "Frame/Tiny", of->tiny_us * 1e3);
    (void)json_array_append_new(counters, json_pack("{s:s, s:f, s:i, s:b}", "name", "app:objects", "mean",
                                                    of->objects, "frames", 100, "additive", 1));
    json_t *json =
        json_pack("{s:s, s:i, s:[{s:s, s:f, s:f, s:{s:{s:i, s:f, s:f, s:f}, s:{s:i, s:f, s:f}}, s:o, s:o}]}",
                  "format", "passprobe-report", "schema", 4, "surfaces", "surface", "window 1", "fps",
                  of->fps, "slow_frames_found", of->slow, "times", "frame_time", "frames", 1000, "p50_ns", ns,
                  "mean_ns", ns, "p99_ns", 2 * ns, "gpu_time", "frames", 1000, "p50_ns", ns, "mean_ns", ns,
                  "passes", passes, "counters", counters);
    side->run = reallocarray(side->run, side->runs + 1, sizeof(*side->run));
    assert_non_null(side->run);
    assert_int_equal(pp_run_figures_take(json, "made", &side->run[side->runs++], why), 0);
}

static const struct figures usual = {.frame_ms = 16, .fps = 60, .shadow_ms = 4, .tiny_us = 10, .objects = 4};

/* Two sides of runs, a limit, and what it says. */
struct fixture {
    struct pp_diff_side olds, news;
    struct pp_diff diff;
    struct pp_limit limit[2];
    struct pp_limit_checks checks;
};

/* Make sides of @p runs runs that differ by @p spread at most from the figures. */
static void
make(struct fixture *f, const struct figures *old_figures, const struct figures *new_figures, size_t runs,
     double spread)
{
    *f = (struct fixture){.olds = {.runs = 0}};
    for (size_t i = 0; i < 2 * runs; i++) {
        struct figures of = i % 2 ? *new_figures : *old_figures;
        double by = 1 + spread * ((double)(i / 2) / (double)runs - 0.4);
        of.frame_ms *= by;
        of.fps /= by;
        of.shadow_ms *= by;
        of.bloom_ms *= by;
        of.glow_ms *= by;
        of.tiny_us *= by;
        add_run(i % 2 ? &f->news : &f->olds, &of);
    }
    assert_int_equal(pp_diff_make(&f->olds, &f->news, &pp_diff_options_usual, &f->diff), 0);
}

/* Apply one limit. @return What it says; @p findings: of how many rows. */
static enum pp_limit_state
check(struct fixture *f, const char *text, size_t findings)
{
    struct pp_limit_error error;
    enum pp_limit_state ret;
    if (pp_limit_parse(text, f->limit, &error))
        fail_msg("%s: %s", text, error.message);
    assert_int_equal(pp_limit_check(f->limit, 1, &f->diff, &f->checks), 0);
    if (f->checks.findings != findings)
        fail_msg("%s: %zu rows, not %zu", text, f->checks.findings, findings);
    ret = f->checks.state[0];
    assert_int_equal(pp_limit_worst(&f->checks), ret);
    pp_limit_checks_finish(&f->checks);
    pp_limit_finish(f->limit);
    return ret;
}

static void
finish(struct fixture *f)
{
    pp_diff_finish(&f->diff);
    pp_diff_side_finish(&f->olds);
    pp_diff_side_finish(&f->news);
}

static void
test_five_runs(void **state)
{
    struct fixture f;
    struct figures slower = usual;
    (void)state;
    slower.frame_ms = 17;
    slower.fps = 56;
    slower.shadow_ms = 5;
    slower.objects = 5;
    make(&f, &usual, &slower, RUNS, 0.01);
    assert_int_equal(check(&f, "frame-time:p50 3%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "frame-time:p50 7%", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "frame-time:p50 0.9ms", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "frame-time:p50 1.1ms", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "frame-time:p99 1.9ms", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "fps 3%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "fps 3", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "fps 5", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "pass:*Shadow*:mean 10%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "pass:shadow:p50 10%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "pass:shadow:p95 1.9ms", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "pass:shadow:p95 2.1ms", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "pass:shadow:max 2.9ms", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "counter:app:objects 20%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "counter:app:objects 1", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "counter:app:objects 0.9", 1), PP_LIMIT_FAILED);
    finish(&f);
    make(&f, &slower, &usual, RUNS, 0.01); /* the other way around, everything passes */
    assert_int_equal(check(&f, "frame-time:p50 0%", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "fps 0", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "counter:app:* 0", 1), PP_LIMIT_PASSED);
    finish(&f);
}

/* Runs that differ more than the change: the limit is exceeded, but it may be chance. */
static void
test_noise(void **state)
{
    struct fixture f;
    struct figures slower = usual;
    (void)state;
    slower.frame_ms = 16.8;
    slower.fps = 57;
    make(&f, &usual, &slower, RUNS, 0.3);
    assert_int_equal(check(&f, "frame-time:p50 3%", 1), PP_LIMIT_UNCLEAR);
    assert_int_equal(check(&f, "fps 1%", 1), PP_LIMIT_UNCLEAR);
    assert_int_equal(check(&f, "frame-time:p50 90%", 1), PP_LIMIT_PASSED);
    finish(&f);
}

/* With one run per side, a limit that was asked for decides, unless the interval within the runs says
 * otherwise. */
static void
test_one_run(void **state)
{
    struct fixture f;
    struct figures slower = usual;
    (void)state;
    slower.frame_ms = 17;
    make(&f, &usual, &slower, 1, 0);
    assert_int_equal(check(&f, "frame-time:p50 3%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "frame-time:p50 10%", 1), PP_LIMIT_PASSED);
    finish(&f);
}

/* Passes that only one side has, that are small, or that no one has. */
static void
test_other_passes(void **state)
{
    struct fixture f;
    struct figures more = usual;
    (void)state;
    more.bloom_ms = 1;
    more.tiny_us = 20;
    make(&f, &usual, &more, RUNS, 0.01);
    assert_int_equal(check(&f, "pass:*Bloom* 10%", 1), PP_LIMIT_FAILED); /* it took nothing before */
    assert_int_equal(check(&f, "pass:*Bloom* 0.5ms", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "pass:*Bloom* 1.1ms", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "pass:* 10%", 2), PP_LIMIT_FAILED);    /* because of the new one */
    assert_int_equal(check(&f, "pass:* 1.1ms", 2), PP_LIMIT_PASSED);  /* the small one decides nothing */
    assert_int_equal(check(&f, "pass:tiny 10%", 1), PP_LIMIT_FAILED); /* unless it is named */
    assert_int_equal(check(&f, "pass:shadwo 10%", 0), PP_LIMIT_NOTHING);
    assert_int_equal(check(&f, "label:* 10%", 0), PP_LIMIT_NOTHING);
    finish(&f);
    make(&f, &more, &usual, RUNS, 0.01);
    assert_int_equal(check(&f, "pass:*Bloom* 0%", 1), PP_LIMIT_NOTHING); /* perhaps it has another name */
    finish(&f);
}

/* A new pass that may be an old one by another name is compared with that one, but this is not sure. */
static void
test_renamed(void **state)
{
    struct fixture f;
    struct figures old_figures = usual, new_figures = usual;
    (void)state;
    old_figures.bloom_ms = 1;
    new_figures.glow_ms = 1.1;
    make(&f, &old_figures, &new_figures, RUNS, 0.01);
    assert_int_equal(check(&f, "pass:*Glow* 20%", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "pass:*Glow* 5%", 1), PP_LIMIT_UNCLEAR);
    assert_int_equal(check(&f, "pass:*Glow* 0.2ms", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "pass:*Glow* 0.05ms", 1), PP_LIMIT_UNCLEAR);
    assert_int_equal(check(&f, "pass:*Bloom* 5%", 1), PP_LIMIT_NOTHING);
    finish(&f);
}

/* Rows have the worst of all limits about them, whatever the limit's statistic. */
static void
test_marks(void **state)
{
    struct fixture f;
    struct pp_limit_error error;
    struct figures slower = usual;
    unsigned shadow = PP_LIMIT_NOTHING, frame = PP_LIMIT_NOTHING, p99 = PP_LIMIT_NOTHING;
    (void)state;
    slower.frame_ms = 17;
    slower.shadow_ms = 5;
    make(&f, &usual, &slower, RUNS, 0.01);
    assert_int_equal(pp_limit_parse("pass:shadow:p95 1ms", &f.limit[0], &error), 0);
    assert_int_equal(pp_limit_parse("frame-time 50%", &f.limit[1], &error), 0);
    assert_int_equal(pp_limit_check(f.limit, 2, &f.diff, &f.checks), 0);
    for (size_t i = 0; i < f.diff.part[0].len; i++) {
        const struct pp_diff_row *row = &f.diff.part[0].row[i];
        bool is_time = strcmp(row->name, "frame_time") == 0;
        shadow = strstr(row->name, "Shadow") && row->kind == PP_DIFF_PASS ? row->limit : shadow;
        frame = is_time && row->stat == PP_DIFF_P50 ? row->limit : frame;
        p99 = is_time && row->stat == PP_DIFF_P99 ? row->limit : p99;
    }
    assert_int_equal(shadow, PP_LIMIT_FAILED);
    assert_int_equal(frame, PP_LIMIT_PASSED);
    assert_int_equal(p99, PP_LIMIT_NOTHING);
    pp_limit_checks_finish(&f.checks);
    pp_limit_finish(&f.limit[0]);
    pp_limit_finish(&f.limit[1]);
    finish(&f);
}

/* The old value is 0: a share of it cannot be computed, but it became worse. */
static void
test_from_zero(void **state)
{
    struct fixture f;
    struct figures old_figures = usual, new_figures = usual;
    (void)state;
    old_figures.objects = 0;
    new_figures.slow = 0;
    make(&f, &old_figures, &new_figures, RUNS, 0.01);
    assert_int_equal(check(&f, "counter:app:objects 1000%", 1), PP_LIMIT_FAILED);
    assert_int_equal(check(&f, "counter:app:objects 5", 1), PP_LIMIT_PASSED);
    assert_int_equal(check(&f, "slow-frames 10%", 1), PP_LIMIT_PASSED);
    finish(&f);
}

/* Several limits: one that failed counts more than one without a row to check. */
static void
test_worst(void **state)
{
    struct fixture f;
    struct pp_limit_error error;
    struct figures slower = usual;
    (void)state;
    slower.frame_ms = 17;
    make(&f, &usual, &slower, RUNS, 0.01);
    assert_int_equal(pp_limit_parse("pass:none 1%", &f.limit[0], &error), 0);
    assert_int_equal(pp_limit_parse("frame-time 1%", &f.limit[1], &error), 0);
    assert_int_equal(pp_limit_check(f.limit, 2, &f.diff, &f.checks), 0);
    assert_int_equal(pp_limit_worst(&f.checks), PP_LIMIT_FAILED);
    assert_true(f.checks.finding[0].limit == &f.limit[1] && f.checks.finding[0].worse > 0.05);
    pp_limit_checks_finish(&f.checks);
    pp_limit_finish(&f.limit[1]);
    assert_int_equal(pp_limit_parse("frame-time 10%", &f.limit[1], &error), 0);
    assert_int_equal(pp_limit_check(f.limit, 2, &f.diff, &f.checks), 0);
    assert_int_equal(pp_limit_worst(&f.checks), PP_LIMIT_NOTHING);
    pp_limit_checks_finish(&f.checks);
    assert_int_equal(pp_limit_check(f.limit, 0, &f.diff, &f.checks), 0);
    assert_int_equal(pp_limit_worst(&f.checks), PP_LIMIT_PASSED);
    pp_limit_checks_finish(&f.checks);
    pp_limit_finish(&f.limit[0]);
    pp_limit_finish(&f.limit[1]);
    finish(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_runs),    cmocka_unit_test(test_noise),     cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_other_passes), cmocka_unit_test(test_from_zero), cmocka_unit_test(test_worst),
        cmocka_unit_test(test_renamed),      cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
