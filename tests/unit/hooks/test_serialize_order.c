/** @file
 * Turns of contexts under --serialize (hooks/measure/serialize.h), without OpenGL: which context goes first,
 * which one waits, when waiting ends and for how long, and which rows may say that they ran by themselves. No
 * time passes here: a wait ends when another thread ends it, or times out when the test says so. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <setjmp.h>

#include <cmocka.h>

#include "hooks/base/context.h"
#include "hooks/measure/serialize.h"

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);

/* Waits up to now. The test's thread plays several contexts, so no other thread can end its waits: they time
 * out. */
static atomic_uint waits;
static _Thread_local bool plays;
static _Thread_local void (*meanwhile)(void); /* what happens in the next wait; NULL: nothing */
static _Thread_local struct timespec until_last, until_before;

static unsigned said;
static char said_last[512];

void
pp_device_missing(struct pp_device *device, const char *event, const char *reason)
{
    assert_ptr_equal(device, NULL);
    assert_string_equal(event, "serialize");
    (void)strncpy(said_last, reason, sizeof(said_last) - 1);
    said++;
}

int
__wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    void (*now)(void) = meanwhile;
    atomic_fetch_add(&waits, 1);
    until_before = until_last;
    until_last = *until;
    meanwhile = NULL;
    if (!plays)
        return pthread_cond_wait(cond, mutex);
    if (now) {
        pthread_mutex_unlock(mutex);
        now();
        pthread_mutex_lock(mutex);
    }
    return ETIMEDOUT;
}

static struct pp_gl_device device;
static struct pp_gl_context a = {.device = &device}, b = {.device = &device}, c = {.device = &device};

static void
enter(struct pp_gl_context *ctx)
{
    pp_gl_serialize_enter(ctx, PP_PASS_RENDER);
    pp_gl_serialize_idle(ctx, PP_PASS_RENDER);
}

static bool
leave(struct pp_gl_context *ctx)
{
    return pp_gl_serialize_leave(ctx, PP_PASS_RENDER);
}

/* A pass from begin to end. @return Did the pass run by itself? */
static bool
pass(struct pp_gl_context *ctx)
{
    enter(ctx);
    return leave(ctx);
}

static int
begin(void **state)
{
    (void)state;
    plays = true;
    said = 0;
    atomic_store(&waits, 0);
    return 0;
}

/* The three contexts have no passes open. */
static int
end(void **state)
{
    (void)state;
    pp_gl_serialize_drop(&a);
    pp_gl_serialize_drop(&b);
    pp_gl_serialize_drop(&c);
    return 0;
}

static void
one_context_alone_never_waits(void **state)
{
    (void)state;
    assert_true(pass(&a));
    enter(&a);
    pp_gl_serialize_enter(&a, PP_PASS_NONE);
    pp_gl_serialize_idle(&a, PP_PASS_NONE);
    assert_true(pp_gl_serialize_leave(&a, PP_PASS_NONE));
    enter(&a); /* this ends the open pass */
    assert_true(leave(&a));
    assert_false(pp_gl_serialize_contended());
    assert_true(pass(&b));
    assert_true(pp_gl_serialize_contended());
    assert_int_equal(atomic_load(&waits), 0);
}

static void
action_of_another_context_overlaps(void **state)
{
    (void)state;
    pp_gl_serialize_unwaited(&a);
    pp_gl_serialize_unwaited(&a);
    assert_false(pass(&b)); /* context a was active at the begin */
    pp_gl_serialize_waited(&a);
    assert_true(pass(&b));
    enter(&b);
    pp_gl_serialize_unwaited(&a); /* it came */
    pp_gl_serialize_waited(&a);
    assert_false(leave(&b));
    enter(&b);
    pp_gl_serialize_enter(&b, PP_PASS_NONE);
    pp_gl_serialize_idle(&b, PP_PASS_NONE);
    pp_gl_serialize_unwaited(&a);
    assert_false(pp_gl_serialize_leave(&b, PP_PASS_NONE));
    pp_gl_serialize_drop(&a);
    pp_gl_serialize_enter(&b, PP_PASS_NONE);
    pp_gl_serialize_idle(&b, PP_PASS_NONE);
    assert_true(pp_gl_serialize_leave(&b, PP_PASS_NONE)); /* this part of the pass ran by itself */
    assert_false(leave(&b));
    assert_int_equal(atomic_load(&waits), 0);
}

/* A thread ended with its context current: no thread can wait for its pass, and its work may still run. */
static void
a_thread_that_ended_is_not_waited_for(void **state)
{
    (void)state;
    enter(&a);
    pp_gl_serialize_thread_ended(&a);
    assert_false(pass(&b));
    assert_int_equal(atomic_load(&waits), 0);
    pp_gl_serialize_drop(&a);
    assert_true(pass(&b));
    enter(&a);
    pp_gl_serialize_drop(&a); /* nor is a pass whose context is destroyed */
    assert_true(pass(&b));
    assert_int_equal(atomic_load(&waits), 0);
}

static bool
is_later(const struct timespec *one, const struct timespec *than)
{
    return one->tv_sec > than->tv_sec || (one->tv_sec == than->tv_sec && one->tv_nsec > than->tv_nsec);
}

static void
end_pass_of_c(void)
{
    struct timespec begun, now;
    (void)leave(&c);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (!is_later(&now, &begun));
}

/* A pass stays open: the others wait 2 s for it once, then 4 passes do not wait, then 8, up to 4096. */
static void
waiting_ends_after_2_seconds(void **state)
{
    (void)state;
    struct timespec now;
    unsigned waited = 0;
    enter(&a);
    for (unsigned free_ones = 4; free_ones <= 4096; free_ones *= 2) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert_false(pass(&b));
        assert_int_equal(atomic_load(&waits), ++waited);
        assert_true(until_last.tv_sec >= now.tv_sec + 2);
        assert_int_equal(said, waited);
        for (unsigned i = 0; i < free_ones; i++)
            assert_false(pass(i % 2 ? &b : &c));
        assert_int_equal(atomic_load(&waits), waited);
    }
    assert_false(pass(&b));
    assert_int_equal(atomic_load(&waits), ++waited);
    for (unsigned i = 0; i < 4095; i++)
        (void)pass(&b);
    enter(&c); /* the last pass without a turn */
    assert_int_equal(atomic_load(&waits), waited);
    assert_non_null(strstr(said_last, "after 2 s"));
    /* As long as passes end, waiting continues, with a new deadline: c's pass ends in between, then no pass.
     */
    meanwhile = end_pass_of_c;
    assert_false(pass(&b));
    assert_int_equal(atomic_load(&waits), waited += 2);
    assert_int_equal(said, waited - 1);
    assert_true(is_later(&until_last, &until_before));
    /* The pass that was open ends: the other passes overlap with nothing any more, with turns and without. */
    assert_false(leave(&a));
    for (unsigned i = 0; i < 4096 + 3; i++)
        assert_true(pass(&b));
    assert_int_equal(atomic_load(&waits), waited);
}

/* Threads. */

static unsigned order, inside;

static void *
go(void *ctx)
{
    pp_gl_serialize_enter(ctx, PP_PASS_RENDER);
    order = 10 * order + (ctx == &b ? 2 : 3);
    return (void *)(uintptr_t)leave(ctx);
}

static void
wait_for_waits(unsigned count)
{
    while (atomic_load(&waits) < count)
        sched_yield();
}

/* b came before c, so b goes first, whichever of them wakes first. */
static void
the_first_to_wait_goes_first(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        pthread_t early, late;
        order = 0;
        atomic_store(&waits, 0);
        enter(&a);
        assert_int_equal(pthread_create(&early, NULL, go, &b), 0);
        wait_for_waits(1);
        assert_int_equal(pthread_create(&late, NULL, go, &c), 0);
        wait_for_waits(2);
        (void)leave(&a);
        pthread_join(early, NULL);
        pthread_join(late, NULL);
        assert_int_equal(order, 23);
    }
    assert_int_equal(said, 0);
}

enum { THREADS = 4, PASSES = 200 };

/* @return The number of overlapped passes. Only the turns guard `inside`. */
static void *
many(void *unused)
{
    struct pp_gl_context ctx = {.device = &device};
    uintptr_t wrong = 0;
    (void)unused;
    for (unsigned i = 0; i < PASSES; i++) {
        enter(&ctx);
        inside++;
        wrong += inside != 1;
        inside--;
        wrong += !leave(&ctx);
    }
    pp_gl_serialize_drop(&ctx);
    return (void *)wrong;
}

static void
threads_take_turns(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, many, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(thread[i], &wrong), 0);
        assert_int_equal((uintptr_t)wrong, 0);
    }
    assert_int_equal(said, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_context_alone_never_waits, begin, end),
        cmocka_unit_test_setup_teardown(action_of_another_context_overlaps, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_that_ended_is_not_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(the_first_to_wait_goes_first, begin, end),
        cmocka_unit_test_setup_teardown(threads_take_turns, begin, end),
        cmocka_unit_test_setup_teardown(waiting_ends_after_2_seconds, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
