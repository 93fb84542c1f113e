/** @file
 * The free list: the newest object comes first, and many threads neither lose an object nor take one twice.
 */
#include "tests/lib/cmocka_test.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/util/ring.h"

#define THREADS 4
#define ITEMS   64
#define TURNS   20000

static struct pp_free_list list;

static void
the_newest_item_comes_first(void **state)
{
    (void)state;
    static char item[PP_FREE_LIST_SLOTS + 1];
    assert_null(pp_free_list_take(&list));
    for (size_t i = 0; i < PP_FREE_LIST_SLOTS; i++)
        assert_true(pp_free_list_put(&list, &item[i]));
    assert_false(pp_free_list_put(&list, &item[PP_FREE_LIST_SLOTS]));
    /* While one object is in use at a time, it is always the same. */
    void *used = pp_free_list_take(&list);
    for (int i = 0; i < 10; i++) {
        assert_true(pp_free_list_put(&list, used));
        assert_ptr_equal(pp_free_list_take(&list), used);
    }
    for (size_t i = 1; i < PP_FREE_LIST_SLOTS; i++)
        assert_non_null(pp_free_list_take(&list));
    assert_null(pp_free_list_take(&list));
}

/* One thread at a time has an object: an addition that is not atomic would lose counts otherwise. */
static void *
take_and_put(void *arg)
{
    unsigned *done = arg;
    for (int i = 0; i < TURNS; i++) {
        unsigned *item = pp_free_list_take(&list);
        if (!item)
            continue;
        ++*item;
        ++*done;
        if (!pp_free_list_put(&list, item))
            abort();
    }
    return NULL;
}

static void
threads_lose_no_item(void **state)
{
    (void)state;
    static unsigned item[ITEMS];
    pthread_t thread[THREADS];
    unsigned done[THREADS] = {0}, want = 0, sum = 0;
    for (int i = 0; i < ITEMS; i++)
        assert_true(pp_free_list_put(&list, &item[i]));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_put, &done[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        want += done[i];
    }
    for (int i = 0; i < ITEMS; i++) {
        unsigned *taken = pp_free_list_take(&list);
        assert_non_null(taken);
        assert_int_not_equal(*taken, UINT32_MAX);
        sum += *taken;
        *taken = UINT32_MAX;
    }
    assert_null(pp_free_list_take(&list));
    assert_int_equal(sum, want);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_newest_item_comes_first),
                                       cmocka_unit_test(threads_lose_no_item)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
