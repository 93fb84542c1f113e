/** @file
 * Counters of the program's own: states and sums, frames that end here or where the program said, too many
 * names, long names, threads. */
#include "tests/core/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/user_counters.h"

#define THREADS 4
#define ADDS    20000
#define TAKES   200

static struct pp_app app;

static int
setup(void **state)
{
    (void)state;
    return pp_app_init(&app);
}

static int
teardown(void **state)
{
    (void)state;
    pp_app_finish(&app);
    return 0;
}

/* The next frame's value of counter `i`; NaN: none. */
static double
next(uint32_t i, bool marked)
{
    double *value = NULL;
    uint32_t count = pp_app_take(&app, marked, &value);
    double found = i < count ? value[i] : (double)NAN;
    free(value);
    return found;
}

#define assert_number(got, want) assert_true((got) == (double)(want))
#define assert_none(got)         assert_true(isnan(got))

static void
test_none(void **state)
{
    (void)state;
    double *value = NULL;
    assert_int_equal(pp_app_take(&app, false, &value), 0);
    assert_null(value);
}

static void
test_a_state_stays(void **state)
{
    (void)state;
    assert_true(pp_app_set(&app, "s", 0.1));
    assert_true(pp_app_set(&app, "s", 0.3));
    assert_number(next(0, false), 0.3);
    assert_number(next(0, false), 0.3);
    assert_true(pp_app_set(&app, "s", (double)NAN));
    assert_none(next(0, false));
    assert_true(pp_app_set(&app, "s", -0.0));
    assert_number(next(0, false), 0);
}

static void
test_a_sum_starts_anew(void **state)
{
    (void)state;
    assert_true(pp_app_add(&app, "a", 2));
    assert_true(pp_app_add(&app, "a", -0.5));
    assert_number(next(0, false), 1.5);
    assert_number(next(0, false), 0);
    assert_true(pp_app_add(&app, "a", (double)INFINITY));
    assert_true(isinf(next(0, false)));
    assert_number(next(0, false), 0); /* and does not spoil the frames after it */
}

static void
test_the_last_call_says_which(void **state)
{
    (void)state;
    assert_true(pp_app_add(&app, "x", 2));
    assert_true(pp_app_set(&app, "x", 7));
    assert_number(next(0, false), 7);
    assert_number(next(0, false), 7);
    assert_true(pp_app_add(&app, "x", 3));
    assert_number(next(0, false), 3); /* what had been added before was that frame's */
    assert_number(next(0, false), 0);
}

static void
test_frames_end_where_the_program_said(void **state)
{
    (void)state;
    pp_app_set(&app, "s", 1);
    pp_app_add(&app, "a", 10);
    pp_app_close(&app);
    pp_app_set(&app, "s", 2); /* the next frame's */
    pp_app_add(&app, "a", 20);
    pp_app_set(&app, "late", 5);
    double *value = NULL;
    assert_int_equal(pp_app_take(&app, true, &value), 3);
    assert_number(value[0], 1);
    assert_number(value[1], 10);
    assert_none(value[2]);
    free(value);
    /* another window's frame of the same mark */
    assert_int_equal(pp_app_take(&app, true, &value), 3);
    assert_number(value[0], 1);
    assert_number(value[1], 0);
    free(value);
    /* marks that end no frame, since the program presents: nothing is lost */
    pp_app_close(&app);
    pp_app_add(&app, "a", 3);
    pp_app_close(&app);
    pp_app_set(&app, "s", 4);
    pp_app_add(&app, "a", 1);
    assert_int_equal(pp_app_take(&app, false, &value), 3);
    assert_number(value[0], 4);
    assert_number(value[1], 24);
    assert_number(value[2], 5);
    free(value);
}

static void
test_names(void **state)
{
    (void)state;
    char name[600];
    for (unsigned i = 0; i < PP_APP_MAX; i++) {
        snprintf(name, sizeof(name), "counter %u", i);
        assert_true(pp_app_set(&app, name, i));
    }
    assert_false(pp_app_set(&app, "one more", 1));
    assert_false(pp_app_add(&app, "one more", 1));
    assert_true(pp_app_set(&app, "counter 63", 1)); /* those that are there stay */
    assert_number(next(PP_APP_MAX - 1, false), 1);
    for (uint32_t i = 0; i < PP_APP_MAX; i++) {
        snprintf(name, sizeof(name), "counter %u", i);
        assert_string_equal(pp_app_name(&app, i), name);
    }
    assert_string_equal(pp_app_name(&app, PP_APP_MAX), "");
}

static void
test_long_names_are_cut_between_characters(void **state)
{
    (void)state;
    char name[600];
    for (size_t at = 0; at < 598; at += 2)
        memcpy(name + at, "\xC3\xA9", 3);
    assert_true(pp_app_set(&app, name, 1));
    assert_int_equal(strlen(pp_app_name(&app, 0)), 254);
    name[PP_APP_NAME - 1] = '\0'; /* 255 bytes: kept whole, however ill-formed */
    assert_true(pp_app_set(&app, name, 1));
    assert_int_equal(strlen(pp_app_name(&app, 1)), 255);
}

static void *
add_many(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ADDS; i++) {
        pp_app_add(&app, "sum", 1);
        if (i % 100 == 0)
            pp_app_set(&app, "state", i);
        if (i % 1000 == 0)
            pp_app_close(&app);
    }
    return NULL;
}

static void
test_threads_lose_nothing(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    double sum = 0;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add_many, NULL), 0);
    for (unsigned i = 0; i < TAKES; i++) {
        double *value = NULL;
        uint32_t count = pp_app_take(&app, i % 2, &value);
        for (uint32_t j = 0; j < count; j++)
            if (strcmp(pp_app_name(&app, j), "sum") == 0 && !isnan(value[j]))
                sum += value[j];
        free(value);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(strcmp(pp_app_name(&app, 0), "sum"), 0);
    sum += next(0, false);
    assert_number(sum, THREADS * ADDS);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_none),
        CASE(test_a_state_stays),
        CASE(test_a_sum_starts_anew),
        CASE(test_the_last_call_says_which),
        CASE(test_frames_end_where_the_program_said),
        CASE(test_names),
        CASE(test_long_names_are_cut_between_characters),
        CASE(test_threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
