/** @file
 * Stable ids are equal from frame to frame and from one memory to another, and different among equal draws,
 * also when there are more kinds of actions than are remembered. */
#include "tests/lib/cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/rows/stable_id.h"

#define PASSES  3U
#define ACTIONS 5000U
#define CALLS   7U
#define SCENE   40U /* draws of the scene, parts of which come and go */

static struct pp_session session;
static struct pp_pass_row pass[PASSES];
static struct pp_action action[ACTIONS];
static struct pp_action_row row[ACTIONS];
static struct pp_frame_row frame = {.pass = pass, .passes = PASSES, .action = row, .actions = ACTIONS};

static int
names(void **state)
{
    (void)state;
    char text[32];
    if (pp_intern_init(&session.names.strings, 4096) || pp_intern_init(&session.names.labels, 16) ||
        pp_intern_init(&session.names.render_targets, 16))
        return -1;
    pp_label_id label = pp_session_label(&session, 0, "scene");
    for (uint32_t i = 0; i < PASSES; i++)
        pass[i] = (struct pp_pass_row){.number = i, .kind = PP_PASS_RENDER, .label = i == 1 ? label : 0};
    /* More pipelines than there are keys, each several times, and every one in two passes. */
    for (uint32_t i = 0; i < ACTIONS; i++) {
        snprintf(text, sizeof(text), "pipeline %u", (unsigned)(i % 2000));
        action[i] =
            (struct pp_action){.pipeline = pp_session_string(&session, text), .label = i % 11 ? 0 : label};
        snprintf(text, sizeof(text), "call %u", (unsigned)(i % CALLS));
        action[i].call = pp_session_string(&session, text);
        row[i] = (struct pp_action_row){.pass = i % PASSES, .action = &action[i]};
    }
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    pp_intern_finish(&session.names.strings);
    pp_intern_finish(&session.names.labels);
    pp_intern_finish(&session.names.render_targets);
    return 0;
}

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void
ids_stay_the_same_in_every_frame(void **state)
{
    (void)state;
    static uint64_t first[PASSES + ACTIONS], sorted[PASSES + ACTIONS];
    struct pp_stable_ids kept = {0};
    for (unsigned step = 0; step < 5; step++) {
        struct pp_stable_ids fresh = {0};
        /* The fourth frame has few rows. The ids of the last frame come from a second memory. */
        frame.actions = step == 3 ? 10 : ACTIONS;
        assert_int_equal(pp_stable_id_assign(step == 4 ? &fresh : &kept, &session, &frame), 0);
        pp_stable_id_finish(&fresh);
        for (uint32_t i = 0; i < PASSES + frame.actions; i++) {
            uint64_t id = i < PASSES ? pass[i].id : row[i - PASSES].id;
            if (step == 0)
                first[i] = id;
            assert_int_equal(id, first[i]);
        }
    }
    pp_stable_id_finish(&kept);
    memcpy(sorted, first, sizeof(sorted));
    qsort(sorted, PASSES + ACTIONS, sizeof(sorted[0]), compare);
    for (uint32_t i = 1; i < PASSES + ACTIONS; i++)
        assert_int_not_equal(sorted[i], sorted[i - 1]);
}

/* A scene of draws with the same call and pipeline. Draw i has 3 * (i + 1) vertices. */
static void
begin_scene(void)
{
    memset(action, 0, sizeof(action[0]) * SCENE * 2);
    frame.is_frame = true;
    frame.passes = 1;
    frame.actions = 0;
}

static void
add_draw(uint64_t vertices, uint32_t resource)
{
    action[frame.actions].vertices = vertices;
    action[frame.actions].resource = resource;
    row[frame.actions] = (struct pp_action_row){.action = &action[frame.actions]};
    frame.actions++;
}

static void
draw_scene(struct pp_stable_ids *identity, bool (*is_there)(uint32_t draw))
{
    begin_scene();
    for (uint32_t i = 0; i < SCENE; i++)
        if (is_there(i))
            add_draw(3 * ((uint64_t)i + 1), 0);
    assert_int_equal(pp_stable_id_assign(identity, &session, &frame), 0);
}

static uint64_t
id_of_scene(uint32_t draw)
{
    for (uint32_t i = 0; i < frame.actions; i++)
        if (action[i].vertices == 3 * ((uint64_t)draw + 1))
            return row[i].id;
    return 0;
}

static bool
all_are_there(uint32_t draw)
{
    (void)draw;
    return true;
}

static bool
some_are_there(uint32_t draw)
{
    return draw % 7 != 0 && draw != 13 && draw != 14 && draw < 37;
}

static bool
others_are_there(uint32_t draw)
{
    return draw % 5 != 1;
}

/* Draws that disappear and come back do not change other draws' ids, and get their old ids. */
static void
draws_that_come_and_go_keep_other_ids(void **state)
{
    (void)state;
    static bool (*const there[])(uint32_t) = {all_are_there, some_are_there, others_are_there, all_are_there};
    struct pp_stable_ids identity = {0};
    uint64_t id[SCENE];
    for (unsigned step = 0; step < sizeof(there) / sizeof(there[0]); step++) {
        draw_scene(&identity, there[step]);
        for (uint32_t i = 0; i < SCENE; i++) {
            if (step == 0)
                id[i] = id_of_scene(i);
            assert_int_equal(id_of_scene(i), there[step](i) ? id[i] : 0);
        }
    }
    pp_stable_id_finish(&identity);
}

/* A new draw before equal draws or among them does not get an id of another draw, past or present. */
static void
new_draws_get_unused_ids(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    draw_scene(&identity, some_are_there);
    uint64_t old[SCENE];
    uint32_t olds = frame.actions;
    for (uint32_t i = 0; i < olds; i++)
        old[i] = row[i].id;
    begin_scene();
    add_draw(1000, 0);
    for (uint32_t i = 0; i < SCENE; i++)
        if (some_are_there(i))
            add_draw(3 * ((uint64_t)i + 1), 0);
    assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
    for (uint32_t i = 0; i < olds; i++) {
        assert_int_equal(row[i + 1].id, old[i]);
        assert_int_not_equal(row[0].id, old[i]);
        assert_false(row[i + 1].by_place);
    }
    assert_true(row[0].by_place);
    pp_stable_id_finish(&identity);
}

/* Draws whose vertices change are identified by their textures, wherever they are; without textures, by their
 * place. */
static void
textures_identify_draws(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    uint64_t id[4];
    begin_scene();
    for (uint32_t i = 0; i < 4; i++)
        add_draw(30 + i, i + 1);
    assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
    for (uint32_t i = 0; i < 4; i++)
        id[i] = row[i].id;
    begin_scene();
    for (uint32_t i = 0; i < 4; i++)
        add_draw(60 + i, 4 - i);
    assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(row[i].id, id[3 - i]);
        assert_false(row[i].by_place);
    }
    begin_scene();
    for (uint32_t i = 0; i < 4; i++)
        add_draw(90 + i, 0);
    struct pp_stable_ids other = {0};
    assert_int_equal(pp_stable_id_assign(&other, &session, &frame), 0);
    for (uint32_t i = 0; i < 4; i++) {
        id[i] = row[i].id;
        assert_true(row[i].by_place);
        action[i].vertices += 10;
    }
    assert_int_equal(pp_stable_id_assign(&other, &session, &frame), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(row[i].id, id[i]);
        assert_true(row[i].by_place);
    }
    pp_stable_id_finish(&identity);
    pp_stable_id_finish(&other);
}

/* Each frame has another texture for a draw that is the only one of its kind: the draw keeps its id. */
static void
a_single_draw_keeps_its_id(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    uint64_t id = 0;
    for (uint32_t step = 0; step < 9; step++) {
        begin_scene();
        add_draw(6 + step, step % 3 + 1);
        assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
        id = step ? id : row[0].id;
        assert_int_equal(row[0].id, id);
        assert_false(row[0].by_place);
    }
    pp_stable_id_finish(&identity);
}

/* Equal passes: in one frame two passes that load come before them. */
static void
new_passes_keep_other_ids(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    static struct pp_pass_row few[3], more[5];
    struct pp_frame_row with = {.is_frame = true, .pass = few, .passes = 3};
    for (uint32_t i = 0; i < 3; i++)
        few[i] = (struct pp_pass_row){.kind = PP_PASS_RENDER, .draws = 10 + i};
    assert_int_equal(pp_stable_id_assign(&identity, &session, &with), 0);
    for (uint32_t i = 0; i < 5; i++)
        more[i] = (struct pp_pass_row){.kind = PP_PASS_RENDER, .draws = 8 + i};
    with.pass = more;
    with.passes = 5;
    assert_int_equal(pp_stable_id_assign(&identity, &session, &with), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(more[i + 2].id, few[i].id);
    pp_stable_id_finish(&identity);
}

/* Passes on one target, whose numbers of draws change: a pass that comes before them has another program, or
 * clears. */
static void
programs_and_clears_tell_passes_apart(void **state)
{
    (void)state;
    for (uint16_t cleared = 0; cleared < 2; cleared++) {
        struct pp_stable_ids identity = {0};
        static struct pp_pass_row few[2], more[3];
        struct pp_frame_row with = {.is_frame = true, .pass = few, .passes = 2};
        for (uint32_t i = 0; i < 2; i++)
            few[i] =
                (struct pp_pass_row){.kind = PP_PASS_RENDER, .draws = 10 + i, .program = (uint16_t)(7 + i)};
        assert_int_equal(pp_stable_id_assign(&identity, &session, &with), 0);
        for (uint32_t i = 0; i < 2; i++) {
            more[i + 1] = few[i];
            more[i + 1].draws += 20;
        }
        more[0] = few[0];
        more[0].draws += 9;
        more[0].cleared = cleared;
        more[0].program = cleared ? 7 : 9;
        with.pass = more;
        with.passes = 3;
        assert_int_equal(pp_stable_id_assign(&identity, &session, &with), 0);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(more[i + 1].id, few[i].id);
            assert_false(more[i + 1].by_place);
            assert_int_not_equal(more[0].id, few[i].id);
        }
        pp_stable_id_finish(&identity);
    }
}

/* Random frames: ids are unique in each frame, and a draw that is in two consecutive frames has one id. */
static void
random_frames_keep_unique_ids(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    uint32_t random = 12345;
    uint64_t last[SCENE] = {0};
    for (unsigned step = 0; step < 2000; step++) {
        begin_scene();
        uint32_t at[SCENE];
        for (uint32_t i = 0; i < SCENE; i++) {
            random = random * 1664525U + 1013904223U;
            if (random >> 30)
                at[frame.actions] = i, add_draw(3 * ((uint64_t)i + 1), 0);
        }
        assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
        uint64_t now[SCENE] = {0};
        for (uint32_t i = 0; i < frame.actions; i++) {
            now[at[i]] = row[i].id;
            assert_true(last[at[i]] == 0 || last[at[i]] == row[i].id);
            for (uint32_t k = 0; k < i; k++)
                assert_int_not_equal(row[i].id, row[k].id);
        }
        memcpy(last, now, sizeof(last));
    }
    pp_stable_id_finish(&identity);
}

/* The ids are those of earlier versions, because ids join sessions of different versions. */
static void
ids_have_the_values_of_older_versions(void **state)
{
    (void)state;
    struct pp_stable_ids identity = {0};
    frame.is_frame = false;
    frame.passes = PASSES;
    frame.actions = 2;
    assert_int_equal(pp_stable_id_assign(&identity, &session, &frame), 0);
    assert_int_equal(pass[0].id, UINT64_C(0x9267ecbd66a56d95));
    assert_int_equal(row[0].id, UINT64_C(0x956623ef9d1d6152));
    pp_stable_id_finish(&identity);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_stay_the_same_in_every_frame),
        cmocka_unit_test(ids_have_the_values_of_older_versions),
        cmocka_unit_test(draws_that_come_and_go_keep_other_ids),
        cmocka_unit_test(new_draws_get_unused_ids),
        cmocka_unit_test(textures_identify_draws),
        cmocka_unit_test(a_single_draw_keeps_its_id),
        cmocka_unit_test(new_passes_keep_other_ids),
        cmocka_unit_test(programs_and_clears_tell_passes_apart),
        cmocka_unit_test(random_frames_keep_unique_ids),
    };
    return cmocka_run_group_tests(tests, names, forget);
}
