/** @file
 * Counters of a device, from the user's list to the cells: rotated sets, kinds of numbers, sums of additive
 * counters, columns computed from raw counts. */

#include "tests/lib/cmocka_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fake/frontend.h"
#include "tests/unit/core/session/session_child.h"
#include "tests/unit/counters/sources/source_conformance.h"

#define FRAMES 40U

/* Two render passes, of 2 x 30 and 1 x 12 vertices, and a compute pass. A0 wraps in the second frame. */
static void
frames(void)
{
    struct fake_frontend fake;
    struct pp_session *session = pp_session_get();
    if (!session || fake_frontend_init_counters(&fake, session, "window 1"))
        exit(3);
    for (unsigned i = 0; i < FRAMES; i++) {
        fake_frontend_draw(&fake, 1, 2, 30, 1000);
        fake_frontend_dispatch(&fake, 4, 64, 2000);
        fake_frontend_draw(&fake, 2, 1, 12, 300);
        fake_frontend_swap(&fake);
    }
    if (fake.misuse)
        exit(4);
}

static void
sources_conform(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        pp_source_conforms(fake_counters[i].ops, fake_counters[i].self);
}

static void
sets_take_turns(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "turns", "PASSPROBE_EVENTS", "time,khr", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("turns/passes.csv");
    assert_int_equal(table.rows, 1 + 3 * FRAMES);
    unsigned with[2] = {0, 0};
    for (unsigned i = 0; i < 3 * FRAMES; i++) {
        static const unsigned vertices[] = {60, 0, 12};
        static const unsigned draws[] = {2, 0, 1};
        static const char *const ratio[] = {"3.33333333333333", "0", "8.33333333333333"};
        bool first = *at(i, "khr:verts") != '\0';
        with[first]++;
        if (first)
            assert_int_equal(number(i, "khr:verts"), vertices[i % 3]);
        if (*at(i, "khr:calls"))
            assert_int_equal(number(i, "khr:calls"), draws[i % 3]);
        if (*at(i, "khr:weight_bytes"))
            assert_int_equal(number(i, "khr:weight_bytes"), vertices[i % 3] / 2);
        if (*at(i, "khr:ratio_percent"))
            assert_memory_equal(at(i, "khr:ratio_percent"), ratio[i % 3], strlen(ratio[i % 3]));
        /* two of four in every frame, always the same two together */
        assert_int_equal((*at(i, "khr:verts") != 0) + (*at(i, "khr:calls") != 0) +
                             (*at(i, "khr:weight_bytes") != 0) + (*at(i, "khr:ratio_percent") != 0),
                         2);
    }
    assert_int_equal(with[0], with[1]);
    read_table("turns/frames.csv");
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_string_equal(at(i, "khr:ratio_percent"), ""); /* ratios of three passes cannot be summed */
        if (*at(i, "khr:verts"))
            assert_int_equal(number(i, "khr:verts"), 72);
        if (*at(i, "khr:weight_bytes"))
            assert_int_equal(number(i, "khr:weight_bytes"), 36);
    }
}

static void
brackets_of_passes_and_draws_never_nest(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "nest", "PASSPROBE_EVENTS", "khr:verts", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("nest/draws.csv");
    unsigned actions = 0;
    for (unsigned i = 0; i < table.rows - 1; i++) {
        bool draw = strcmp(at(i, "call"), "fakeDraw") == 0;
        if (!*at(i, "khr:verts") || !draw)
            continue;
        actions++;
        assert_int_equal(number(i, "khr:verts"), number(i, "vertices"));
    }
    assert_int_equal(actions, 3 * FRAMES / 2); /* in every second frame */
    read_table("nest/passes.csv");
    for (unsigned i = 0; i < 3 * FRAMES; i++) /* measured, or a sum; the fake dispatches have no brackets */
        if (i % 3 != 1)
            assert_int_equal(number(i, "khr:verts"), i % 3 ? 12 : 60);
}

/* In four frames both sets are measured with draws and with passes, for every seed. */
static void
pairs_of_turns(void)
{
    struct fake_frontend fake;
    if (fake_frontend_init_counters(&fake, pp_session_get(), "window 1"))
        exit(3);
    for (int i = 0; i < 16; i++) {
        unsigned seen = 0;
        for (int frame = 0; frame < 4; frame++) {
            struct pp_rotation rotation = pp_timeline_rotation(fake.timeline);
            seen |= 1U << (rotation.set * 2 + rotation.actions);
            fake_frontend_draw(&fake, 1, 1, 3, 10);
            fake_frontend_swap(&fake);
        }
        if (seen != 15)
            exit(5);
    }
}

static void
draws_and_passes_have_each_set(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "pairs", "PASSPROBE_EVENTS", "khr", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(pairs_of_turns, env), 0);
}

static void
raw_counts_are_summed_first(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "raw", "PASSPROBE_EVENTS", "oa:Basic", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("raw/frames.csv");
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(number(i, "oa:Sum"), 75);
        assert_string_equal(at(i, "oa:Share_percent"), "4"); /* 3 of 75, and not the mean of the passes */
    }
    for (unsigned c = 0; c < table.columns; c++)
        assert_null(strchr(table.cell[0][c], '#'));
    read_table("raw/passes.csv");
    assert_int_equal(number(0, "oa:Sum"), 62);
    assert_string_equal(at(1, "oa:Share_percent"), ""); /* 0 of 0 */
    read_table("raw/draws.csv");
    assert_int_equal(number(0, "oa:Sum"), 31);
}

static void
the_default_set_is_measured(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "preset", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("preset/frames.csv");
    assert_int_equal(number(FRAMES - 1, "oa:Sum"), 75);
    for (unsigned c = 0; c < table.columns; c++)
        assert_null(strstr(table.cell[0][c], "khr:"));
}

/* Is this text in the session's description? */
static bool
is_said(const char *dir, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/session.json", dir);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t len = fread(table.text, 1, sizeof(table.text) - 1, file);
    fclose(file);
    table.text[len] = '\0';
    return strstr(table.text, text) != NULL;
}

static void
missing_events_have_reasons(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "missing", "PASSPROBE_EVENTS", "khr:gone,amd:GRBM,mali,oa:Sum",
                         NULL};
    assert_int_equal(in_child(frames, env), 0);
    assert_true(is_said("missing", "it is gone"));
    assert_true(is_said("missing", "the fake device has no such thing"));
    assert_true(is_said("missing", "no such source"));
    assert_true(is_said("missing", "\"oa:Sum\""));
}

static void
counters_name_the_bound(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "bound", "PASSPROBE_EVENTS", "oa:Bound", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("bound/passes.csv");
    /* 30 vertices a draw: EUs 3.3 %, reads 60 of 60 bytes; 12 vertices: 60 of 24 */
    assert_int_equal(number(0, "oa:GtiReadThroughput.max_bytes"), 120);
    assert_string_equal(at(0, "bound_by"), "gti_read");
    assert_string_equal(at(1, "bound_by"), ""); /* no clocks */
    assert_string_equal(at(2, "bound_by"), "gti_read");
    read_table("bound/draws.csv");
    assert_string_equal(at(0, "bound_by"), "gti_read");
}

static void
low_use_names_no_unit(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "low", "PASSPROBE_EVENTS", "oa:EuActive,oa:GpuCoreClocks", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("low/passes.csv");
    assert_string_equal(at(0, "bound_by"), "under-used");
}

/* The only known unit did nothing: no unit reached its peak. Without clocks nothing is known. */
static void
no_use_names_no_unit(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "idle", "PASSPROBE_EVENTS", "oa:SamplersBusy,oa:GpuCoreClocks",
                         NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("idle/passes.csv");
    assert_string_equal(at(0, "bound_by"), "under-used");
    assert_string_equal(at(1, "bound_by"), ""); /* no clocks */
}

static void
streams_are_waited_for(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "stream", "PASSPROBE_EVENTS", "intel", NULL};
    assert_int_equal(in_child(frames, env), 0);
    read_table("stream/passes.csv");
    assert_int_equal(table.rows, 1 + 3 * FRAMES);
    /* A set is measured for a time, not for a frame; all passes of a frame have the same set, or none. */
    unsigned measured = 0;
    for (unsigned i = 0; i < 3 * FRAMES; i++) {
        static const uint64_t ns[] = {2000, 2000, 300};
        bool twice = *at(i, "intel:Twice"), once = *at(i, "intel:Ns");
        assert_int_equal(number(i, "frame"), i / 3);
        assert_false(twice && once);
        assert_int_equal(twice, *at(i / 3 * 3, "intel:Twice") != '\0');
        assert_int_equal(once, *at(i / 3 * 3, "intel:Ns") != '\0');
        if (twice)
            assert_int_equal(number(i, "intel:Twice"), 2 * ns[i % 3]);
        if (once)
            assert_int_equal(number(i, "intel:Ns"), ns[i % 3]);
        measured += twice || once;
    }
    assert_true(measured >= 3);
}

static void
an_unknown_event_stops_recording(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "unknown", "PASSPROBE_EVENTS", "khr:vrets,khr:farg", NULL};
    assert_int_equal(WEXITSTATUS(in_child(frames, env)), 3);
    assert_int_equal(access("unknown", F_OK), -1);
}

/* The driver gives the names: an unknown name is left out, the others are measured. */
static void
an_unknown_event_among_others_is_left_out(void **state)
{
    (void)state;
    static char text[65536];
    const char *env[] = {"PASSPROBE_OUTPUT", "left-out", "PASSPROBE_EVENTS", "time,khr:vrets,khr:verts",
                         NULL};
    assert_int_equal(WEXITSTATUS(in_child(frames, env)), 0);
    FILE *file = fopen("left-out/session.json", "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\"khr:vrets\""));
    assert_non_null(strstr(text, "unknown event 'vrets'; did you mean 'khr:verts'?"));
    file = fopen("left-out/frames.csv", "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "khr:verts"));
}

/* The hardware decides which events fit: a group that does not fit is left out. */
static void
a_group_that_does_not_fit_is_left_out(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "crowded", "PASSPROBE_EVENTS",
                         "time,{khr:verts,khr:calls,khr:weight},khr:calls", NULL};
    assert_int_equal(WEXITSTATUS(in_child(frames, env)), 0);
    assert_true(is_said("crowded", "\"event\": \"khr:verts\""));
    assert_true(is_said("crowded", "\"event\": \"khr:weight\""));
    assert_true(is_said("crowded", "the hardware cannot measure the events of this group together"));
    read_table("crowded/passes.csv");
    assert_int_equal(number(0, "khr:calls"), 2);
    for (unsigned c = 0; c < table.columns; c++)
        assert_null(strstr(table.cell[0][c], "khr:verts"));
    const char *alone[] = {"PASSPROBE_OUTPUT", "too-crowded", "PASSPROBE_EVENTS",
                           "{khr:verts,khr:calls,khr:weight}", NULL};
    assert_int_equal(WEXITSTATUS(in_child(frames, alone)), 3);
    assert_int_equal(access("too-crowded", F_OK), -1);
}

/* The command started the application; at the end it reads why there is no session. */
static void
the_reason_is_left_in_session_json(void **state)
{
    (void)state;
    char text[16384];
    const char *env[] = {
        "PASSPROBE_OUTPUT", "refused", "PASSPROBE_EVENTS", "khr:vrets", "PASSPROBE_LAUNCHER", "1", NULL};
    assert_int_equal(WEXITSTATUS(in_child(frames, env)), 3);
    FILE *file = fopen("refused/session.json", "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_non_null(
        strstr(text, "\"ended\": \"events: column 1: unknown event 'vrets'; did you mean 'khr:verts'?\""));
    assert_int_equal(access("refused/frames.csv", F_OK), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_conform),
        cmocka_unit_test(sets_take_turns),
        cmocka_unit_test(brackets_of_passes_and_draws_never_nest),
        cmocka_unit_test(draws_and_passes_have_each_set),
        cmocka_unit_test(raw_counts_are_summed_first),
        cmocka_unit_test(the_default_set_is_measured),
        cmocka_unit_test(missing_events_have_reasons),
        cmocka_unit_test(counters_name_the_bound),
        cmocka_unit_test(low_use_names_no_unit),
        cmocka_unit_test(no_use_names_no_unit),
        cmocka_unit_test(streams_are_waited_for),
        cmocka_unit_test(an_unknown_event_stops_recording),
        cmocka_unit_test(an_unknown_event_among_others_is_left_out),
        cmocka_unit_test(a_group_that_does_not_fit_is_left_out),
        cmocka_unit_test(the_reason_is_left_in_session_json),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
