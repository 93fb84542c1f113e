/** @file
 * A Mali GPU with panfrost's or kbase's device file: hardware counters of 32 bits that saturate and that a
 * sample clears, blocks of missing cores, one owner (panfrost) or sessions (kbase). */
#ifndef PP_TESTS_FAKE_KERNEL_MALI_H
#define PP_TESTS_FAKE_KERNEL_MALI_H

#include <stdbool.h>
#include <stdint.h>

/** The machine. */
struct fake_mali {
    const char *node; /**< path that is opened */
    uint32_t product; /**< GPU_PROD_ID */
    uint64_t cores;   /**< mask, may have holes */
    uint32_t slices;  /**< of L2 */
    uint32_t bus_log2;
    bool stable_only;       /**< panfrost: unstable_ioctls is off */
    bool owned;             /**< panfrost: another file has the counters */
    uint16_t version;       /**< kbase: 11.version; 0 for one that has no job manager */
    bool no_kinstr;         /**< kbase: no such ioctl */
    int setup_error;        /**< kbase: of KINSTR_PRFCNT_SETUP; 0: none */
    int later_error;        /**< of every KINSTR_PRFCNT_SETUP or PERFCNT_ENABLE but the first; 0: none */
    uint64_t disabled_core; /**< kbase: cores that are powered off, by their number */
};

/** Claim the node as panfrost's or kbase's. */
void fake_mali_panfrost(const struct fake_mali *machine);
void fake_mali_kbase(const struct fake_mali *machine);

/** The GPU counts: word @p word (4..63) of instance @p instance (of a core: its bit) of a kind of block (enum
 * pp_mali_block). */
void fake_mali_count(unsigned kind, unsigned instance, unsigned word, uint64_t amount);

/** Call fake_mali_count() before each sample while the counters are on. */
void fake_mali_before_samples(unsigned kind, unsigned instance, unsigned word, uint64_t amount);

/** The next sample fails with this errno, and has cleared the counters. */
void fake_mali_fail(int error);

/** kbase: the next sample covers a longer time than requested. */
void fake_mali_stretch(void);

/** kbase: the next sample comes only after the time that its reader waits. */
void fake_mali_be_late(void);

/** Are the counters on? */
bool fake_mali_enabled(void);

#endif
