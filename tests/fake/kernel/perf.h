/** @file
 * A fake perf_event_open(2): a PMU with a number of counters, time that the test moves, and every refusal of
 * the kernel. */
#ifndef PP_TESTS_FAKE_KERNEL_PERF_H
#define PP_TESTS_FAKE_KERNEL_PERF_H

#include <stdbool.h>
#include <stdint.h>

/** The machine. */
struct fake_perf {
    int paranoid;      /**< kernel.perf_event_paranoid, for a user without CAP_PERFMON */
    int error;         /**< not 0: every call fails with this errno */
    int error_after;   /**< with this many events open, further calls fail with EMFILE; 0: never */
    unsigned counters; /**< of the PMU; 0: there is none */
    bool rdpmc;        /**< counters may be read in user space */
    unsigned width;    /**< bits of a counter for that */
    uint64_t step;     /**< every read(2) of a group adds this, times the event's number + 1, to its events */
};

/** Install it. */
void fake_perf_start(const struct fake_perf *machine);

/**
 * Let time pass on the events that are open.
 *
 * @param ns   How long.
 * @param run_ns  How much of it hardware groups were on the PMU.
 * @param hardware,software What every hardware event (times its PERF_COUNT_HW number + 1) and software event
 * (likewise) counts.
 */
void fake_perf_pass(uint64_t ns, uint64_t run_ns, uint64_t hardware, uint64_t software);

/** Number of readings in user space. */
unsigned fake_perf_rdpmcs(void);

#endif
