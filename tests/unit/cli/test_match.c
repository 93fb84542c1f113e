/** @file
 * Which passes of two frames are the same pass: insertions, removals, swaps and repeats among passes that
 * look alike, and frames that are empty, huge or hostile. */
#include "tests/lib/cmocka_test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/diff_build.h"

#define MOST 32U

/* A frame of passes with the ids that passprobe would give: kind and label, or attachments, and an ordinal.
 */
struct frame {
    struct pp_match_pass pass[MOST];
    char id[MOST][160];
    size_t len;
};

static struct pp_match_pass *
add(struct frame *f, const char *label, const char *attachments, uint32_t width, double draws, double time)
{
    size_t at = f->len++, ordinal = 0;
    assert_true(at < MOST);
    for (size_t i = 0; i < at; i++)
        ordinal += strcmp(f->pass[i].label, label) == 0 &&
                   (*label || strcmp(f->pass[i].attachments, attachments) == 0);
    snprintf(f->id[at], sizeof(f->id[at]), "%s|%s|%zu", label, *label ? "" : attachments, ordinal);
    f->pass[at] = (struct pp_match_pass){
        f->id[at], "render", label, "", attachments, width, width / 2, 1, draws, time,
    };
    return &f->pass[at];
}

/* A pass of a chain in which all passes look alike. */
static struct pp_match_pass *
add_blur(struct frame *f, double draws, double time)
{
    return add(f, "", "color0=RGBA16F:clear/keep", 960, draws, time);
}

/* Compare the rows with a text: `0=0` by id, `0~1` aligned, `-0` removed, `+1` added, `?` may be renamed. */
static void
expect(const struct frame *old_frame, const struct frame *new_frame, const char *rows)
{
    struct pp_match match;
    char text[1024] = "";
    assert_int_equal(pp_match_make(old_frame->pass, old_frame->len, new_frame->pass, new_frame->len, &match),
                     0);
    for (size_t i = 0; i < match.len; i++) {
        const struct pp_match_row *row = &match.row[i];
        size_t used = strlen(text);
        if (row->how == PP_MATCH_REMOVED)
            snprintf(text + used, sizeof(text) - used, "-%zu", row->old_at);
        else if (row->how == PP_MATCH_ADDED)
            snprintf(text + used, sizeof(text) - used, "+%zu", row->new_at);
        else
            snprintf(text + used, sizeof(text) - used, "%zu%c%zu", row->old_at,
                     row->how == PP_MATCH_ID ? '=' : '~', row->new_at);
        if (row->renamed != PP_MATCH_NONE) {
            assert_int_equal(match.row[row->renamed].renamed, i);
            strcat(text, "?");
        }
        strcat(text, " ");
    }
    if (*text)
        text[strlen(text) - 1] = '\0';
    assert_string_equal(text, rows);
    assert_false(match.capped);
    pp_match_finish(&match);
    assert_null(match.row);
}

static void
test_equal_frames(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    expect(&a, &b, "");
    add(&a, "Frame/Shadow", "depth=D24", 1024, 4, 2);
    expect(&a, &b, "-0");
    expect(&b, &a, "+0");
    for (size_t i = 0; i < 4; i++)
        add_blur(&a, 1, 1);
    expect(&a, &a, "0=0 1=1 2=2 3=3 4=4");
}

/* A new pass among passes that look alike shifts all later ids, but no row: draws distinguish them. */
static void
test_inserted_with_other_draws(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    for (size_t i = 0; i < 5; i++)
        add_blur(&a, 10 + 10 * (double)i, 1);
    for (size_t i = 0; i < 6; i++)
        add_blur(&b, i == 2 ? 500 : 10 + 10 * (double)(i < 2 ? i : i - 1), 1);
    expect(&a, &b, "0=0 1=1 +2 2~3 3~4 4~5");
    expect(&b, &a, "0=0 1=1 -2 3~2 4~3 5~4");
}

/* Passes that differ in nothing but their times: a new one is found by the times, and none is lost. */
static void
test_inserted_with_other_time(void **state)
{
    static const double old_time[] = {1, 5, 2, 8}, new_time[] = {1, 5, 3, 2.1, 8};
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        add_blur(&a, 1, old_time[i]);
    for (size_t i = 0; i < 5; i++)
        add_blur(&b, 1, new_time[i]);
    expect(&a, &b, "0=0 1=1 +2 2~3 3~4");
}

/* As many passes on both sides: a pass that became slower stays the same pass. */
static void
test_slower(void **state)
{
    static const double old_time[] = {1, 5, 2, 8}, new_time[] = {1, 50, 2, 8};
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        add_blur(&a, 1, old_time[i]);
        add_blur(&b, 1, new_time[i]);
    }
    expect(&a, &b, "0=0 1=1 2=2 3=3");
}

/* Passes with sure ids divide the frame: a new pass is looked for between its neighbours only. */
static void
test_between_labels(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add_blur(&a, 1, 1);
    add(&a, "Frame/Scene", "color0=RGBA8", 1920, 300, 9);
    add_blur(&a, 1, 1);
    add_blur(&a, 1, 1);
    add_blur(&b, 1, 1);
    add_blur(&b, 1, 1);
    add(&b, "Frame/Scene", "color0=RGBA8", 1920, 300, 9);
    add_blur(&b, 1, 1);
    add_blur(&b, 1, 1);
    expect(&a, &b, "0=0 +1 1=2 2~3 3~4");
}

/* Labelled passes of one region have one label: they are aligned, too. */
static void
test_repeats_in_a_label(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        add(&a, "Frame/Bloom", "color0=RGBA16F", 960U >> i, 1, 1);
    for (uint32_t i = 0; i < 4; i++)
        add(&b, "Frame/Bloom", "color0=RGBA16F", 1920U >> i, 1, 1);
    expect(&a, &b, "+0 0~1 1~2 2~3");
}

/* Two passes with the same signature change places: none is lost. */
static void
test_swapped(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add(&a, "Frame/A", "color0=RGBA8", 640, 3, 1);
    add(&a, "Frame/B", "color0=RGBA8", 640, 3, 1);
    add_blur(&a, 10, 1);
    add_blur(&a, 500, 1);
    add(&b, "Frame/B", "color0=RGBA8", 640, 3, 1);
    add(&b, "Frame/A", "color0=RGBA8", 640, 3, 1);
    add_blur(&b, 500, 1)->width = 64;
    add_blur(&b, 10, 1);
    b.pass[2].height = 32;
    a.pass[3].width = 64;
    a.pass[3].height = 32;
    expect(&a, &b, "1=0 0=1 3~2 2~3");
}

/* A pass without labels in whose target only the format changed is the same pass; one of another kind is not.
 */
static void
test_other_format(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add(&a, "", "color0=RGBA8:clear/keep depth=D24:clear/discard", 640, 90, 3);
    add(&b, "", "color0=RGBA16F:clear/keep depth=D24:clear/discard", 640, 91, 5);
    expect(&a, &b, "0~0");
    b.pass[0].kind = "compute";
    expect(&a, &b, "-0 +0");
}

/* The load and store of an attachment do not make another pass. */
static void
test_other_store(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add(&a, "", "color0=RGBA8:clear/keep", 640, 90, 3);
    add(&b, "", "color0=RGBA8:discard/keep", 640, 90, 3)->pass_id = a.pass[0].pass_id;
    add(&b, "", "color0=RGBA8:keep/keep", 32, 1, 3);
    expect(&a, &b, "0=0 +1");
}

static void
test_renamed(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add(&a, "Frame/Bloom", "color0=RGBA16F", 640, 3, 1.0);
    add(&b, "Frame/Glow", "color0=RGBA16F", 640, 3, 1.1);
    expect(&a, &b, "-0? +0?");
    b.pass[0].time = 1.3;
    expect(&a, &b, "-0 +0");
    b.pass[0].time = (double)NAN;
    expect(&a, &b, "-0 +0");
    b.pass[0].time = 1.1;
    b.pass[0].label = "Menu/Glow";
    expect(&a, &b, "-0 +0");
    b.pass[0].label = "Frame\\/Glow"; /* one name, not two */
    expect(&a, &b, "-0 +0");
    b.pass[0].label = "Frame/a\\/b";
    expect(&a, &b, "-0? +0?");
    b.pass[0].width = 320;
    expect(&a, &b, "-0 +0");
}

/* Of several candidates, the one with the nearest time is offered, and each only once. */
static void
test_renamed_nearest(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add(&a, "Frame/A", "color0=RGBA8", 640, 3, 1.0);
    add(&b, "Frame/B", "color0=RGBA8", 640, 3, 1.1);
    add(&b, "Frame/C", "color0=RGBA8", 640, 3, 1.01);
    expect(&a, &b, "-0? +0 +1?");
    add(&a, "Frame/D", "color0=RGBA8", 640, 3, 1.01);
    expect(&a, &b, "-0? -1? +0? +1?");
}

/* Ids that no recorder writes: none, or several equal ones. */
static void
test_bad_ids(void **state)
{
    struct frame a = {.len = 0}, b = {.len = 0};
    (void)state;
    add_blur(&a, 10, 1)->pass_id = "";
    add_blur(&a, 500, 1)->pass_id = "";
    add_blur(&b, 500, 1)->pass_id = "x";
    add_blur(&b, 10, 1)->pass_id = "x";
    add_blur(&b, 500, 1)->pass_id = "x";
    expect(&a, &b, "+0 0~1 1~2");
    add(&a, "L", " = :: color0 =", 1, (double)NAN, -1);
    add(&b, "L", "=/=/= a=b=c", 1, INFINITY, (double)NAN);
    expect(&a, &b, "+0 0~1 1~2 2=3");
}

/* Frames with too many passes that look alike: no row is lost, those with equal ids are paired, and the
 * result says that the alignment was not made. */
static void
test_huge(void **state)
{
    enum { PASSES = 6000 };
    struct pp_match_pass *pass = calloc(PASSES, sizeof(*pass));
    char(*id)[16] = calloc(PASSES, sizeof(*id));
    struct pp_match match;
    (void)state;
    assert_true(pass && id);
    for (size_t i = 0; i < PASSES; i++) {
        snprintf(id[i], sizeof(id[i]), "%zu", i);
        pass[i] = (struct pp_match_pass){id[i], "compute", "", "", "", 0, 0, 0, 1, 1};
    }
    assert_int_equal(pp_match_make(pass, PASSES, pass, PASSES - 1, &match), 0);
    assert_true(match.capped);
    assert_int_equal(match.len, PASSES);
    for (size_t i = 0; i < PASSES - 1; i++)
        assert_true(match.row[i].how == PP_MATCH_ID && match.row[i].old_at == i && match.row[i].new_at == i);
    assert_int_equal(match.row[PASSES - 1].how, PP_MATCH_REMOVED);
    pp_match_finish(&match);

    /* as many passes, each with a label of its own, need no alignment */
    for (size_t i = 0; i < PASSES; i++)
        pass[i].label = id[i];
    assert_int_equal(pp_match_make(pass, PASSES, pass + 1, PASSES - 1, &match), 0);
    assert_false(match.capped);
    assert_int_equal(match.len, PASSES);
    assert_true(match.row[0].how == PP_MATCH_REMOVED && match.row[1].old_at == 1);
    pp_match_finish(&match);
    free(id);
    free(pass);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_frames),
        cmocka_unit_test(test_inserted_with_other_draws),
        cmocka_unit_test(test_inserted_with_other_time),
        cmocka_unit_test(test_slower),
        cmocka_unit_test(test_between_labels),
        cmocka_unit_test(test_repeats_in_a_label),
        cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_other_format),
        cmocka_unit_test(test_other_store),
        cmocka_unit_test(test_renamed),
        cmocka_unit_test(test_renamed_nearest),
        cmocka_unit_test(test_bad_ids),
        cmocka_unit_test(test_huge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
