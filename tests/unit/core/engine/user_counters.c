/** @file
 * User counters: states and sums, frames that end here or where the application marks them, too many names,
 * long names, threads. */
#include "tests/lib/cmocka_test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/user_counters.h"

#define THREADS 4
#define ADDS    20000
#define TAKES   200

static struct pp_user_counters user_counters;

static int
setup(void **state)
{
    (void)state;
    return pp_user_counters_init(&user_counters);
}

static int
teardown(void **state)
{
    (void)state;
    pp_user_counters_finish(&user_counters);
    return 0;
}

/* The value of counter `i` in the next frame; NaN: none. */
static double
next(uint32_t i, bool marked)
{
    double *value = NULL;
    uint32_t count = pp_user_counters_take(&user_counters, marked, &value);
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
    assert_int_equal(pp_user_counters_take(&user_counters, false, &value), 0);
    assert_null(value);
}

static void
test_a_state_stays(void **state)
{
    (void)state;
    assert_true(pp_user_counters_set(&user_counters, "s", 0.1));
    assert_true(pp_user_counters_set(&user_counters, "s", 0.3));
    assert_number(next(0, false), 0.3);
    assert_number(next(0, false), 0.3);
    assert_true(pp_user_counters_set(&user_counters, "s", (double)NAN));
    assert_none(next(0, false));
    assert_true(pp_user_counters_set(&user_counters, "s", -0.0));
    assert_number(next(0, false), 0);
}

static void
test_a_sum_starts_anew(void **state)
{
    (void)state;
    assert_true(pp_user_counters_add(&user_counters, "a", 2));
    assert_true(pp_user_counters_add(&user_counters, "a", -0.5));
    assert_number(next(0, false), 1.5);
    assert_number(next(0, false), 0);
    assert_true(pp_user_counters_add(&user_counters, "a", (double)INFINITY));
    assert_true(isinf(next(0, false)));
    assert_number(next(0, false), 0); /* and does not change the frames after it */
}

static void
test_the_last_call_says_which(void **state)
{
    (void)state;
    assert_true(pp_user_counters_add(&user_counters, "x", 2));
    assert_true(pp_user_counters_set(&user_counters, "x", 7));
    assert_number(next(0, false), 7);
    assert_number(next(0, false), 7);
    assert_true(pp_user_counters_add(&user_counters, "x", 3));
    assert_number(next(0, false), 3); /* additions before the mark belong to that frame */
    assert_number(next(0, false), 0);
}

static void
test_frames_end_where_the_program_said(void **state)
{
    (void)state;
    pp_user_counters_set(&user_counters, "s", 1);
    pp_user_counters_add(&user_counters, "a", 10);
    pp_user_counters_close(&user_counters);
    pp_user_counters_set(&user_counters, "s", 2); /* belongs to the next frame */
    pp_user_counters_add(&user_counters, "a", 20);
    pp_user_counters_set(&user_counters, "late", 5);
    double *value = NULL;
    assert_int_equal(pp_user_counters_take(&user_counters, true, &value), 3);
    assert_number(value[0], 1);
    assert_number(value[1], 10);
    assert_none(value[2]);
    free(value);
    /* a frame of another window with the same mark */
    assert_int_equal(pp_user_counters_take(&user_counters, true, &value), 3);
    assert_number(value[0], 1);
    assert_number(value[1], 0);
    free(value);
    /* marks that end no frame, because the application presents: no value is lost */
    pp_user_counters_close(&user_counters);
    pp_user_counters_add(&user_counters, "a", 3);
    pp_user_counters_close(&user_counters);
    pp_user_counters_set(&user_counters, "s", 4);
    pp_user_counters_add(&user_counters, "a", 1);
    assert_int_equal(pp_user_counters_take(&user_counters, false, &value), 3);
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
    for (unsigned i = 0; i < PP_USER_COUNTERS_MAX; i++) {
        snprintf(name, sizeof(name), "counter %u", i);
        assert_true(pp_user_counters_set(&user_counters, name, i));
    }
    assert_false(pp_user_counters_set(&user_counters, "one more", 1));
    assert_false(pp_user_counters_add(&user_counters, "one more", 1));
    assert_true(pp_user_counters_set(&user_counters, "counter 63", 1)); /* existing counters stay */
    assert_number(next(PP_USER_COUNTERS_MAX - 1, false), 1);
    for (uint32_t i = 0; i < PP_USER_COUNTERS_MAX; i++) {
        snprintf(name, sizeof(name), "counter %u", i);
        assert_string_equal(pp_user_counters_name(&user_counters, i), name);
    }
    assert_string_equal(pp_user_counters_name(&user_counters, PP_USER_COUNTERS_MAX), "");
}

static void
test_long_names_are_cut_between_characters(void **state)
{
    (void)state;
    char name[600];
    for (size_t at = 0; at < 598; at += 2)
        memcpy(name + at, "\xC3\xA9", 3);
    assert_true(pp_user_counters_set(&user_counters, name, 1));
    assert_int_equal(strlen(pp_user_counters_name(&user_counters, 0)), 254);
    name[PP_USER_COUNTER_NAME - 1] = '\0'; /* 255 bytes: kept whole, however ill-formed */
    assert_true(pp_user_counters_set(&user_counters, name, 1));
    assert_int_equal(strlen(pp_user_counters_name(&user_counters, 1)), 255);
}

static void *
add_many(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < ADDS; i++) {
        pp_user_counters_add(&user_counters, "sum", 1);
        if (i % 100 == 0)
            pp_user_counters_set(&user_counters, "state", i);
        if (i % 1000 == 0)
            pp_user_counters_close(&user_counters);
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
        uint32_t count = pp_user_counters_take(&user_counters, i % 2, &value);
        for (uint32_t j = 0; j < count; j++)
            if (strcmp(pp_user_counters_name(&user_counters, j), "sum") == 0 && !isnan(value[j]))
                sum += value[j];
        free(value);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(strcmp(pp_user_counters_name(&user_counters, 0), "sum"), 0);
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
