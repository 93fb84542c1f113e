/** @file
 * An application that draws more than the collector can write: it continues, frames are dropped whole and
 * counted, memory is bounded. Each case runs in a child process, because a process has one session. */
#include "tests/lib/cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "tests/fake/frontend.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

#define FRAMES     400U
#define FLUSHES    400U
#define DRAWS      300U                /* of a frame, in several batches */
#define LIMIT      ((size_t)160 << 10) /* more than two frames */
#define BATCH_ROOM ((size_t)64 << 10)  /* more than a batch of the fake front end can hold */

/* The collector seems to be delayed in the second of three frames. */
static void
one_frame_too_many(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    for (int i = 0; i < 3; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 10);
        fake_frontend_flush(&fake);
        if (i == 1)
            atomic_fetch_add(&session->transport.waiting_bytes, session->transport.waiting_bytes_max + 1);
        fake_frontend_draw(&fake, 2, 1, 3, 10);
        fake_frontend_flush(&fake);
        /* Memory is available again, but not for this frame. */
        if (i == 1)
            atomic_fetch_sub(&session->transport.waiting_bytes, session->transport.waiting_bytes_max + 1);
        fake_frontend_draw(&fake, 3, 1, 3, 10);
        if (i == 1 && fake.batch)
            exit(4);
        fake_frontend_swap(&fake);
    }
}

static void
flood(void)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    session->transport.waiting_bytes_max = LIMIT;
    for (unsigned i = 0; i < FRAMES; i++) {
        fake_frontend_draw(&fake, 1, DRAWS, 3, 10);
        fake_frontend_swap(&fake);
        if (atomic_load(&session->transport.waiting_bytes) > LIMIT + BATCH_ROOM)
            exit(4);
    }
}

/* Wait until most batches are written, except those of the series that waits. */
static void
let_write(const struct pp_session *session)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < 20000; i++) {
        size_t under_way =
            atomic_load(&session->transport.ring.head) - atomic_load(&session->transport.ring.tail);
        if (under_way <= 1000 &&
            atomic_load(&session->transport.waiting_bytes) <= session->transport.waiting_bytes_max * 3 / 4)
            return;
        nanosleep(&nap, NULL);
    }
    exit(5);
}

/* Two windows: the frames of one end, the frame of the other never ends. */
static void
frames_while_one_never_ends(size_t limit, unsigned frames, uint32_t endless_brackets)
{
    struct fake_frontend fake;
    struct pp_session *session = fake_frontend_start(&fake);
    struct pp_timeline_info info = {.device = fake.device, .surface = "window 2", .start_ns = pp_now_ns()};
    struct pp_timeline *endless = pp_timeline_create(session, &info);
    session->transport.waiting_bytes_max = limit;
    for (unsigned i = 0; i < frames; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 10);
        fake_frontend_swap(&fake);
        struct pp_batch *batch = pp_batch_get(endless);
        if (!batch || pp_batch_reserve(batch, endless_brackets))
            exit(4);
        pp_batch_put(batch);
        let_write(session);
    }
}

/* More actions than a frame may hold. */
static void
action_without_end(struct fake_frontend *fake)
{
    struct pp_session *session = fake_frontend_start(fake);
    session->transport.waiting_bytes_max = LIMIT;
    for (unsigned i = 0; i < FLUSHES; i++) {
        fake_frontend_draw(fake, 1 + i % 7, 2, 3, 10);
        fake_frontend_flush(fake);
        let_write(session);
    }
}

static void
never_ends(void)
{
    struct fake_frontend fake;
    action_without_end(&fake);
}

static void
ends_late(void)
{
    struct fake_frontend fake;
    action_without_end(&fake);
    fake_frontend_swap(&fake);
    fake_frontend_draw(&fake, 1, 2, 3, 10);
    fake_frontend_swap(&fake);
}

static void
many_bytes(void)
{
    frames_while_one_never_ends((size_t)1 << 20, 400, 128);
}

static void
many_batches(void)
{
    frames_while_one_never_ends((size_t)128 << 20, PP_BATCHES_MAX + 1000, 1);
}

static unsigned
lines(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned count = 0;
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        count += c == '\n';
    fclose(file);
    return count;
}

/* Dropped frames, as session.json counts them. */
static long
dropped(const char *path)
{
    return session_json_number(path, "dropped", "frames");
}

static void
frames_are_dropped_whole(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "whole", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(one_frame_too_many, env), 0);
    read_table("whole/frames.csv");
    assert_int_equal(table.rows, 3);
    assert_int_equal(number(0, "frame"), 0);
    assert_int_equal(number(1, "frame"), 2);
    assert_int_equal(number(1, "draws"), 4);
    assert_int_equal(lines("whole/passes.csv"), 1 + 2 * 3);
    assert_int_equal(lines("whole/draws.csv"), 1 + 2 * 4);
    assert_int_equal(dropped("whole/session.json"), 1);
}

static void
memory_is_bounded(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "flood", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(flood, env), 0);
    unsigned frames = lines("flood/frames.csv") - 1;
    assert_true(frames > 0);
    assert_int_equal(frames + dropped("flood/session.json"), FRAMES);
    assert_int_equal(lines("flood/draws.csv") - 1, frames * DRAWS);
    read_table("flood/frames.csv");
    for (unsigned i = 0; i < frames; i++)
        assert_int_equal(number(i, "draws"), DRAWS);
}

static void
a_frame_without_end_leaves_memory_for_others(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "bytes", NULL};
    assert_int_equal(in_child(many_bytes, env), 0);
    assert_int_equal(lines("bytes/frames.csv"), 1 + 400);
    assert_int_equal(dropped("bytes/session.json"), 0);
    env[1] = "batches";
    assert_int_equal(in_child(many_batches, env), 0);
    assert_int_equal(lines("batches/frames.csv"), 1 + PP_BATCHES_MAX + 1000);
    assert_int_equal(dropped("batches/session.json"), 0);
}

static void
nothing_of_an_endless_frame_vanishes(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "late", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(ends_late, env), 0);
    assert_int_equal(lines("late/frames.csv"), 1 + 1);
    assert_int_equal(dropped("late/session.json"), 1);
    assert_int_equal(lines("late/passes.csv"), 1 + FLUSHES + 1);
    assert_int_equal(lines("late/draws.csv"), 1 + (FLUSHES + 1) * 2);
    read_table("late/passes.csv");
    uint64_t draws = 0;
    unsigned without_frame = 0;
    for (unsigned i = 0; i + 1 < table.rows; i++) {
        draws += number(i, "draws");
        without_frame += *at(i, "frame") == '\0';
    }
    assert_int_equal(draws, (FLUSHES + 1) * 2);
    assert_int_equal(without_frame, FLUSHES);
    env[1] = "never";
    assert_int_equal(in_child(never_ends, env), 0);
    assert_int_equal(lines("never/frames.csv"), 1);
    assert_int_equal(dropped("never/session.json"), 0);
    assert_int_equal(lines("never/draws.csv"), 1 + FLUSHES * 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_dropped_whole),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_frame_without_end_leaves_memory_for_others),
        cmocka_unit_test(nothing_of_an_endless_frame_vanishes),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
