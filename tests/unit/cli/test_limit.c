/** @file
 * Expressions of limits (`diff --fail-above`): what each form means, and the place and the words of each
 * mistake. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/limit.h"

static void
accept(const char *text, enum pp_diff_kind kind, enum pp_diff_stat stat, const char *name, bool relative,
       double most)
{
    struct pp_limit limit;
    struct pp_limit_error error = {.column = 0};
    int rc = pp_limit_parse(text, &limit, &error);
    if (rc)
        fail_msg("%s: column %u: %s", text, error.column, error.message);
    assert_string_equal(limit.text, text);
    assert_int_equal(limit.kind, kind);
    assert_int_equal(limit.stat, stat);
    assert_string_equal(limit.name, name);
    assert_int_equal(limit.pattern, strpbrk(name, "*?[") ? 1 : 0);
    assert_int_equal(limit.relative, relative);
    assert_true(fabs(limit.most - most) < 1e-9);
    pp_limit_finish(&limit);
    assert_null(limit.name);
}

static void
test_forms(void **state)
{
    (void)state;
    accept("frame-time:p50 3%", PP_DIFF_FRAME, PP_DIFF_P50, "frame_time", true, 0.03);
    accept("frame_time 3%", PP_DIFF_FRAME, PP_DIFF_P50, "frame_time", true, 0.03);
    accept("gpu-busy:p99 0.5ms", PP_DIFF_FRAME, PP_DIFF_P99, "gpu_busy", false, 0.5e6);
    accept(" \tcpu-busy:mean \t +250us ", PP_DIFF_FRAME, PP_DIFF_MEAN, "cpu_busy", false, 250e3);
    accept("gpu-time:max 1s", PP_DIFF_FRAME, PP_DIFF_MAX, "gpu_time", false, 1e9);
    accept("frame-time:p95 0%", PP_DIFF_FRAME, PP_DIFF_P95, "frame_time", true, 0);
    accept("fps 2", PP_DIFF_FRAME, PP_DIFF_TOTAL, "fps", false, 2);
    accept("low-1-percent-fps .5%", PP_DIFF_FRAME, PP_DIFF_TOTAL, "low_1_percent_fps", true, 0.005);
    accept("draws 10", PP_DIFF_FRAME, PP_DIFF_TOTAL, "draws", false, 10);
    accept("slow-frames 1.5", PP_DIFF_FRAME, PP_DIFF_TOTAL, "slow_frames", false, 1.5);
    accept("pipeline-create 10ms", PP_DIFF_FRAME, PP_DIFF_TOTAL, "pipeline_create", false, 10e6);
}

/* Names hold blanks and ':'; only a known statistic after the last ':' is one. */
static void
test_patterns(void **state)
{
    (void)state;
    accept("pass:* 10%", PP_DIFF_PASS, PP_DIFF_MEAN, "*", true, 0.1);
    accept("pass:*:mean 10%", PP_DIFF_PASS, PP_DIFF_MEAN, "*", true, 0.1);
    accept("pass:shadows: shadow map ?:p99 200ns", PP_DIFF_PASS, PP_DIFF_P99, "shadows: shadow map ?", false,
           200);
    accept("pass:[ab] 1%", PP_DIFF_PASS, PP_DIFF_MEAN, "[ab]", true, 0.01);
    accept("pass:a:b 1%", PP_DIFF_PASS, PP_DIFF_MEAN, "a:b", true, 0.01);
    accept("pass:p50 1%", PP_DIFF_PASS, PP_DIFF_MEAN, "p50", true, 0.01);
    accept("label:Frame/Shadow 1ms", PP_DIFF_LABEL, PP_DIFF_MEAN, "Frame/Shadow", false, 1e6);
    accept("counter:pipeline:vertices 5%", PP_DIFF_COUNTER, PP_DIFF_MEAN, "pipeline:vertices", true, 0.05);
    accept("counter:app:objects:mean 100", PP_DIFF_COUNTER, PP_DIFF_MEAN, "app:objects", false, 100);
    accept("metric:vertex_reuse 5%", PP_DIFF_METRIC, PP_DIFF_MEAN, "vertex_reuse", true, 0.05);
}

static void
refuse(const char *text, unsigned column, const char *part)
{
    struct pp_limit limit = {.text = NULL};
    struct pp_limit_error error = {.column = 0};
    assert_int_equal(pp_limit_parse(text, &limit, &error), -EINVAL);
    assert_null(limit.text);
    if (error.column != column || !strstr(error.message, part))
        fail_msg("%s: column %u: %s", text, error.column, error.message);
}

static void
test_mistakes(void **state)
{
    (void)state;
    refuse("", 1, "the limit is missing");
    refuse("   ", 4, "the limit is missing");
    refuse("3%", 3, "the limit is missing");
    refuse("frame-time:p50", 15, "the limit is missing");
    refuse("frame-tme:p50 3%", 1, "did you mean 'frame-time'?");
    refuse("  xyzzy 3%", 3, "no figure is named 'xyzzy'; figures are");
    refuse(":p50 3%", 1, "no figure is named ''");
    refuse("frame-time:p51 3%", 12, "frame-time has no statistic 'p51'; it has p5, p50, mean, p95, p99, max");
    refuse("frame-time: 3%", 12, "has no statistic ''");
    refuse("cpu-busy:p99 3%", 10, "it has p5, p50, mean");
    refuse("fps:p50 3%", 5, "fps has no choice of statistics");
    refuse("counter:x:p99 3%", 11, "counter has no statistic 'p99'; it has mean");
    refuse("pass 3%", 5, "pass needs a name or a pattern, such as 'pass:*'");
    refuse("pass: 3%", 6, "pass needs a name");
    refuse("pass::mean 3%", 6, "pass needs a name");
    refuse("frame-time -3%", 12, "a number of 0 or more");
    refuse("frame-time %", 12, "a number of 0 or more");
    refuse("frame-time 1.2.3%", 12, "a number of 0 or more");
    refuse("frame-time 1e3%", 12, "such as 3% or 0.5ms");
    refuse("frame-time 99999999999999999999999%", 12, "a number of 0 or more");
    refuse("frame-time 1111111111111111111111111111111111%", 12, "a number of 0 or more");
    refuse("frame-time 3", 12, "a percentage or a time with its unit");
    refuse("frame-time 3%%", 12, "a percentage or a time");
    refuse("frame-time nan", 12, "a number of 0 or more");
    refuse("fps 3ms", 5, "a percentage or a number");
    refuse("counter:x 3ms", 11, "a percentage or a number");
}

static void
test_long(void **state)
{
    char text[PP_LIMIT_TEXT_MOST + 2];
    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    refuse(text, PP_LIMIT_TEXT_MOST + 1, "longer than 1024 bytes");
    text[PP_LIMIT_TEXT_MOST] = '\0';
    memcpy(text + PP_LIMIT_TEXT_MOST - 3, " 3%", 3);
    refuse(text, 1, "no figure is named 'aaa");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
