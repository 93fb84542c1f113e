/** @file
 * The pass state machine, with a fake front end that logs its brackets. Each test compares the log of a
 * sequence of actions with the expected one. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/engine/tracker.h"

struct recorder {
    struct pp_action_list action_list;
    struct pp_tracker tracker;
    char log[1024];
    char met[256]; /* pairs of brackets that meet */
    int full;
};

static void
say(struct recorder *r, const char *text, uint32_t bracket)
{
    size_t len = strlen(r->log);
    snprintf(r->log + len, sizeof(r->log) - len, "%s%u ", text, bracket);
}

static void
begin(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    struct recorder *r = user;
    say(r, kind == PP_PASS_NONE ? "(" : "<", bracket);
    if (r->tracker.met != PP_NO_BRACKET)
        snprintf(r->met + strlen(r->met), sizeof(r->met) - strlen(r->met), "%u=%u ", r->tracker.met, bracket);
}

static void
end(void *user, uint32_t bracket, enum pp_pass_kind kind)
{
    say(user, kind == PP_PASS_NONE ? ")" : ">", bracket);
}

static pp_render_target_id
render_target(void *user)
{
    (void)user;
    return 7;
}

static int
full(void *user, struct pp_tracker *tracker)
{
    struct recorder *r = user;
    r->full++;
    if (r->full > 100)
        return -ENOMEM;
    if (!tracker->explicit_pass && r->action_list.passes) {
        say(r, "|", 0);
        pp_action_list_reset(&r->action_list);
        return 0;
    }
    tracker->action_list = &r->action_list;
    r->action_list.bracket_cap = UINT32_MAX;
    return pp_action_list_reserve(&r->action_list, r->action_list.passes + 2, r->action_list.actions + 2);
}

static const struct pp_frontend_ops ops = {.api = "test",
                                           .bracket_begin = begin,
                                           .bracket_end = end,
                                           .render_target = render_target,
                                           .action_list_full = full};

static void
start(struct recorder *r, enum pp_level level)
{
    memset(r, 0, sizeof(*r));
    pp_track_init(&r->tracker, &ops, r, NULL, level);
}

static void
actions_of_one_kind_become_a_pass(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    pp_track_target(&r.tracker, 1);
    pp_track_action(&r.tracker, PP_ACTION_CLEAR, 1);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 3);
    pp_track_target(&r.tracker, 2); /* bind and bind back: no split */
    pp_track_target(&r.tracker, 1);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 2);
    pp_track_action(&r.tracker, PP_ACTION_BLIT, 1);
    pp_track_action(&r.tracker, PP_ACTION_UPLOAD, 1);
    pp_track_target(&r.tracker, 2);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_end(&r.tracker);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 <1 >1 <2 >2 <3 >3 ");
    assert_int_equal(r.action_list.passes, 4);
    assert_int_equal(r.action_list.pass[0].draws, 4);
    assert_int_equal(r.action_list.pass[0].render_target, 7);
    assert_int_equal(r.action_list.pass[1].kind, PP_PASS_COMPUTE);
    assert_int_equal(r.action_list.pass[1].dispatches, 2);
    assert_int_equal(r.action_list.pass[2].kind, PP_PASS_TRANSFER);
    assert_int_equal(r.action_list.pass[2].copies, 2);
    assert_int_equal(r.action_list.pass[3].draws, 1);
    pp_action_list_finish(&r.action_list);
}

static void
barriers_are_a_pass_where_no_pass_is_open(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    assert_true(pp_track_takes_barrier(&r.tracker));
    pp_track_barrier(&r.tracker, 3);
    assert_true(pp_track_takes_barrier(&r.tracker));
    pp_track_barrier(&r.tracker, 4); /* the same pass, with another name */
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 1);
    assert_false(pp_track_takes_barrier(&r.tracker)); /* it belongs to the pass of the dispatch */
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 1);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 9, 0);
    assert_false(pp_track_takes_barrier(&r.tracker));
    pp_track_pass_end(&r.tracker, 0);
    pp_track_barrier(&r.tracker, 5);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 9, 0);
    pp_track_pass_end(&r.tracker, 0);
    assert_string_equal(r.log, "<0 >0 <1 >1 <2 >2 <3 >3 <4 >4 ");
    assert_int_equal(r.action_list.passes, 5);
    assert_int_equal(r.action_list.pass[0].kind, PP_PASS_BARRIER);
    assert_int_equal(r.action_list.pass[0].render_target, 4);
    assert_int_equal(r.action_list.pass[1].dispatches, 2);
    assert_int_equal(r.action_list.pass[3].kind, PP_PASS_BARRIER);
    pp_action_list_finish(&r.action_list);
    start(&r, PP_LEVEL_FRAME);
    assert_false(pp_track_takes_barrier(&r.tracker));
}

static void
passes_meet_if_one_call_ends_and_begins_them(void **state)
{
    (void)state;
    const struct pp_action_info info = {.instances = 1};
    struct recorder r;
    start(&r, PP_LEVEL_DRAW);
    pp_track_target(&r.tracker, 1);
    pp_track_action_begin(&r.tracker, PP_ACTION_DRAW, &info);
    pp_track_action_end(&r.tracker);
    pp_track_action_begin(&r.tracker, PP_ACTION_DISPATCH, &info); /* 2 meets 0, and its action 3 meets none */
    pp_track_action_end(&r.tracker);
    pp_track_pause(&r.tracker);
    pp_track_action_begin(&r.tracker, PP_ACTION_DISPATCH, &info); /* continues: 4 */
    pp_track_action_end(&r.tracker);
    pp_track_pause(&r.tracker);
    pp_track_action_begin(&r.tracker, PP_ACTION_DRAW, &info); /* after a pause: 6 */
    pp_track_action_end(&r.tracker);
    pp_track_end(&r.tracker);
    pp_track_action_begin(&r.tracker, PP_ACTION_BLIT, &info);
    pp_track_action_end(&r.tracker);
    pp_track_end(&r.tracker);
    assert_string_equal(r.met, "0=2 ");
    pp_action_list_finish(&r.action_list);
}

static void
passes_of_two_action_lists_do_not_meet(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 1);
    uint32_t passes = r.action_list.pass_cap;
    for (uint32_t i = 1; i < passes + 2; i++)
        pp_track_action(&r.tracker, i % 2 ? PP_ACTION_BLIT : PP_ACTION_DISPATCH, 1);
    pp_track_end(&r.tracker);
    assert_non_null(strstr(r.log, "|0 <0 >0 <1 >1 "));
    assert_non_null(strstr(r.met, "0=1 1=2 "));
    assert_null(strstr(r.met, "=0 ")); /* the first bracket of a list */
    pp_action_list_finish(&r.action_list);
}

static void
frame_level_has_one_bracket(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_FRAME);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 3);
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 2);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 3, 0);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_action(&r.tracker, PP_ACTION_COPY, 1);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 ");
    assert_int_equal(r.action_list.pass[0].kind, PP_PASS_FRAME);
    assert_int_equal(r.action_list.pass[0].draws, 4);
    assert_int_equal(r.action_list.pass[0].dispatches, 2);
    assert_int_equal(r.action_list.pass[0].copies, 1);
    pp_action_list_finish(&r.action_list);
}

static void
explicit_passes(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    pp_track_action(&r.tracker, PP_ACTION_COPY, 1);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 9, 0);
    pp_track_target(&r.tracker, 5); /* render targets do not count inside an explicit pass */
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 2);
    pp_track_pass_end(&r.tracker, PP_PASS_SUSPENDED);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 9, PP_PASS_CONTINUED);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_end(&r.tracker);
    /* Nothing is written between the suspending end and the resuming begin. */
    assert_string_equal(r.log, "<0 >0 <1 >2 ");
    assert_int_equal(r.action_list.pass[1].flags, PP_PASS_SUSPENDED);
    assert_int_equal(r.action_list.pass[2].flags, PP_PASS_CONTINUED);
    pp_action_list_finish(&r.action_list);
}

static void
action_has_brackets(void **state)
{
    (void)state;
    struct recorder r;
    struct pp_action_info info = {.call = 4, .vertices = 36, .instances = 2};
    start(&r, PP_LEVEL_DRAW);
    for (int i = 0; i < 2; i++) {
        pp_track_action_begin(&r.tracker, PP_ACTION_DRAW, &info);
        pp_track_action_end(&r.tracker);
    }
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 (1 )1 (2 )2 >0 ");
    assert_int_equal(r.action_list.actions, 2);
    assert_int_equal(r.action_list.pass[0].actions, 2);
    assert_int_equal(r.action_list.pass[0].draws, 2);
    assert_int_equal(r.action_list.action[1].vertices, 36);
    pp_action_list_finish(&r.action_list);
}

static void
a_full_action_list_continues_the_pass(void **state)
{
    (void)state;
    struct recorder r;
    struct pp_action_info info = {.call = 4};
    start(&r, PP_LEVEL_DRAW);
    unsigned total = 0;
    for (int i = 0; i < 40; i++) {
        pp_track_action_begin(&r.tracker, PP_ACTION_DRAW, &info);
        pp_track_action_end(&r.tracker);
        total++;
    }
    pp_track_end(&r.tracker);
    /* 16 actions fit: the pass is closed, handed on, and continued */
    assert_non_null(strstr(r.log, ")16 >0 |0 <0 (1 )1 "));
    assert_int_equal(r.action_list.pass[0].flags, PP_PASS_CONTINUED);
    assert_int_equal(r.action_list.actions, total - 32);
    assert_int_equal(r.tracker.dropped, 0);
    pp_action_list_finish(&r.action_list);
}

static void
paused_pass_goes_on(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    pp_track_pause(&r.tracker); /* nothing is open */
    pp_track_target(&r.tracker, 1);
    pp_track_label(&r.tracker, 3);
    pp_track_action(&r.tracker, PP_ACTION_CLEAR, 1);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 2);
    pp_track_pause(&r.tracker);
    pp_track_pause(&r.tracker);
    assert_ptr_equal(pp_track_open_pass(&r.tracker), &r.action_list.pass[0]);
    pp_track_label(&r.tracker, 4);
    pp_track_target(&r.tracker, 2);
    pp_track_inside(&r.tracker, PP_ACTION_UPLOAD,
                    1); /* belongs to the pass, whatever the render target of the next draw is */
    pp_track_target(&r.tracker, 1);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    assert_int_equal(pp_track_open_draws(&r.tracker), 3);
    assert_string_equal(r.log, "<0 >0 <1 ");
    assert_int_equal(r.action_list.pass[1].flags, PP_PASS_CONTINUED);
    assert_int_equal(r.action_list.pass[1].label, 3);
    assert_int_equal(r.action_list.pass[1].render_target, 7);
    assert_int_equal(r.action_list.pass[1].copies, 1);
    pp_track_pause(&r.tracker);
    pp_track_target(&r.tracker, 2);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1); /* another target: another pass */
    assert_int_equal(pp_track_open_draws(&r.tracker), 1);
    pp_track_pause(&r.tracker);
    pp_track_action(&r.tracker, PP_ACTION_BLIT, 1); /* another kind */
    pp_track_pause(&r.tracker);
    pp_track_end(&r.tracker);
    assert_null(pp_track_open_pass(&r.tracker));
    pp_track_action(&r.tracker, PP_ACTION_BLIT, 1); /* the end of the pass */
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 <1 >1 <2 >2 <3 >3 <4 >4 ");
    for (int i = 2; i < 5; i++)
        assert_int_equal(r.action_list.pass[i].flags, 0);
    pp_action_list_finish(&r.action_list);
}

static void
pauses_at_other_levels(void **state)
{
    (void)state;
    struct recorder r;
    struct pp_action_info info = {.call = 4};
    start(&r, PP_LEVEL_FRAME);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pause(&r.tracker);
    pp_track_target(&r.tracker, 9);
    pp_track_action(&r.tracker, PP_ACTION_DISPATCH, 1);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 <1 >1 ");
    assert_int_equal(r.action_list.pass[1].kind, PP_PASS_FRAME);
    assert_int_equal(r.action_list.pass[1].flags, PP_PASS_CONTINUED);
    pp_action_list_finish(&r.action_list);

    start(&r, PP_LEVEL_DRAW);
    pp_track_action_begin(&r.tracker, PP_ACTION_DRAW, &info);
    pp_track_pause(&r.tracker); /* not inside an action */
    pp_track_action_end(&r.tracker);
    pp_track_pause(&r.tracker);
    pp_track_action_inside(&r.tracker, PP_ACTION_UPLOAD, &info);
    pp_track_action_end(&r.tracker);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 (1 )1 >0 <2 (3 )3 >2 ");
    assert_int_equal(r.action_list.action[1].pass, 1);
    pp_action_list_finish(&r.action_list);

    /* Explicit passes have their own begins and ends. */
    start(&r, PP_LEVEL_PASS);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 9, 0);
    pp_track_pause(&r.tracker);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 ");
    pp_action_list_finish(&r.action_list);
}

static void
actions_without_memory_are_counted(void **state)
{
    (void)state;
    struct recorder r;
    start(&r, PP_LEVEL_PASS);
    r.full = 100;
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 5);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 1, 0);
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "");
    assert_int_equal(r.tracker.dropped, 7);
    r.full = 0; /* memory is available again: recording continues */
    pp_track_action(&r.tracker, PP_ACTION_DRAW, 1);
    pp_track_end(&r.tracker);
    assert_string_equal(r.log, "<0 >0 ");
    pp_action_list_finish(&r.action_list);
}

/* Draw this many times; from draw @p from on there is no memory for actions. */
static void
draw_without_memory(struct recorder *r, int draws, int from)
{
    struct pp_action_info info = {.call = 4};
    for (int i = 0; i < draws; i++) {
        r->full = i >= from ? 100 : 0;
        pp_track_action_begin(&r->tracker, PP_ACTION_DRAW, &info);
        pp_track_action_end(&r->tracker);
    }
}

static void
passes_without_memory_for_actions_are_whole(void **state)
{
    struct recorder r;
    (void)state;
    /* an explicit pass: it stays open */
    start(&r, PP_LEVEL_DRAW);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 1, 0);
    draw_without_memory(&r, 40, 1);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_pass_begin(&r.tracker, PP_PASS_RENDER, 2, 0);
    draw_without_memory(&r, 3, 0);
    pp_track_pass_end(&r.tracker, 0);
    pp_track_end(&r.tracker);
    assert_true(r.action_list.lacks_actions);
    assert_int_equal(r.action_list.passes, 2);
    assert_int_equal(r.action_list.pass[0].draws, 40);
    assert_int_equal(r.action_list.pass[1].draws, 3);
    assert_int_equal(r.action_list.pass[1].actions, 0);
    assert_int_equal(r.tracker.dropped, 0);
    /* the next list has actions again */
    r.full = 0;
    pp_action_list_reset(&r.action_list);
    draw_without_memory(&r, 2, 2);
    pp_track_end(&r.tracker);
    assert_false(r.action_list.lacks_actions);
    assert_int_equal(r.action_list.actions, 2);
    pp_action_list_finish(&r.action_list);
    /* an implicit pass goes on in a part of its own */
    start(&r, PP_LEVEL_DRAW);
    draw_without_memory(&r, 40, 1);
    pp_track_end(&r.tracker);
    uint32_t draws = 0;
    for (uint32_t i = 0; i < r.action_list.passes; i++)
        draws += r.action_list.pass[i].draws;
    assert_int_equal(draws, 40);
    assert_int_equal(r.action_list.passes, 2);
    assert_int_equal(r.action_list.pass[1].flags, PP_PASS_CONTINUED);
    assert_true(r.action_list.lacks_actions);
    assert_int_equal(r.tracker.dropped, 0);
    pp_action_list_finish(&r.action_list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_without_memory_for_actions_are_whole),
        cmocka_unit_test(actions_of_one_kind_become_a_pass),
        cmocka_unit_test(barriers_are_a_pass_where_no_pass_is_open),
        cmocka_unit_test(passes_meet_if_one_call_ends_and_begins_them),
        cmocka_unit_test(passes_of_two_action_lists_do_not_meet),
        cmocka_unit_test(frame_level_has_one_bracket),
        cmocka_unit_test(explicit_passes),
        cmocka_unit_test(action_has_brackets),
        cmocka_unit_test(a_full_action_list_continues_the_pass),
        cmocka_unit_test(paused_pass_goes_on),
        cmocka_unit_test(pauses_at_other_levels),
        cmocka_unit_test(actions_without_memory_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
