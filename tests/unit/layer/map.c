/** @file
 * The handle map: handles are found after they were put, removed handles are gone and their slots are used
 * again, and readers need no lock while others insert and remove. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "layer/base/map.h"

/** A handle as drivers make them: pointers, close together. */
static uint64_t
handle(uint64_t i)
{
    return 0x7f0000001000U + i * 64;
}

static void *
value(uint64_t i)
{
    return (void *)(uintptr_t)(i * 8 + 8);
}

static void
values_are_put_found_and_taken(void **state)
{
    (void)state;
    struct pp_map map;
    pp_map_init(&map);
    assert_null(pp_map_get(&map, handle(0)));
    assert_null(pp_map_take(&map, handle(0)));
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(pp_map_put(&map, handle(i), value(i)), 0);
    for (uint64_t i = 0; i < 5000; i += 2)
        assert_ptr_equal(pp_map_take(&map, handle(i)), value(i));
    for (uint64_t i = 0; i < 5000; i++)
        assert_ptr_equal(pp_map_get(&map, handle(i)), i % 2 == 0 ? NULL : value(i));
    assert_int_equal(map.count, 2500);
    pp_map_finish(&map);
}

static void
replacing_keeps_one(void **state)
{
    (void)state;
    struct pp_map map;
    pp_map_init(&map);
    assert_int_equal(pp_map_put(&map, handle(1), value(1)), 0);
    assert_int_equal(pp_map_put(&map, handle(1), value(2)), 0);
    assert_ptr_equal(pp_map_get(&map, handle(1)), value(2));
    assert_int_equal(map.count, 1);
    void *old = &map;
    assert_int_equal(pp_map_swap(&map, handle(1), value(3), &old), 0);
    assert_ptr_equal(old, value(2));
    assert_int_equal(pp_map_swap(&map, handle(2), value(4), &old), 0);
    assert_null(old);
    assert_ptr_equal(pp_map_get(&map, handle(1)), value(3));
    assert_int_equal(map.count, 2);
    pp_map_finish(&map);
}

/** An application that always makes and frees the same number of objects does not make the table grow. */
static void
churn_does_not_grow(void **state)
{
    (void)state;
    struct pp_map map;
    pp_map_init(&map);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(pp_map_put(&map, handle(i), value(i)), 0);
    uint64_t mask = atomic_load(&map.table)->mask;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_non_null(pp_map_take(&map, handle(i)));
        assert_int_equal(pp_map_put(&map, handle(i + 20), value(i + 20)), 0);
    }
    assert_int_equal(atomic_load(&map.table)->mask, mask);
    /* Removed entries do not fill the table: a missing handle is found missing soon. */
    uint64_t empty = 0;
    for (uint64_t i = 0; i <= mask; i++)
        empty += atomic_load(&atomic_load(&map.table)->slot[i].key) == 0;
    assert_true(empty > mask / 4);
    for (uint64_t i = 100000; i < 100020; i++)
        assert_ptr_equal(pp_map_get(&map, handle(i)), value(i));
    pp_map_finish(&map);
}

struct shared {
    struct pp_map map;
    _Atomic(int) stop;
    _Atomic(uint64_t) wrong;
};

/** Looks up the handles of the start. */
static void *
read_always(void *argument)
{
    struct shared *shared = argument;
    while (!atomic_load(&shared->stop))
        for (uint64_t i = 0; i < 16; i++)
            if (pp_map_get(&shared->map, handle(i)) != value(i))
                atomic_fetch_add(&shared->wrong, 1);
    return NULL;
}

static void
readers_need_no_lock(void **state)
{
    (void)state;
    struct shared shared = {.stop = 0};
    pthread_t thread[2];
    pp_map_init(&shared.map);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(pp_map_put(&shared.map, handle(i), value(i)), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_always, &shared), 0);
    for (uint64_t round = 0; round < 20; round++) {
        for (uint64_t i = 16; i < 2000; i++)
            assert_int_equal(pp_map_put(&shared.map, handle(i), value(i)), 0);
        for (uint64_t i = 16; i < 2000; i++)
            assert_ptr_equal(pp_map_take(&shared.map, handle(i)), value(i));
    }
    atomic_store(&shared.stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&shared.wrong), 0);
    pp_map_finish(&shared.map);
}

static void
reserved_entries_always_fit(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char memory[PP_MAP_LENT_BYTES];
    struct pp_map map;
    pp_map_init(&map);
    pp_map_lend(&map, memory);
    pp_map_lend(&map, NULL); /* it has one */
    for (uint64_t i = 0; i < PP_MAP_LENT - 1; i++)
        assert_int_equal(pp_map_reserve(&map), 0);
    for (uint64_t i = 0; i < PP_MAP_LENT - 1; i++)
        pp_map_put_reserved(&map, handle(i), value(i));
    assert_ptr_equal(atomic_load(&map.table), memory); /* no allocation so far */
    assert_int_equal(pp_map_reserve(&map), 0);
    pp_map_unreserve(&map);
    assert_int_equal(pp_map_reserve(&map), 0);
    pp_map_put_reserved(&map, handle(0), value(1)); /* replaces */
    assert_ptr_equal(pp_map_get(&map, handle(0)), value(1));
    for (uint64_t i = 1; i < PP_MAP_LENT - 1; i++)
        assert_ptr_equal(pp_map_take(&map, handle(i)), value(i));
    assert_int_equal(map.count, 1);
    assert_int_equal(map.reserved, 0);
    for (struct pp_map_table *table = atomic_load(&map.table), *older; table; table = older) {
        older = table->older;
        if ((void *)table != (void *)memory)
            free(table);
    }
    pthread_mutex_destroy(&map.lock);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_put_found_and_taken),
        cmocka_unit_test(replacing_keeps_one),
        cmocka_unit_test(churn_does_not_grow),
        cmocka_unit_test(readers_need_no_lock),
        cmocka_unit_test(reserved_entries_always_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
