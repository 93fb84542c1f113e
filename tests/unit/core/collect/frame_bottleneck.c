/** @file
 * What bounds a frame: one row for each case. */
#include "tests/lib/cmocka_test.h"

#include "core/collect/rows/frame_times.h"
#include "core/collect/rows/rows.h"
#include "core/events/system_counters.h"

struct row {
    const char *name;
    uint64_t frame, wait, acquire, sync, gpu;
    const char *verdict;
    uint64_t ran, delay; /* of the presenting thread; 0: not measured */
    bool lost_often;     /* it lost its processor more often than it gave it away */
    bool slept;          /* it gave it away */
};

/* Times in microseconds. */
static const struct row rows[] = {
    {"gpu fills the frame", 10000, 9000, 0, 0, 9000, "gpu", 0, 0, false, false},
    {"cpu fills the frame", 10000, 200, 0, 0, 3000, "cpu", 0, 0, false, false},
    {"both fill it: the GPU cannot be faster", 10000, 0, 0, 0, 9900, "gpu", 0, 0, false, false},
    {"vertical sync", 16600, 13000, 0, 0, 4000, "present", 0, 0, false, false},
    {"vertical sync in acquire", 16600, 100, 12900, 0, 4000, "present", 0, 0, false, false},
    {"swap waits for a software GPU", 386, 289, 0, 0, 279, "gpu", 0, 0, false, false},
    {"finish in every frame: turns", 10000, 100, 0, 5000, 4800, "sync", 0, 0, false, false},
    {"a short fence", 10000, 100, 0, 2000, 3000, "cpu", 0, 0, false, false},
    {"half and half", 10000, 4500, 0, 0, 1000, "cpu", 0, 0, false, false},
    {"no time at all", 0, 0, 0, 0, 0, "", 0, 0, false, false},
    {"asleep in a limiter", 16600, 300, 0, 0, 3000, "sleep", 2000, 0, false, false},
    {"asleep, and the GPU alone would not take as long", 16600, 300, 0, 0, 11000, "sleep", 2000, 0, false,
     false},
    {"asleep while the GPU works", 16600, 300, 0, 0, 14000, "cpu", 3000, 0, false, false},
    {"works for half of the frame", 16600, 300, 0, 0, 3000, "cpu", 8400, 0, false, false},
    {"asleep for a third", 16600, 6600, 0, 0, 3000, "sleep", 4000, 0, false, false},
    {"asleep, but present takes longer", 16600, 9000, 0, 0, 3000, "present", 1000, 0, false, false},
    {"asleep for longer than it waits for the GPU", 16600, 100, 0, 5000, 4800, "sleep", 2000, 0, false,
     false},
    {"asleep for a shorter time than that", 16600, 100, 0, 9000, 4800, "sync", 1000, 0, false, false},
    {"no processor", 16600, 300, 0, 0, 3000, "cpu", 2000, 13000, false, false},
    {"no processor, as far as can be known", 16600, 300, 0, 0, 3000, "cpu", 2000, 0, true, false},
    {"hardly ran, and gave its processor away", 16600, 300, 0, 0, 3000, "sleep", 2000, 0, true, true},
    {"ran for an eighth, and gave it away", 16600, 300, 0, 0, 3000, "cpu", 2100, 0, true, true},
    {"ran longer than the frame: clocks differ", 1000, 0, 0, 0, 100, "cpu", 1100, 0, false, false},
};

static void
verdict(void **state)
{
    const struct row *row = *state;
    struct pp_frame_row frame = {.frame_time_ns = pp_value_ok(row->frame * 1000),
                                 .cpu_wait_ns = pp_value_ok(row->wait * 1000),
                                 .gpu_busy_ns = pp_value_ok(row->gpu * 1000)};
    struct pp_frame_times times = {.acquire_ns = row->acquire * 1000, .sync_ns = row->sync * 1000};
    const struct pp_thread_times thread = {.known = row->ran > 0,
                                           .slept_often = !row->lost_often,
                                           .slept = row->slept,
                                           .ran_ns = row->ran * 1000,
                                           .delay_ns = row->delay * 1000};
    assert_string_equal(pp_frame_bound_by(&frame, &times, &thread), row->verdict);
    frame.gpu_busy_ns.status = PP_REJECTED;
    assert_string_equal(pp_frame_bound_by(&frame, &times, &thread), "");
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
