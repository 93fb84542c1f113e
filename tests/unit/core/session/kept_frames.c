/** @file
 * --keep-slower-than: fine rows of slow frames and of those around them, whatever the order in which results
 * come, whatever ends the application, and within the memory. Each case runs in a child process, because a
 * process has one session. The clock is a fake one. */
#include "tests/lib/cmocka_test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/engine/session_private.h"
#include "tests/fake/clock.h"
#include "tests/fake/frontend.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

#define MS 1000000ULL

/* A frame of this length; its number of draws distinguishes it from others. */
static void
frame(struct fake_frontend *fake, uint64_t ms, uint32_t draws)
{
    fake_frontend_draw(fake, 1, draws, 3, ms * MS / draws);
    fake_frontend_swap(fake);
}

/* A frame whose results have not come. */
static struct pp_batch *
frame_without_results(struct fake_frontend *fake, uint64_t ms, uint32_t draws)
{
    fake_frontend_draw(fake, 1, draws, 3, ms * MS / draws);
    pp_track_end(&fake->tracker);
    struct pp_batch *batch = fake->batch;
    fake->batch = NULL;
    fake->tracker.action_list = NULL;
    fake_frontend_swap(fake);
    return batch;
}

static void
results_come(struct pp_batch *batch)
{
    batch->cpu_available_ns = UINT64_MAX / 4;
    pp_batch_put(batch);
}

/* Window 1 has the frames 0, 2, 4, ..., window 2 the others. Frame 0 is slow, but a first frame. */
static void
two_windows(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    if (fake_frontend_init(&other, session, "window 2"))
        exit(3);
    for (unsigned i = 0; i < 20; i++) {
        frame(&fake, i == 0 || i == 7 ? 60 : 1, 2);
        frame(&other, i == 15 ? 60 : 1, 3);
        fake_clock_rounds();
    }
}

/* The frames 3, 4, 5 end before any of their results comes; the last results come first. Frame 4 is slow. */
static void
results_in_any_order(void)
{
    struct fake_frontend fake;
    struct pp_batch *batch[3];
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 10; i++) {
        if (i >= 3 && i <= 5)
            batch[i - 3] = frame_without_results(&fake, i == 4 ? 60 : 1, i + 1);
        else
            frame(&fake, 1, i + 1);
        fake_clock_rounds();
        for (unsigned k = 3; i == 8 && k-- > 0;)
            results_come(batch[k]);
    }
}

/* Frame 5 is slow, and frame 9; then the application is killed. */
static void
killed(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 10; i++)
        frame(&fake, i == 5 || i == 9 ? 60 : 1, 2);
    fake_clock_pause(1000 * MS);
    fake_clock_pause(1000 * MS);
    raise(SIGKILL);
}

/* A thousand frames before the slow one do not fit into the memory. */
static void
too_many(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    session->transport.waiting_bytes_max = (size_t)256 << 10;
    for (unsigned i = 0; i <= 300; i++) {
        frame(&fake, i == 300 ? 60 : 1, 10);
        if (atomic_load(&session->transport.waiting_bytes) > session->transport.waiting_bytes_max)
            exit(4);
        fake_clock_rounds();
    }
}

/* Windows that are closed give back what waits. */
static void
closed_windows(void)
{
    struct fake_frontend fake, other;
    struct pp_session *session = fake_frontend_start(&fake);
    for (unsigned i = 0; i < 5; i++) {
        if (fake_frontend_init(&other, session, "window 2"))
            exit(3);
        for (unsigned k = 0; k < 5; k++)
            frame(&other, 1, 10);
        fake_clock_rounds();
        if (atomic_load(&session->transport.waiting_bytes) == 0)
            exit(4);
        pp_timeline_destroy(other.timeline);
        fake_clock_rounds();
        if (atomic_load(&session->transport.waiting_bytes) != 0)
            exit(5);
    }
}

/* An application that never presents; wait 5 comes late. So long as a present may come, nothing is decided.
 */
static void
only_waits(struct fake_frontend *fake, unsigned count)
{
    fake_frontend_start(fake);
    for (unsigned i = 0; i < count; i++) {
        fake_frontend_draw(fake, 1, 2, 3, i == 5 ? 30 * MS : 1);
        fake_frontend_flush(fake);
        uint64_t now = fake->now.ticks;
        pp_timeline_end_frame(fake->timeline, &(struct pp_frame_times){.present_begin_ns = now,
                                                                       .present_end_ns = now + 10,
                                                                       .end = PP_END_WAIT,
                                                                       .waits_min = 10});
        fake->now.ticks = now + 10;
        if (i == 4) /* a draft is written without fine rows */
            fake_clock_pause(1000 * MS);
    }
}

static void
never_presents(void)
{
    struct fake_frontend fake;
    only_waits(&fake, 20);
}

static void
presents_at_last(void)
{
    struct fake_frontend fake;
    only_waits(&fake, 20);
    for (unsigned i = 1; i <= 6; i++)
        frame(&fake, i == 4 ? 60 : 1, 2);
}

static void
never_presents_and_is_killed(void)
{
    struct fake_frontend fake;
    only_waits(&fake, 20);
    fake_clock_pause(1000 * MS);
    fake_clock_pause(1000 * MS);
    raise(SIGKILL);
}

/* All frames are slow: the rows reach --max-size. */
static void
grows(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    for (unsigned i = 0; i < 2000 && atomic_load(&session->active); i++) {
        frame(&fake, i % 4 == 0 ? 60 : 1, 4);
        fake_clock_rounds();
    }
}

/* The frames that have rows in a file, as "5 6 7"; each must have its number of rows. */
static const char *
frames_in(const char *path, unsigned rows_each)
{
    static char text[4096];
    unsigned rows = 0;
    text[0] = '\0';
    read_table(path);
    for (unsigned i = 0; i + 1 < table.rows; i++) {
        bool again = i > 0 && strcmp(at(i, "frame"), at(i - 1, "frame")) == 0;
        rows = again ? rows + 1 : 1;
        bool last = i + 2 == table.rows || strcmp(at(i, "frame"), at(i + 1, "frame")) != 0;
        if (last && rows_each)
            assert_int_equal(rows, rows_each);
        if (!again)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", at(i, "frame"));
    }
    return text;
}

static unsigned
rows_of(const char *path)
{
    read_table(path);
    return table.rows - 1;
}

static void
frames_around_are_of_the_same_window(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "two", "PASSPROBE_LEVEL", "pass", "PASSPROBE_KEEP_SLOWER_THAN", "50:2", NULL};
    assert_int_equal(in_child(two_windows, env), 0);
    assert_string_equal(frames_in("two/passes.csv", 1), "10 12 14 16 18 27 29 31 33 35");
}

static void
late_results_belong_to_their_frames(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "any", "PASSPROBE_LEVEL", "draw", "PASSPROBE_KEEP_SLOWER_THAN", "50:1", NULL};
    assert_int_equal(in_child(results_in_any_order, env), 0);
    assert_string_equal(frames_in("any/passes.csv", 1), "5 4 3");
    assert_int_equal(rows_of("any/draws.csv"), 4 + 5 + 6);
    assert_int_equal(rows_of("any/frames.csv"), 10);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(number(i, "draws"), number(i, "frame") + 1);
    assert_int_equal(session_json_number("any/session.json", "counts", "kept_frames"), 3);
    assert_int_equal(session_json_number("any/session.json", "dropped", "kept_frames"), 0);
}

static void
a_kill_loses_no_kept_frame(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "killed", "PASSPROBE_LEVEL", "draw", "PASSPROBE_KEEP_SLOWER_THAN", "50:2", NULL};
    int status = in_child(killed, env);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(rows_of("killed/frames.csv"), 10);
    assert_string_equal(frames_in("killed/passes.csv", 1), "3 4 5 6 7 8 9");
    assert_int_equal(session_json_number("killed/session.json", "counts", "passes"), 7);
    assert_int_equal(session_json_number("killed/session.json", "counts", "draws"), 14);
}

static void
memory_is_bounded(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "many", "PASSPROBE_LEVEL", "draw", "PASSPROBE_KEEP_SLOWER_THAN",
                         "50:1000",          NULL};
    assert_int_equal(in_child(too_many, env), 0);
    assert_int_equal(rows_of("many/frames.csv"), 301);
    long kept = session_json_number("many/session.json", "counts", "kept_frames");
    long lost = session_json_number("many/session.json", "dropped", "kept_frames");
    assert_in_range(kept, 2, 299);
    assert_int_equal(kept + lost, 301);
    assert_int_equal(session_json_number("many/session.json", "dropped", "frames"), 0);
    assert_int_equal(rows_of("many/passes.csv"), (unsigned)kept);
    assert_int_equal(number(0, "frame"), (unsigned)lost);
}

static void
held_frames_are_kept(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "held", "PASSPROBE_LEVEL", "pass", "PASSPROBE_KEEP_SLOWER_THAN", "50:2", NULL};
    assert_int_equal(in_child(never_presents, env), 0);
    assert_int_equal(rows_of("held/frames.csv"), 20);
    assert_string_equal(frames_in("held/passes.csv", 1), "3 4 5 6 7");
    env[1] = "draft"; /* the kill leaves a draft */
    assert_true(WIFSIGNALED(in_child(never_presents_and_is_killed, env)));
    assert_int_equal(rows_of("draft/frames.csv"), 20);
    assert_string_equal(frames_in("draft/passes.csv", 1), "3 4 5 6 7");
    env[1] = "present"; /* all waits are in frame 0, which is a first frame */
    assert_int_equal(in_child(presents_at_last, env), 0);
    assert_int_equal(rows_of("present/frames.csv"), 6);
    assert_string_equal(frames_in("present/passes.csv", 1), "1 2 3 4 5");
}

static void
size_is_bounded(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT",
                         "size",
                         "PASSPROBE_LEVEL",
                         "draw",
                         "PASSPROBE_KEEP_SLOWER_THAN",
                         "50:1",
                         "PASSPROBE_MAX_SIZE",
                         "128K",
                         NULL};
    static const char *const file[] = {"size/frames.csv", "size/passes.csv", "size/draws.csv",
                                       "size/labels.csv", "size/session.json"};
    off_t size = 0;
    struct stat st;
    assert_int_equal(in_child(grows, env), 0);
    for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++) {
        assert_int_equal(stat(file[i], &st), 0);
        size += st.st_size;
    }
    assert_in_range(size, 64 << 10, 128 << 10);
    long kept = session_json_number("size/session.json", "counts", "kept_frames");
    assert_int_equal(rows_of("size/passes.csv"), (unsigned)kept);
    assert_in_range(session_json_number("size/session.json", "counts", "frames"), kept, 2000);
}

static void
closed_windows_wait_for_nothing(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "closed", "PASSPROBE_LEVEL", "draw", "PASSPROBE_KEEP_SLOWER_THAN",
        "50:1000",          NULL};
    assert_int_equal(in_child(closed_windows, env), 0);
    assert_int_equal(rows_of("closed/passes.csv"), 0);
}

static void
bad_values_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "0", ":1", "x", "5:", "5:x", "5:-1", "5:1001", "5:1:1", "-5"};
    static const char *const good[] = {"5", "16.7ms", "1s:0", "5:1000"};
    static const uint64_t around[] = {1, 1, 0, 1000};
    char error[PP_CONFIG_ERROR_MAX];
    struct pp_config config;
    pp_config_init(&config);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_not_equal(pp_config_set(&config, "keep-slower-than", bad[i], "--keep-slower-than", error),
                             0);
        assert_non_null(strstr(error, "0 to 1000 frames before and after"));
        assert_int_equal(config.keep_slower_than_ns, 0);
    }
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_int_equal(pp_config_set(&config, "keep-slower-than", good[i], "", error), 0);
        assert_int_equal(config.keep_around, around[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_around_are_of_the_same_window),
        cmocka_unit_test(late_results_belong_to_their_frames),
        cmocka_unit_test(a_kill_loses_no_kept_frame),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(held_frames_are_kept),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(closed_windows_wait_for_nothing),
        cmocka_unit_test(bad_values_are_refused),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
