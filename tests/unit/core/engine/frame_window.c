/** @file
 * The frame window: every small window and range is compared with its definition, frame by frame and moment
 * by moment. */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "core/config/config.h"
#include "core/engine/frame_window.h"

/** Is frame @p frame, which begins at @p ns, inside? The definition of --frames, --delay and --duration. */
static bool
is_inside(const struct pp_config *config, uint64_t frame, uint64_t ns)
{
    return frame >= config->frames_first && frame <= config->frames_last &&
           (frame - config->frames_first) % config->every == 0 && ns >= config->delay_ns &&
           (config->duration_ns == 0 || ns < config->delay_ns + config->duration_ns);
}

/** Is any frame of a range inside at any moment when it may begin? */
static bool
is_any_inside(const struct pp_config *config, const struct pp_frame_range *range)
{
    for (uint64_t frame = range->first; frame < range->first + range->count; frame++)
        for (uint64_t ns = range->earliest_ns; ns <= range->latest_ns; ns++)
            if (is_inside(config, frame, ns))
                return true;
    return false;
}

static void
check_ranges(const struct pp_config *config)
{
    for (uint64_t i = 0; i < 10 * 4 * 6 * 3; i++) {
        uint64_t earliest_ns = i / 40 % 6;
        const struct pp_frame_range range = {i % 10, i / 10 % 4 + 1, earliest_ns, earliest_ns + i / 240};
        assert_int_equal(pp_frame_window_includes(config, &range), is_any_inside(config, &range));
    }
}

static void
windows_follow_their_definition(void **state)
{
    (void)state;
    for (uint64_t first = 0; first < 6; first++)
        for (uint64_t last = first; last < 9; last++)
            for (uint32_t every = 1; every < 4; every++)
                for (uint64_t time = 0; time < 12; time++) {
                    const struct pp_config config = {.frames_first = first,
                                                     .frames_last = last == 8 ? UINT64_MAX : last,
                                                     .every = every,
                                                     .delay_ns = time % 4,
                                                     .duration_ns = time / 4};
                    check_ranges(&config);
                }
}

/** Marks begin and end the window of --between; names may hold commas. */
static void
marks_are_a_window(void **state)
{
    (void)state;
    const struct pp_config config = {.frames_last = UINT64_MAX, .every = 1, .between = "a,b,a,b"};
    struct pp_window_moments moments = {0};
    assert_false(pp_frame_window_between(&config, &moments, 10, 10));
    assert_true(pp_frame_window_between(&config, &moments, 10, 20)); /* the mark may come in between */
    assert_false(pp_frame_window_bounds(&config, &moments).begun);
    pp_frame_window_note_mark(&config, &moments, "b", 11);
    pp_frame_window_note_mark(&config, &moments, "a,", 12);
    assert_int_equal(moments.from_mark_ns, 0);
    pp_frame_window_note_mark(&config, &moments, "a,b", 13);
    pp_frame_window_note_mark(&config, &moments, "a", 14);
    pp_frame_window_note_mark(&config, &moments, "b,a,b", 15);
    assert_int_equal(moments.from_mark_ns, 13);
    assert_int_equal(moments.to_mark_ns, 0);
    assert_false(pp_frame_window_between(&config, &moments, 12, 12));
    assert_true(pp_frame_window_between(&config, &moments, 13, 13));
    pp_frame_window_note_mark(&config, &moments, "a,b", 16);
    pp_frame_window_note_mark(&config, &moments, "a,b", 17);
    assert_int_equal(moments.to_mark_ns, 16);
    assert_true(pp_frame_window_between(&config, &moments, 15, 20));
    assert_false(pp_frame_window_between(&config, &moments, 16, 20));
}

/** Bounds are the intersection of all options; an open bound holds everything. */
static void
bounds_hold_frames(void **state)
{
    (void)state;
    struct pp_config config = {.frames_last = UINT64_MAX, .every = 7, .slower_than_ns = 1};
    struct pp_window_moments moments = {0};
    struct pp_frame_bounds bounds = pp_frame_window_bounds(&config, &moments);
    assert_false(bounds.any);
    assert_true(pp_frame_bounds_hold(&bounds, 5, 5));
    config.frames_first = 3;
    config.frames_last = 4;
    config.delay_ns = 10;
    config.duration_ns = 20;
    bounds = pp_frame_window_bounds(&config, &moments);
    assert_true(bounds.any && !bounds.begun);
    assert_false(pp_frame_bounds_hold(&bounds, 3, 120));
    moments.first_frame_ns = 100;
    bounds = pp_frame_window_bounds(&config, &moments);
    assert_true(bounds.begun && bounds.begin_ns == 110 && bounds.end_ns == 130);
    for (uint64_t frame = 0; frame < 7; frame++)
        for (uint64_t ns = 100; ns < 140; ns++)
            assert_int_equal(pp_frame_bounds_hold(&bounds, frame, ns),
                             frame >= 3 && frame <= 4 && ns >= 110 && ns < 130);
    memcpy(config.between, "a,b", 4);
    assert_false(pp_frame_window_bounds(&config, &moments).begun);
    pp_frame_window_note_mark(&config, &moments, "a", 120);
    pp_frame_window_note_mark(&config, &moments, "b", 125);
    bounds = pp_frame_window_bounds(&config, &moments);
    assert_true(bounds.begun && bounds.begin_ns == 120 && bounds.end_ns == 125);
}

static void
assert_text(const struct pp_config *config, const char *want)
{
    char text[256];
    pp_frame_window_text(config, text, sizeof(text));
    assert_string_equal(text, want);
}

/** The options are written as a user types them. */
static void
options_are_written(void **state)
{
    (void)state;
    assert_text(&(struct pp_config){.frames_last = UINT64_MAX}, "");
    assert_text(&(struct pp_config){.frames_first = 5, .frames_last = UINT64_MAX}, "--frames 5-");
    assert_text(&(struct pp_config){.frames_first = 5, .frames_last = 5}, "--frames 5");
    assert_text(&(struct pp_config){.frames_last = 9, .delay_ns = 2000000000}, "--frames 0-9 --delay 2");
    assert_text(&(struct pp_config){.frames_last = UINT64_MAX, .duration_ns = 10050000000, .between = "a,b"},
                "--duration 10.05 --between a,b");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_follow_their_definition),
        cmocka_unit_test(marks_are_a_window),
        cmocka_unit_test(bounds_hold_frames),
        cmocka_unit_test(options_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
