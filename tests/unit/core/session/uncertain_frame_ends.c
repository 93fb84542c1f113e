/** @file
 * Frames whose end is not sure: an application that presents has as many frames as presents, one that never
 * presents has as many as waits, and the number of held frames is bounded. Each case runs in a child process,
 * because a process has one session. The clock is a fake one. */
#include "tests/lib/cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/engine/clock.h"
#include "core/engine/session_private.h"
#include "core/session/timeline_private.h"
#include "tests/fake/clock.h"
#include "tests/fake/frontend.h"
#include "tests/unit/core/session/session_child.h"

#define SECOND    1000000000ULL
#define WAITS_MIN 10

/* End the frame with a wait. */
static void
wait_for_gpu(struct fake_frontend *fake)
{
    uint64_t now = fake->now.ticks;
    fake_frontend_flush(fake);
    pp_timeline_end_frame(fake->timeline, &(struct pp_frame_times){.present_begin_ns = now,
                                                                   .present_end_ns = now + 10,
                                                                   .sync_ns = 5,
                                                                   .pipelines_created = 1,
                                                                   .end = PP_END_WAIT,
                                                                   .waits_min = WAITS_MIN});
    fake->now.ticks = now + 10;
    fake->tracker.level = (uint8_t)pp_timeline_level(fake->timeline);
}

static void
waits(struct fake_frontend *fake, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fake_frontend_draw(fake, 1, 2, 3, 10);
        wait_for_gpu(fake);
    }
}

static void
presents(struct fake_frontend *fake, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fake_frontend_draw(fake, 1, 1, 3, 10);
        fake_frontend_swap(fake);
    }
}

/* Check the number of frames, their numbers from 0 on, and the draws of the first frame and of all frames. */
static void
check_frames(const char *path, unsigned frames, unsigned first, unsigned all)
{
    unsigned sum = 0;
    read_table(path);
    assert_int_equal(table.rows, frames + 1);
    for (unsigned i = 0; i < frames; i++) {
        assert_int_equal(number(i, "frame"), i);
        sum += (unsigned)number(i, "draws");
    }
    assert_int_equal(sum, all);
    if (frames)
        assert_int_equal(number(0, "draws"), first);
}

static void
presents_late(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 3; i++) {
        pp_annotate_add("sum", 2);
        pp_annotate_set("last", i);
        waits(&fake, 1);
    }
    fake_frontend_draw(&fake, 1, 2, 3, 10);
    pp_track_end(&fake.tracker);
    struct pp_batch *late = fake.batch;
    fake.batch = NULL;
    fake.tracker.action_list = NULL;
    wait_for_gpu(&fake);
    presents(&fake, 3);
    fake_clock_rounds();
    late->cpu_available_ns = UINT64_MAX / 4;
    pp_batch_put(late);
}

/* The frame of the first present has all earlier actions, also those whose results came last. */
static void
the_first_present_takes_earlier_waits(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "late", NULL};
    assert_int_equal(in_child(presents_late, env), 0);
    read_table("late/frames.csv");
    assert_int_equal(table.rows, 4);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned row = 0; row < 3; row++) /* it is written last */
            if (number(row, "frame") == i) {
                assert_int_equal(number(row, "draws"), i ? 1 : 9);
                assert_int_equal(number(row, "passes"), i ? 1 : 5);
                assert_int_equal(number(row, "pipelines_created"), i ? 0 : 4);
                assert_int_equal(number(row, "pipeline:input_assembly_vertices"), i ? 3 : 27);
                assert_string_equal(at(row, "app:sum"), i ? "0" : "6");
                assert_string_equal(at(row, "app:last"), "2");
            }
}

static void
never_presents(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    waits(&fake, WAITS_MIN);
}

static void
hardly_waits(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    waits(&fake, WAITS_MIN - 1);
}

static void
waits_seldom_and_presents(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    if (fake_frontend_init(&other, session, "window 2"))
        exit(3);
    waits(&fake, WAITS_MIN - 1);
    presents(&other, 1);
}

static void
is_destroyed(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    waits(&fake, 2); /* nothing has presented so far, as of a window that only asks what the driver can do */
    pp_timeline_destroy(fake.timeline);
    fake_clock_rounds();
    if (fake_frontend_init(&other, session, "window 2") || fake_frontend_init(&fake, session, "window 3"))
        exit(3);
    presents(&other, 1);
    waits(&fake, WAITS_MIN - 1);
    pp_timeline_destroy(fake.timeline);
}

static void
is_destroyed_alone(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    waits(&fake, 2);
    pp_timeline_destroy(fake.timeline);
}

static void
without_a_present_waits_are_frames(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "never", NULL};
    assert_int_equal(in_child(never_presents, env), 0);
    check_frames("never/frames.csv", WAITS_MIN, 2, 2 * WAITS_MIN);
    env[1] = "hardly";
    assert_int_equal(in_child(hardly_waits, env), 0);
    check_frames("hardly/frames.csv", WAITS_MIN - 1, 2, 2 * (WAITS_MIN - 1));
    env[1] = "waits_and_presents";
    assert_int_equal(in_child(waits_seldom_and_presents, env), 0);
    read_table("waits_and_presents/frames.csv");
    assert_int_equal(table.rows, 2);
    assert_string_equal(surface_of("waits_and_presents", 0), "window 2");
    read_table("waits_and_presents/passes.csv");
    assert_int_equal(table.rows, 1 + 1 + WAITS_MIN - 1);
    env[1] = "destroyed";
    assert_int_equal(in_child(is_destroyed, env), 0);
    read_table("destroyed/frames.csv");
    assert_int_equal(table.rows, 1 + 1);
    assert_string_equal(surface_of("destroyed", 0), "window 2");
    read_table("destroyed/passes.csv");
    assert_int_equal(table.rows, 1 + 3 + WAITS_MIN - 1);
    env[1] = "alone";
    assert_int_equal(in_child(is_destroyed_alone, env), 0);
    check_frames("alone/frames.csv", 2, 2, 4);
}

/* Let the collector flush everything. One round is not enough: it may have looked for rows just before the
 * clock moves, flush without the last rows, and not flush again for a while. */
static void
let_flush(uint64_t ns)
{
    fake_clock_pause(ns);
    fake_clock_pause(ns);
}

/* The process is killed: only what is in the files by then counts. */
static void
is_killed_after_ten_seconds(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake.now.ticks = pp_now_ns();
    waits(&fake, WAITS_MIN);
    fake_clock_pause(11 * SECOND);
    fake.now.ticks = pp_now_ns();
    waits(&fake, 3);
    let_flush(SECOND);
    _exit(0);
}

static void
held_frames_are_written_in_time(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "killed", NULL};
    assert_int_equal(in_child(is_killed_after_ten_seconds, env), 0);
    check_frames("killed/frames.csv", WAITS_MIN + 3, 2, 2 * (WAITS_MIN + 3));
}

/* The process is killed two seconds later, before ten seconds have passed. */
static void
die(void)
{
    let_flush(SECOND);
    _exit(0);
}

static void
is_killed_while_it_waits(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake.now.ticks = pp_now_ns();
    waits(&fake, WAITS_MIN - 1);
    fake_clock_pause(SECOND);
    pp_annotate_add("sum", 2);
    waits(&fake, 3);
    fake_clock_pause(SECOND);
    pp_annotate_add("more", 1);
    waits(&fake, 1);
    die();
}

static void
is_killed_early(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake.now.ticks = pp_now_ns();
    waits(&fake, WAITS_MIN - 1);
    die();
}

static void
is_killed_before_it_presents(void)
{
    waits_seldom_and_presents();
    die();
}

static void
presents_after_a_draft(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake.now.ticks = pp_now_ns();
    waits(&fake, WAITS_MIN + 5);
    fake_clock_pause(SECOND);
    pp_annotate_add("sum", 2); /* frames.csv gets wider while it has a draft */
    waits(&fake, 2);
    fake_clock_pause(SECOND);
    presents(&fake, 3);
}

static void
others_present_meanwhile(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    if (fake_frontend_init(&other, session, "window 2"))
        exit(3);
    fake.now.ticks = other.now.ticks = pp_now_ns();
    for (unsigned i = 0; i < 4; i++) {
        waits(&fake, WAITS_MIN / 2);
        fake_clock_pause(SECOND / 2);
        presents(&other, 5);
        fake_clock_pause(SECOND / 2);
    }
    die();
}

/* Each pass belongs to a frame that exists, and each frame has as many passes as its row says. */
static void
check_passes(const char *frames, const char *passes, unsigned all)
{
    unsigned sum = 0;
    read_table(frames);
    for (unsigned i = 0; i + 1 < table.rows; i++)
        sum += (unsigned)number(i, "passes");
    read_table(passes);
    assert_int_equal(table.rows, all + 1);
    for (unsigned i = 0; i + 1 < table.rows; i++)
        sum -= at(i, "frame")[0] != '\0';
    assert_int_equal(sum, 0);
}

/* A kill loses no more held frames than others. */
static void
a_kill_leaves_held_frames(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "draft", NULL};
    assert_int_equal(in_child(is_killed_while_it_waits, env), 0);
    check_frames("draft/frames.csv", WAITS_MIN + 3, 2, 2 * (WAITS_MIN + 3));
    assert_string_equal(at(WAITS_MIN - 1, "app:sum"), "2");
    assert_string_equal(at(WAITS_MIN + 2, "app:more"), "1");
    check_passes("draft/frames.csv", "draft/passes.csv", WAITS_MIN + 3);
    env[1] = "early";
    assert_int_equal(in_child(is_killed_early, env), 0);
    check_frames("early/frames.csv", WAITS_MIN - 1, 2, 2 * (WAITS_MIN - 1));
    check_passes("early/frames.csv", "early/passes.csv", WAITS_MIN - 1);
    env[1] = "waits_and_presents_early";
    assert_int_equal(in_child(is_killed_before_it_presents, env), 0);
    read_table("waits_and_presents_early/frames.csv");
    assert_int_equal(table.rows, 2);
    assert_string_equal(surface_of("waits_and_presents_early", 0), "window 2");
    read_table("waits_and_presents_early/passes.csv");
    assert_int_equal(table.rows, 1 + 1 + WAITS_MIN - 1);
    env[1] = "replaced";
    assert_int_equal(in_child(presents_after_a_draft, env), 0);
    check_frames("replaced/frames.csv", 3, 2 * (WAITS_MIN + 7) + 1, 2 * (WAITS_MIN + 7) + 3);
    check_passes("replaced/frames.csv", "replaced/passes.csv", WAITS_MIN + 7 + 3);
    assert_string_equal(at(0, "frame"), "0");
    env[1] = "mixed";
    assert_int_equal(in_child(others_present_meanwhile, env), 0);
    read_table("mixed/frames.csv");
    assert_int_equal(table.rows, 1 + 2 * WAITS_MIN + 20);
    check_passes("mixed/frames.csv", "mixed/passes.csv", 2 * WAITS_MIN + 20);
}

static void
is_killed_before_its_second(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake.now.ticks = pp_now_ns();
    fake_clock_rounds(); /* session.json is not written for another second */
    waits(&fake, WAITS_MIN);
    let_flush(SECOND / 4);
    _exit(0);
}

/* session.json has the reasons for empty cells before a file has such cells. */
static void
reasons_come_before_rows(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "reasons", NULL};
    char text[65536] = "";
    assert_int_equal(in_child(is_killed_before_its_second, env), 0);
    read_table("reasons/passes.csv");
    assert_int_equal(table.rows, WAITS_MIN + 1);
    assert_string_equal(at(0, "label"), "");
    FILE *file = fopen("reasons/session.json", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    const char *cells = strstr(text, "\"empty_cells\"");
    assert_non_null(cells);
    assert_non_null(strstr(cells, "\"label\""));
}

static void
holds_much(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake)->transport.waiting_bytes_max = (size_t)256 << 10;
    for (unsigned i = 0; i < 200; i++) {
        waits(&fake, 1);
        fake_clock_rounds();
    }
    presents(&fake, 2);
}

static void
holds_many(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < PP_HELD_MAX + 50; i++) {
        waits(&fake, 1);
        if (i % 1000 == 0)
            fake_clock_rounds();
    }
    presents(&fake, 2);
}

/* When a quarter of the memory limit or PP_HELD_MAX frames are held, waits are frames until a present comes.
 */
static void
the_number_of_held_frames_is_bounded(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "much", NULL};
    assert_int_equal(in_child(holds_much, env), 0);
    check_frames("much/frames.csv", 202, 2, 402);
    env[1] = "many";
    assert_int_equal(in_child(holds_many, env), 0);
    FILE *file = fopen("many/frames.csv", "r");
    unsigned lines = 0;
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        lines += c == '\n';
    fclose(file);
    assert_int_equal(lines, 1 + PP_HELD_MAX + 50 + 2);
}

static void
two_series(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    if (fake_frontend_init(&other, session, "window 2"))
        exit(3);
    /* by the collector's clock, because otherwise they would be held for more than ten seconds from the start
     */
    fake.now.ticks = other.now.ticks = pp_now_ns();
    for (unsigned i = 0; i < WAITS_MIN; i++) {
        waits(&fake, 1);
        waits(&other, 1);
        if (i % 3 == 0)
            fake_clock_rounds();
    }
    presents(&fake, 2);
}

/* Each series decides about its own frames. No number is given twice, and only a frame that never ended
 * leaves a number out. */
static void
each_series_decides_its_frame_ends(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "series", NULL};
    bool seen[WAITS_MIN + 3] = {false};
    assert_int_equal(in_child(two_series, env), 0);
    read_table("series/frames.csv");
    assert_int_equal(table.rows, 1 + WAITS_MIN + 2);
    unsigned first = 0;
    for (unsigned i = 0; i < WAITS_MIN + 2; i++) {
        assert_in_range(number(i, "frame"), 0, WAITS_MIN + 2);
        assert_false(seen[number(i, "frame")]);
        seen[number(i, "frame")] = true;
        first += number(i, "draws") == 2 * WAITS_MIN + 1;
    }
    assert_int_equal(first, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_present_takes_earlier_waits),
        cmocka_unit_test(without_a_present_waits_are_frames),
        cmocka_unit_test(held_frames_are_written_in_time),
        cmocka_unit_test(a_kill_leaves_held_frames),
        cmocka_unit_test(reasons_come_before_rows),
        cmocka_unit_test(the_number_of_held_frames_is_bounded),
        cmocka_unit_test(each_series_decides_its_frame_ends),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
