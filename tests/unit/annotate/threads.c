/** @file
 * Threads that call while the engine is loaded: each thread finds the engine, and the engine gets every later
 * call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <passprobe/annotate.h>
#include <pthread.h>

#define THREADS 4

static void *
call(void *arg)
{
    unsigned *calls = arg;
    while (!pp_profiled())
        (*calls)++;
    pp_frame_end();
    return NULL;
}

static void
threads_find_the_engine(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    unsigned calls[THREADS] = {0};
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, call, &calls[i]), 0);
    void *core = dlopen(FAKE_CORE, RTLD_NOW | RTLD_LOCAL);
    if (!core)
        fail_msg("%s", dlerror());
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    unsigned (*frames)(void) = NULL;
    *(void **)(void *)&frames = dlsym(core, "fake_core_frames");
    assert_non_null(frames);
    assert_int_equal(frames(), THREADS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_find_the_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
