/** @file
 * An Intel GPU with i915's device file: its OA unit counts the actions that the test runs, and reports as
 * the hardware does; the driver enforces its rules. Time is in ticks of the GPU, and moves only by these
 * calls. */
#ifndef PP_TESTS_FAKE_KERNEL_I915_H
#define PP_TESTS_FAKE_KERNEL_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The machine. */
struct fake_i915 {
    const char *node; /**< path that is opened */
    bool paranoid;    /**< dev.i915.perf_stream_paranoid, for a user without CAP_PERFMON */
    bool busy;        /**< another process has the OA unit */
    bool haswell;     /**< reports are A45_B8_C8, without contexts */
    int max_rate;     /**< dev.i915.oa_max_sample_rate, Hz; 0: enough */
    int open_error;   /**< errno of PERF_OPEN; 0: none */
    int later_error;  /**< errno of PERF_OPEN with an existing set, as when other processes were faster; 0:
                         none */
    int set_error;    /**< of ADD_CONFIG; 0: none */
    int clock_error;  /**< errno of REG_READ, instead of the timestamp; 0: none */
    int remove_error; /**< errno of REMOVE_CONFIG, instead of its usual result */
    const char *known_guid; /**< a metric set that the kernel has; NULL: none */
    uint64_t known_id;
    uint64_t first_tick;        /**< time now */
    uint64_t first_count;       /**< first value of every counter: close to its wrap */
    int eus, slices, subslices; /**< masks of the topology */
    void (*clock)(
        void); /**< called before each call on the stream, to let time pass; NULL: the test does it */
};

/** A counters: Haswell's; later ones have 36. */
#define FAKE_I915_A 45

/** Counts of an action, spread evenly over its time. */
struct fake_i915_work {
    uint64_t a[FAKE_I915_A], b[8], c[8], clocks;
};

/** Start; claims the node. */
void fake_i915_start(const struct fake_i915 *machine);

/** Time passes, and a context works. The unit switches to this context if another one ran before. */
void fake_i915_run(uint32_t context, uint32_t ticks, const struct fake_i915_work *work);

/** Time passes without work; the context that ran is switched out. */
void fake_i915_idle(uint32_t ticks);

/** The unit's timestamp now, 64 bits of it. */
uint64_t fake_i915_now(void);

/** Records that wait to be read. */
unsigned fake_i915_queued(void);

/** Drop the next reports, and report the loss after them. */
void fake_i915_lose_reports(unsigned reports);

/** The next report is given out before its data is in memory, as i915 did before Linux 6.5: its first words
 * are 0. */
void fake_i915_tear_report(void);

/** From now on the newest @p records are not readable yet: their data comes later. 0: all are readable. */
void fake_i915_hold_back(unsigned records);

/** The unit's buffer overflows: unread reports are lost. */
void fake_i915_lose_buffer(void);

/** Is this descriptor the stream's? */
bool fake_i915_is_stream(int fd);

/** Put bytes in place of a record. */
void fake_i915_push(const void *bytes, size_t size);

/** From now on PERF_OPEN fails with this errno. */
void fake_i915_refuse(int error);

/** The next read() of the stream fails with this errno. */
void fake_i915_fail_read(int error);

/** The properties with which the stream was opened. */
struct fake_i915_stream {
    bool open, enabled;
    uint64_t config, exponent, format;
    unsigned added, removed; /**< metric sets */
    char guid[37];           /**< of the last one added */
    uint32_t mux, boolean, flex;
};
struct fake_i915_stream fake_i915_stream(void);

#endif
