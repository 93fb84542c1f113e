/** @file
 * A group of perf events of one thread, as 64-bit sums that only grow. */
#ifndef PP_COUNTERS_SOURCES_CPU_PERF_GROUP_H
#define PP_COUNTERS_SOURCES_CPU_PERF_GROUP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/** Most events of a group. */
#define PP_PERF_GROUP 16

/** One event to count. */
struct pp_perf_what {
    uint32_t type;       /**< PERF_TYPE_* */
    uint64_t config;     /**< PERF_COUNT_* */
    bool exclude_kernel; /**< count in user space only */
};

/** Events of one thread that are on the hardware all together, or not at all. */
struct pp_perf_group {
    uint32_t events;
    int fd[PP_PERF_GROUP];                            /**< fd[0] is the leader */
    struct perf_event_mmap_page *page[PP_PERF_GROUP]; /**< for rdpmc; NULL: none */
    uint64_t last[PP_PERF_GROUP];                     /**< per event: its count at the last read */
    uint64_t sum[PP_PERF_GROUP];                      /**< per event: counts, scaled to the whole time */
    uint64_t enabled_ns, running_ns;                  /**< at the last read */
    bool was_rdpmc;                                   /**< the last read was in user space */
};

/**
 * Start to count events of the calling thread.
 *
 * @retval 0      The group is the caller's, for pp_perf_group_finish(). The kernel takes no more events into
 * a group than fit on the hardware: EINVAL, ENOSPC.
 * @retval -errno perf_event_open(2)'s.
 */
__attribute__((warn_unused_result)) int pp_perf_group_init(struct pp_perf_group *group,
                                                           const struct pp_perf_what *what, uint32_t events);

/** Stop counting. Any thread; a zeroed group is fine. */
void pp_perf_group_finish(struct pp_perf_group *group);

/**
 * Update the sums: in user space where the kernel allows it for all events of the group, else by one read(2).
 * Where the group shared the hardware with other groups, the counts since the last call are scaled to the
 * whole time since that call.
 *
 * Threads: the group's own.
 *
 * @retval 0       sum[] is up to date.
 * @retval -EAGAIN The group was not on the hardware since the last call, or the time on the hardware is not
 * known: this value is lost, later ones are not.
 * @retval -errno  read(2)'s.
 */
__attribute__((warn_unused_result)) int pp_perf_group_read(struct pp_perf_group *group);

/* The instruction that reads a hardware counter. The function has its own file, so that tests can replace it.
 */

/** Read a hardware counter in user space; on other processors than x86: 0. @p counter must come from a mapped
 * perf page that allows reading: any other number kills the process. */
uint64_t pp_rdpmc(uint32_t counter);

/** Does the processor have the instruction? */
#if defined(__x86_64__) || defined(__i386__)
#define PP_HAS_RDPMC 1
#else
#define PP_HAS_RDPMC 0
#endif

#endif
