/** @file
 * Interning: equal bytes have one id, a full table is reported, and threads get equal ids (TSan). */
#include "tests/lib/cmocka_test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/util/intern.h"

static struct pp_intern table;

static void
equal_bytes_have_one_id(void **state)
{
    (void)state;
    assert_int_equal(pp_intern_init(&table, 4), 0);
    uint32_t a = pp_intern(&table, "a", 2);
    uint32_t b = pp_intern(&table, "b", 2);
    assert_int_not_equal(a, 0);
    assert_int_not_equal(a, b);
    assert_int_equal(pp_intern(&table, "a", 2), a);
    assert_int_not_equal(pp_intern(&table, "a", 1), a);
    assert_string_equal((const char *)pp_intern_get(&table, b)->bytes, "b");
    assert_int_not_equal(pp_intern(&table, "c", 2), 0);
    assert_int_equal(pp_intern(&table, "d", 2), 0); /* full */
    assert_int_equal(pp_intern(&table, "a", 2), a);
    assert_null(pp_intern_get(&table, 0));
    assert_null(pp_intern_get(&table, 99));
    pp_intern_finish(&table);
}

static void *
intern_many(void *arg)
{
    uint32_t *id = arg;
    for (int i = 0; i < 500; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        id[i] = pp_intern(&table, text, strlen(text) + 1);
    }
    return NULL;
}

static void
threads_get_equal_ids(void **state)
{
    (void)state;
    static uint32_t id[4][500];
    pthread_t thread[4];
    assert_int_equal(pp_intern_init(&table, 1024), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, intern_many, id[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(id[0], id[i], sizeof(id[0]));
    assert_int_equal(atomic_load(&table.count), 500);
    pp_intern_finish(&table);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_bytes_have_one_id),
                                       cmocka_unit_test(threads_get_equal_ids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
