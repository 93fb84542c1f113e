/** @file
 * Applications that stop, wait and sleep, and results that come late or never. No count is 0 because it was
 * not measured, and no result that came is missing. Each case runs in a child process, because a process has
 * one session. The clock is a fake one. */
#include "tests/lib/cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "tests/fake/clock.h"
#include "tests/fake/frontend.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

#define SECOND 1000000000ULL
#define LONG   (15 * SECOND) /* longer than passprobe waits for results */

/* A batch whose results never come. */
static struct pp_batch *volatile lost;

/* End the frame with its batch kept back: its results have not come. */
static struct pp_batch *
swap_before_results(struct fake_frontend *fake)
{
    pp_track_end(&fake->tracker);
    struct pp_batch *batch = fake->batch;
    fake->batch = NULL;
    fake->tracker.action_list = NULL;
    fake_frontend_swap(fake);
    return batch;
}

static void
land(struct pp_batch *batch)
{
    batch->cpu_available_ns = UINT64_MAX / 4;
    pp_batch_put(batch);
}

/* An on-demand window: its frames' results come when it draws again. */
static void
draws_on_demand(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned burst = 0; burst < 3; burst++) {
        struct pp_batch *batch[3];
        for (unsigned i = 0; i < 3; i++) {
            fake_frontend_draw(&fake, 1, 5, 3, 10);
            batch[i] = swap_before_results(&fake);
        }
        fake_clock_pause(LONG);
        for (unsigned i = 0; i < 3; i++)
            land(batch[i]);
    }
}

/* A window that draws on demand, next to a second window that never stops. */
static void
draws_while_another_context_draws(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    if (fake_frontend_init(&other, session, "window 2"))
        exit(3);
    fake_frontend_draw(&fake, 1, 5, 3, 10);
    struct pp_batch *batch = swap_before_results(&fake);
    for (unsigned i = 0; i < 5; i++) {
        fake_frontend_draw(&other, 1, 7, 3, 10);
        fake_frontend_swap(&other);
        fake_clock_pause(LONG);
    }
    land(batch);
}

/* Newer frames come for a long time, and the results of the first one do not; then they do. */
static void
one_comes_late(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 5, 3, 10);
    struct pp_batch *batch = swap_before_results(&fake);
    for (unsigned i = 0; i < 200; i++) {
        fake_frontend_draw(&fake, 1, 7, 3, 10);
        fake_frontend_swap(&fake);
        fake_clock_forward(SECOND / 10);
        fake_clock_rounds();
    }
    land(batch);
}

/* The application ends before its last results come. */
static void
ends_before(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 5, 3, 10);
    fake_frontend_swap(&fake);
    fake_frontend_draw(&fake, 1, 5, 3, 10);
    lost = swap_before_results(&fake);
}

/* The last frame has three batches and a pass that spans them; the results of the second batch do not come.
 */
static void
a_part_is_missing(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 2, 3, 10);
    fake_frontend_flush(&fake);
    fake_frontend_draw(&fake, 2, 3, 3, 10);
    fake_frontend_draw(&fake, 3, 3, 3, 10);
    pp_track_end(&fake.tracker);
    lost = fake.batch;
    fake.batch = NULL;
    fake.tracker.action_list = NULL;
    fake_frontend_draw(&fake, 4, 4, 3, 10);
    fake_frontend_draw(&fake, 5, 5, 3, 10);
    fake_frontend_swap(&fake);
}

/* Frames that end wait for their first batch, and hold more memory than they may. */
static void
holds_too_much(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    struct pp_batch *batch[40];
    session->transport.waiting_bytes_max = (size_t)256 << 10;
    for (unsigned i = 0; i < 40; i++) {
        /* results of each frame's first batch are missing, those of the second one come */
        fake_frontend_draw(&fake, 1, 1, 3, 10);
        pp_track_end(&fake.tracker);
        batch[i] = fake.batch;
        fake.batch = NULL;
        fake.tracker.action_list = NULL;
        fake_frontend_draw(&fake, 2, 40, 3, 10);
        fake_frontend_swap(&fake);
        fake_clock_rounds();
    }
    for (unsigned i = 0; i < 40; i++)
        if (batch[i])
            land(batch[i]);
}

/* Rows of a file that may be too long for a table. */
static unsigned
lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned count = 0;
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        count += c == '\n';
    fclose(file);
    return count - 1;
}

static unsigned
rows_of(const char *path)
{
    read_table(path);
    return table.rows - 1;
}

static void
a_pause_loses_no_results(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "demand", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(draws_on_demand, env), 0);
    assert_int_equal(rows_of("demand/frames.csv"), 9);
    for (unsigned i = 0; i < 9; i++) {
        assert_int_equal(number(i, "draws"), 5);
        assert_int_equal(number(i, "passes"), 1);
    }
    assert_int_equal(rows_of("demand/draws.csv"), 45);
    assert_int_equal(session_json_number("demand/session.json", "dropped", "frames_incomplete"), 0);
}

static void
another_window_gives_up_no_frame(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "two_contexts", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(draws_while_another_context_draws, env), 0);
    assert_int_equal(rows_of("two_contexts/frames.csv"), 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(number(i, "draws"), strcmp(surface_of("two_contexts", i), "window 1") == 0 ? 5 : 7);
    assert_int_equal(session_json_number("two_contexts/session.json", "dropped", "frames_incomplete"), 0);
}

static void
late_results_are_used(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "late", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(one_comes_late, env), 0);
    assert_int_equal(rows_of("late/frames.csv"), 201);
    unsigned empty = 0, place = 0;
    for (unsigned i = 0; i < 201; i++) {
        if (number(i, "frame") != 0) {
            assert_int_equal(number(i, "draws"), 7);
            continue;
        }
        place = i;
        empty++;
        assert_string_equal(at(i, "draws"), "");
        assert_string_equal(at(i, "dispatches"), "");
        assert_string_equal(at(i, "copies"), "");
        assert_string_equal(at(i, "passes"), "");
        assert_string_equal(at(i, "gpu_time_ns"), "");
        assert_string_equal(at(i, "pipeline:input_assembly_vertices"), "");
        assert_true(number(i, "frame_time_ns") > 0);
    }
    assert_int_equal(empty, 1);
    assert_in_range(place, 50, 199); /* the collector waited for it for a limited time */
    assert_int_equal(lines_of("late/draws.csv"), 200 * 7 + 5);
    unsigned without_frame = 0;
    rows_of("late/passes.csv");
    for (unsigned i = 0; i + 1 < table.rows; i++)
        if (*at(i, "frame") == '\0') {
            without_frame++;
            assert_int_equal(number(i, "draws"), 5);
            assert_int_equal(number(i, "pipeline:input_assembly_vertices"), 15);
        }
    assert_int_equal(without_frame, 1);
    assert_int_equal(session_json_number("late/session.json", "dropped", "frames_incomplete"), 1);
    assert_int_equal(session_json_number("late/session.json", "counts", "late_batches"), 1);
}

static void
results_missing_at_the_end_are_empty(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "end", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(ends_before, env), 0);
    assert_int_equal(rows_of("end/frames.csv"), 2);
    assert_int_equal(number(0, "draws"), 5);
    assert_string_equal(at(1, "draws"), "");
    assert_string_equal(at(1, "passes"), "");
    assert_int_equal(session_json_number("end/session.json", "dropped", "frames_incomplete"), 1);
}

static void
a_missing_part_makes_cells_empty(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "part", "PASSPROBE_LEVEL", "pass", NULL};
    assert_int_equal(in_child(a_part_is_missing, env), 0);
    assert_int_equal(rows_of("part/frames.csv"), 1);
    assert_string_equal(at(0, "draws"), "");
    /* the first pass may have continued in the missing part; the last two are whole */
    assert_int_equal(rows_of("part/passes.csv"), 3);
    assert_string_equal(at(0, "draws"), "");
    assert_string_equal(at(0, "gpu_time_ns"), "");
    assert_string_equal(at(0, "pipeline:input_assembly_vertices"), "");
    assert_int_equal(number(1, "draws"), 4);
    assert_int_equal(number(2, "draws"), 5);
    assert_int_equal(number(2, "pipeline:input_assembly_vertices"), 15);
    assert_int_equal(rows_of("part/labels.csv"), 0);
}

static void
memory_is_bounded_and_nothing_vanishes(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "much", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(holds_too_much, env), 0);
    assert_int_equal(rows_of("much/frames.csv"), 40);
    assert_int_equal(session_json_number("much/session.json", "dropped", "frames"), 0);
    assert_in_range(session_json_number("much/session.json", "dropped", "frames_incomplete"), 1, 40);
    assert_int_equal(lines_of("much/draws.csv"), 40 * 41);
}

#define LARGE_BRACKETS 200000U

/* A frame whose batch has memory for this many brackets. @return The brackets that it had memory for.
 */
static uint32_t
frame_of(struct fake_frontend *fake, uint32_t brackets)
{
    fake_frontend_draw(fake, 1, 1, 3, 10);
    uint32_t had = fake->batch->bracket_cap;
    if (pp_batch_reserve(fake->batch, brackets) != 0)
        exit(4);
    fake_frontend_swap(fake);
    fake_clock_rounds();
    return had;
}

static void
frames_get_small(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    struct pp_session *session = fake.session;
    (void)frame_of(&fake, LARGE_BRACKETS);
    for (int i = 0; i < 4; i++) { /* the memory is used again as long as frames are large */
        fake_clock_pause(6 * SECOND);
        if (frame_of(&fake, LARGE_BRACKETS) < LARGE_BRACKETS)
            exit(5);
    }
    if (atomic_load(&session->transport.free_bytes) <= (size_t)16 << 20)
        exit(6);
    for (int i = 0; i < 40; i++) /* the batch is freed, not used for small frames for ever */
        (void)frame_of(&fake, 1);
    for (int i = 0; i < 3; i++)
        fake_clock_pause(6 * SECOND);
    if (atomic_load(&session->transport.free_bytes) > (size_t)16 << 20)
        exit(7);
}

static void
memory_of_large_frames_is_kept_and_given_back(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "large", NULL};
    assert_int_equal(in_child(frames_get_small, env), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_large_frames_is_kept_and_given_back),
        cmocka_unit_test(a_pause_loses_no_results),
        cmocka_unit_test(another_window_gives_up_no_frame),
        cmocka_unit_test(late_results_are_used),
        cmocka_unit_test(results_missing_at_the_end_are_empty),
        cmocka_unit_test(a_missing_part_makes_cells_empty),
        cmocka_unit_test(memory_is_bounded_and_nothing_vanishes),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
