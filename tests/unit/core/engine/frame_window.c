/** @file
 * The frame window: every small window and range is compared with its definition, frame by frame and moment
 * by moment. */
#include "tests/lib/cmocka_test.h"

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

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_follow_their_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
