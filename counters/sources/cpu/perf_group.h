/** @file
 * Inside of perf_event.h: a group of perf events on one thread, as 64-bit sums that only grow. */
#ifndef PP_COUNTERS_SOURCES_CPU_PERF_GROUP_H
#define PP_COUNTERS_SOURCES_CPU_PERF_GROUP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/** Most events of a group. */
#define PP_PERF_GROUP 16

/** What to count. */
struct pp_perf_what {
    uint32_t type;       /**< PERF_TYPE_* */
    uint64_t config;     /**< PERF_COUNT_* */
    bool exclude_kernel; /**< count in user space only */
};

/** Events of one thread that are on the hardware together, or not at all. */
struct pp_perf_group {
    uint32_t events;
    int fd[PP_PERF_GROUP];                            /**< [0] leads */
    struct perf_event_mmap_page *page[PP_PERF_GROUP]; /**< for rdpmc; NULL: none */
    uint64_t last[PP_PERF_GROUP];                     /**< what each had counted at the last read */
    uint64_t sum[PP_PERF_GROUP];                      /**< scaled to the time that was wanted */
    uint64_t enabled_ns, running_ns;                  /**< at the last read */
    bool was_rdpmc;                                   /**< the last read was one in user space */
};

/**
 * Count these events of the calling thread from now on.
 *
 * @retval 0      The group is the caller's, for pp_perf_group_finish(). The kernel takes no more events into
 * a group than fit on the hardware: EINVAL, ENOSPC.
 * @retval -errno perf_event_open(2)'s.
 */
__attribute__((warn_unused_result)) int pp_perf_group_init(struct pp_perf_group *group,
                                                           const struct pp_perf_what *what, uint32_t events);

/** Stop counting; any thread. A zeroed group is fine. */
void pp_perf_group_finish(struct pp_perf_group *group);

/**
 * Bring the sums up to now. In user space where the kernel allows that for all of the group's events, else by
 * one read(2). Where the group shared the hardware with others, what it counted since the last call is scaled
 * to the whole time, as perf does, but by the shares since that call.
 *
 * Threads: the group's own.
 *
 * @retval 0       sum[] is up to date.
 * @retval -EAGAIN The group was not on the hardware at all since the last call, or it cannot be told for how
 * long: the value is lost, later ones are not.
 * @retval -errno  read(2)'s.
 */
__attribute__((warn_unused_result)) int pp_perf_group_read(struct pp_perf_group *group);

#endif
