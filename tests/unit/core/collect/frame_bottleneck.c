/** @file
 * What bounds a frame: one row for each case. */
#include "tests/lib/cmocka_test.h"

#include "core/collect/rows/frame_times.h"
#include "core/collect/rows/rows.h"

struct row {
    const char *name;
    uint64_t frame, wait, acquire, sync, gpu;
    const char *verdict;
};

/* Times in microseconds. */
static const struct row rows[] = {
    {"gpu fills the frame", 10000, 9000, 0, 0, 9000, "gpu"},
    {"cpu fills the frame", 10000, 200, 0, 0, 3000, "cpu"},
    {"both fill it: the GPU cannot be faster", 10000, 0, 0, 0, 9900, "gpu"},
    {"vertical sync", 16600, 13000, 0, 0, 4000, "present"},
    {"vertical sync in acquire", 16600, 100, 12900, 0, 4000, "present"},
    {"swap waits for a software GPU", 386, 289, 0, 0, 279, "gpu"},
    {"finish in every frame: turns", 10000, 100, 0, 5000, 4800, "sync"},
    {"a short fence", 10000, 100, 0, 2000, 3000, "cpu"},
    {"half and half", 10000, 4500, 0, 0, 1000, "cpu"},
    {"no time at all", 0, 0, 0, 0, 0, ""},
};

static void
verdict(void **state)
{
    const struct row *row = *state;
    struct pp_frame_row frame = {.frame_time_ns = pp_value_ok(row->frame * 1000),
                                 .cpu_wait_ns = pp_value_ok(row->wait * 1000),
                                 .gpu_busy_ns = pp_value_ok(row->gpu * 1000)};
    struct pp_frame_times times = {.acquire_ns = row->acquire * 1000, .sync_ns = row->sync * 1000};
    assert_string_equal(pp_frame_bound_by(&frame, &times), row->verdict);
    frame.gpu_busy_ns.status = PP_REJECTED;
    assert_string_equal(pp_frame_bound_by(&frame, &times), "");
}

int
main(void)
{
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    static struct row copy[ROWS];
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        copy[i] = rows[i];
        tests[i] = (struct CMUnitTest){.name = rows[i].name, .test_func = verdict, .initial_state = &copy[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
