/** @file
 * Stable ids: equal from frame to frame and from one memory to another, different among equals, also when
 * more kinds of work come by than are remembered. */
#include "tests/core/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/identity.h"

#define PASSES 3U
#define WORKS  5000U
#define CALLS  7U

static struct pp_session session;
static struct pp_pass_row pass[PASSES];
static struct pp_work work[WORKS];
static struct pp_work_row row[WORKS];
static struct pp_frame_row frame = {.pass = pass, .passes = PASSES, .work = row, .works = WORKS};

static int
names(void **state)
{
    (void)state;
    char text[32];
    if (pp_intern_init(&session.strings, 4096) || pp_intern_init(&session.labels, 16) ||
        pp_intern_init(&session.shapes, 16))
        return -1;
    pp_label_id label = pp_session_label(&session, 0, "scene");
    for (uint32_t i = 0; i < PASSES; i++)
        pass[i] = (struct pp_pass_row){.number = i, .kind = PP_PASS_RENDER, .label = i == 1 ? label : 0};
    /* More pipelines than keys are kept, each several times, and every one in two passes. */
    for (uint32_t i = 0; i < WORKS; i++) {
        snprintf(text, sizeof(text), "pipeline %u", (unsigned)(i % 2000));
        work[i] =
            (struct pp_work){.pipeline = pp_session_string(&session, text), .label = i % 11 ? 0 : label};
        snprintf(text, sizeof(text), "call %u", (unsigned)(i % CALLS));
        work[i].call = pp_session_string(&session, text);
        row[i] = (struct pp_work_row){.pass = i % PASSES, .work = &work[i]};
    }
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    pp_intern_finish(&session.strings);
    pp_intern_finish(&session.labels);
    pp_intern_finish(&session.shapes);
    return 0;
}

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void
ids_hold(void **state)
{
    (void)state;
    static uint64_t first[PASSES + WORKS], sorted[PASSES + WORKS];
    struct pp_identity kept = {0};
    for (unsigned turn = 0; turn < 5; turn++) {
        struct pp_identity fresh = {0};
        /* The fourth frame has few rows, the last one is worked out by a memory of its own. */
        frame.works = turn == 3 ? 10 : WORKS;
        assert_int_equal(pp_identity_assign(turn == 4 ? &fresh : &kept, &session, &frame), 0);
        pp_identity_finish(&fresh);
        for (uint32_t i = 0; i < PASSES + frame.works; i++) {
            uint64_t id = i < PASSES ? pass[i].id : row[i - PASSES].id;
            if (turn == 0)
                first[i] = id;
            assert_int_equal(id, first[i]);
        }
    }
    pp_identity_finish(&kept);
    memcpy(sorted, first, sizeof(sorted));
    qsort(sorted, PASSES + WORKS, sizeof(sorted[0]), compare);
    for (uint32_t i = 1; i < PASSES + WORKS; i++)
        assert_int_not_equal(sorted[i], sorted[i - 1]);
}

/* As other versions wrote it: ids join sessions of different versions. */
static void
ids_are_these(void **state)
{
    (void)state;
    struct pp_identity identity = {0};
    frame.works = 2;
    assert_int_equal(pp_identity_assign(&identity, &session, &frame), 0);
    assert_int_equal(pass[0].id, UINT64_C(0x9267ecbd66a56d95));
    assert_int_equal(row[0].id, UINT64_C(0x956623ef9d1d6152));
    pp_identity_finish(&identity);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ids_hold), cmocka_unit_test(ids_are_these)};
    return cmocka_run_group_tests(tests, names, forget);
}
