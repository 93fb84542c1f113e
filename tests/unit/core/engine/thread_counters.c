/** @file
 * Counters of threads around recorded commands: the difference if one thread counted, no value if two threads
 * did, even if the second thread has inherited the first one's pthread_t. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/events/device_counters.h"

static uint64_t readings;
static int failing;

static int
count(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    (void)self;
    (void)event;
    readings += 100;
    for (size_t i = 0; i < events; i++)
        memcpy(ret_snapshot + sizeof(readings) * i, &readings, sizeof(readings));
    return failing;
}

static const struct pp_source_ops ops = {.name = "cpu", .read = count, .reads = PP_READ_THREAD};
static const struct pp_layout layout = {.name = "cpu", .size = 8};
static const uint32_t events[1] = {0};

/* A device with this one source, and a batch of one bracket. */
struct recorder {
    struct pp_device device;
    struct pp_source_set set;
    struct pp_batch batch;
    uint8_t *snapshot[2];
    unsigned end; /**< the allocation of take() */
};

static void
start(struct recorder *r)
{
    memset(r, 0, sizeof(*r));
    readings = 0;
    failing = 0;
    r->set.set = (struct pp_device_set){.event = events, .events = 1, .layout = &layout};
    r->device.sources = 1;
    r->device.source_set[0] = &r->set;
    r->device.source_sets[0] = 1;
    r->device.counter[0].ops = &ops;
    pp_batch_set_row_bytes(&r->batch, 8, 8);
    assert_int_equal(pp_batch_reserve(&r->batch, 1), 0);
    size_t bytes = pp_device_thread_bytes(&r->device);
    assert_true(bytes >= 8);
    for (int i = 0; i < 2; i++)
        assert_non_null(r->snapshot[i] = calloc(1, bytes));
}

static void
finish(struct recorder *r)
{
    for (int i = 0; i < 2; i++)
        free(r->snapshot[i]);
    free(r->batch.rows);
    free(r->batch.status);
    free(r->batch.set);
}

static void *
take(void *argument)
{
    struct recorder *r = argument;
    pp_device_thread_take(&r->device, 0, r->snapshot[r->end]);
    return (void *)(uintptr_t)pthread_self();
}

static uint8_t
put(struct recorder *r)
{
    pp_device_thread_put(&r->device, &r->batch, 0, 0, r->snapshot[0], r->snapshot[1]);
    return r->batch.status[0];
}

static void
values_of_one_thread_are_subtracted(void **state)
{
    struct recorder r;
    uint64_t value[2];
    (void)state;
    start(&r);
    for (r.end = 0; r.end < 2; r.end++)
        (void)take(&r);
    assert_int_equal(put(&r), PP_OK);
    memcpy(&value[0], pp_batch_row(&r.batch, 0, 0), sizeof(value[0]));
    memcpy(&value[1], pp_batch_row(&r.batch, 0, 1), sizeof(value[1]));
    assert_int_equal(value[1] - value[0], 100);
    failing = -EIO;
    r.end = 1;
    (void)take(&r);
    assert_int_equal(put(&r), PP_LOST);
    finish(&r);
}

static void *
in_thread(struct recorder *r)
{
    pthread_t thread;
    void *self;
    assert_int_equal(pthread_create(&thread, NULL, take, r), 0);
    assert_int_equal(pthread_join(thread, &self), 0);
    return self;
}

static void
values_of_two_threads_are_unsupported(void **state)
{
    struct recorder r;
    (void)state;
    start(&r);
    void *first = in_thread(&r);
    r.end = 1;
    void *second = in_thread(&r);
    if (first != second)
        print_message("here threads do not inherit each other's pthread_t\n");
    assert_int_equal(put(&r), PP_UNSUPPORTED);
    (void)take(&r);
    assert_int_equal(put(&r), PP_UNSUPPORTED);
    finish(&r);
}

static void
missing_values_keep_their_reason(void **state)
{
    struct recorder r;
    (void)state;
    start(&r);
    pp_device_thread_missing(&r.device, &r.batch, 0, PP_COUNTED_EARLIER);
    assert_int_equal(r.batch.status[0], PP_COUNTED_EARLIER);
    assert_int_equal(pp_batch_value_status(r.batch.status[0]), PP_COUNTED_EARLIER);
    for (r.end = 0; r.end < 2; r.end++)
        (void)take(&r);
    assert_int_equal(put(&r), PP_OK);
    pp_device_thread_missing(&r.device, &r.batch, 0, PP_COUNTED_EARLIER);
    assert_int_equal(r.batch.status[0], PP_OK); /* a bracket that has values keeps them */
    finish(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_of_one_thread_are_subtracted),
                                       cmocka_unit_test(values_of_two_threads_are_unsupported),
                                       cmocka_unit_test(missing_values_keep_their_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
