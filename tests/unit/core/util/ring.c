/** @file
 * The ring: order, a full ring, and that several producers and consumers neither lose nor duplicate an item
 * (TSan). */
#include "tests/lib/cmocka_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "core/util/ring.h"

#define PRODUCERS 3
#define ITEMS     20000

static struct pp_ring ring;
static unsigned char seen[PRODUCERS * ITEMS + 1];
static atomic_uint taken;

static void
a_full_ring_refuses_items(void **state)
{
    (void)state;
    struct pp_ring small;
    int item[5];
    assert_int_equal(pp_ring_init(&small, 4), 0);
    assert_null(pp_ring_pop(&small));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            assert_true(pp_ring_push(&small, &item[i]));
        assert_false(pp_ring_push(&small, &item[4]));
        for (int i = 0; i < 4; i++)
            assert_ptr_equal(pp_ring_pop(&small), &item[i]);
        assert_null(pp_ring_pop(&small));
    }
    pp_ring_finish(&small);
}

static void *
produce(void *arg)
{
    uintptr_t base = (uintptr_t)arg * ITEMS;
    for (uintptr_t i = 1; i <= ITEMS; i++)
        while (!pp_ring_push(&ring, (void *)(base + i)))
            sched_yield();
    return NULL;
}

static void *
consume(void *arg)
{
    (void)arg;
    while (atomic_load(&taken) < PRODUCERS * ITEMS) {
        void *item = pp_ring_pop(&ring);
        if (!item) {
            sched_yield();
            continue;
        }
        seen[(uintptr_t)item]++;
        atomic_fetch_add(&taken, 1);
    }
    return NULL;
}

static void
each_item_is_popped_once(void **state)
{
    (void)state;
    pthread_t thread[PRODUCERS + 2];
    assert_int_equal(pp_ring_init(&ring, 256), 0);
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, produce, (void *)i), 0);
    for (int i = PRODUCERS; i < PRODUCERS + 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, consume, NULL), 0);
    for (int i = 0; i < PRODUCERS + 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i <= PRODUCERS * ITEMS; i++)
        assert_int_equal(seen[i], 1);
    pp_ring_finish(&ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_full_ring_refuses_items),
                                       cmocka_unit_test(each_item_is_popped_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
