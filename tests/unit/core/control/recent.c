/** @file
 * The figures of the last frames: which frames they describe, and quantiles by hand. */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "core/control/recent_frames.h"
#include "core/session/timeline_private.h"

static struct pp_recent recent;
static bool sums; /* frames are added to the sums, too */
static struct pp_timeline window, other;

static int
begin(void **state)
{
    (void)state;
    sums = true;
    return pp_recent_init(&recent);
}

static int
end(void **state)
{
    (void)state;
    pp_recent_finish(&recent);
    return 0;
}

static void
note(const struct pp_timeline *timeline, uint64_t start_ns, uint64_t length_ns, const char *bound_by,
     uint64_t now_ns)
{
    const struct pp_frame_row row = {
        .is_frame = true,
        .timeline = timeline,
        .cpu_start_ns = pp_value_ok(start_ns),
        .frame_time_ns = pp_value_ok(length_ns),
        .cpu_busy_ns = pp_value_ok(length_ns / 2),
        .gpu_time_ns = pp_value_missing(PP_UNSUPPORTED),
        .gpu_busy_ns = length_ns > 1000 ? pp_value_ok(length_ns) : pp_value_missing(PP_LOST),
        .bound_by = bound_by,
        .draws = 3,
    };
    pp_recent_note(&recent, &row, now_ns);
    if (sums)
        pp_recent_sum(&recent, &row);
}

static struct pp_recent_figures
figures(uint64_t seen, uint64_t from_ns)
{
    struct pp_recent_figures result;
    memset(&result, 0xff, sizeof(result));
    assert_int_equal(pp_recent_figures(&recent, seen, from_ns, &result), 0);
    return result;
}

static void
quantiles_are_of_type_7(void **state)
{
    (void)state;
    assert_int_equal(figures(0, 0).frames, 0);
    for (uint64_t i = 1; i <= 5; i++) /* 1000, 2000, 3000, 4000, 5000 */
        note(&window, 10000 * i, 1000 * i, i % 2 ? "gpu" : "cpu", i);
    struct pp_recent_figures all = figures(0, 0);
    assert_int_equal(all.frames, 5);
    assert_ptr_equal(all.timeline, &window);
    assert_int_equal(all.from_ns, 10000);
    assert_int_equal(all.to_ns, 55000);
    assert_true(all.fps > 333333.33 && all.fps < 333333.34); /* 5 frames in 15 us */
    const struct pp_recent_spread *times = &all.time[PP_RECENT_FRAME_TIME];
    assert_int_equal(times->frames, 5);
    assert_true(times->mean_ns == 3000 && times->p50_ns == 3000 && times->max_ns == 5000);
    assert_true(times->p95_ns > 4799.99 && times->p95_ns < 4800.01); /* 4000 + 0.8 * 1000 */
    assert_int_equal(all.time[PP_RECENT_GPU_TIME].frames, 0);
    assert_int_equal(all.time[PP_RECENT_GPU_BUSY].frames, 4); /* one is missing, and is no 0 */
    assert_true(all.time[PP_RECENT_GPU_BUSY].mean_ns == 3500);
    assert_int_equal(all.verdicts[PP_RECENT_GPU], 3);
    assert_int_equal(all.verdicts[PP_RECENT_CPU], 2);
}

static void
only_wanted_frames_count(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        note(&window, 1000 * i, 100 + i, "", i * 10);
    assert_int_equal(figures(0, 50).frames, 5);
    assert_int_equal(figures(7, 0).frames, 3);
    assert_int_equal(figures(7, 90).frames, 1);
    assert_int_equal(figures(10, 0).frames, 0);
    assert_int_equal(figures(0, 91).frames, 0);
    assert_int_equal(figures(0, 0).verdicts[PP_RECENT_UNKNOWN], 10);
}

static void
the_surface_with_most_frames_is_shown(void **state)
{
    (void)state;
    note(&other, 0, 7777, "", 1);
    for (uint64_t i = 0; i < 3; i++)
        note(&window, 1000 * i, 100, "", 1);
    note(&other, 0, 7777, "", 1);
    assert_ptr_equal(figures(0, 0).timeline, &window);
    assert_int_equal(figures(0, 0).frames, 3);
    assert_true(figures(0, 0).time[PP_RECENT_FRAME_TIME].max_ns == 100);
    assert_ptr_equal(figures(4, 0).timeline, &other);
}

static void
old_frames_are_forgotten(void **state)
{
    uint64_t frames = 0;
    (void)state;
    for (uint64_t i = 0; i < PP_RECENT_FRAMES + 100; i++)
        note(&window, 1000 * i, i < 100 ? 900000000 : 16700000, "gpu", i);
    struct pp_recent_figures all = figures(0, 0);
    assert_int_equal(all.frames, PP_RECENT_FRAMES);
    assert_int_equal(all.from_ns, 100000);
    assert_true(all.time[PP_RECENT_FRAME_TIME].max_ns == 16700000);
    /* sums count all frames */
    assert_int_equal(recent.frames, PP_RECENT_FRAMES + 100);
    assert_int_equal(recent.draws, 3 * (PP_RECENT_FRAMES + 100));
    assert_int_equal(recent.verdicts[PP_RECENT_GPU], PP_RECENT_FRAMES + 100);
    for (size_t i = 0; i < sizeof(recent.bin) / sizeof(*recent.bin); i++) {
        uint64_t low = i ? pp_recent_bin_ns(i - 1) : 0, high = pp_recent_bin_ns(i);
        bool usual = low < 16700000 && 16700000 <= high;
        assert_int_equal(recent.bin[i], usual ? PP_RECENT_FRAMES : high == 0 ? 100 : 0);
        frames += recent.bin[i];
    }
    assert_int_equal(frames, recent.frames);
}

static void
sums_are_made_only_where_they_are_asked_for(void **state)
{
    (void)state;
    sums = false;
    for (uint64_t i = 0; i < 10; i++)
        note(&window, 1000 * i, 16700000, "gpu", i);
    assert_int_equal(figures(0, 0).verdicts[PP_RECENT_GPU], 10);
    assert_int_equal(recent.frames, 10);
    assert_int_equal(recent.draws, 0);
    assert_int_equal(recent.verdicts[PP_RECENT_GPU], 0);
    for (size_t i = 0; i < sizeof(recent.bin) / sizeof(*recent.bin); i++)
        assert_int_equal(recent.bin[i], 0);
}

static void
without_memory_nothing_is_remembered(void **state)
{
    struct pp_recent none = {.frame = NULL};
    struct pp_recent_figures result = {.frames = 1};
    const struct pp_frame_row row = {.is_frame = true, .bound_by = ""};
    (void)state;
    pp_recent_note(&none, &row, 1);
    assert_int_equal(pp_recent_figures(&none, 0, 0, &result), 0);
    assert_int_equal(result.frames, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quantiles_are_of_type_7, begin, end),
        cmocka_unit_test_setup_teardown(only_wanted_frames_count, begin, end),
        cmocka_unit_test_setup_teardown(the_surface_with_most_frames_is_shown, begin, end),
        cmocka_unit_test_setup_teardown(old_frames_are_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(sums_are_made_only_where_they_are_asked_for, begin, end),
        cmocka_unit_test(without_memory_nothing_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
