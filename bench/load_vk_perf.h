/** @file
 * Performance queries by hand, one for each pass: the fewest possible calls of VK_KHR_performance_query or
 * VK_INTEL_performance_query. */
#ifndef BENCH_LOAD_VK_PERF_H
#define BENCH_LOAD_VK_PERF_H

#include "samples/vk_device.h"

/** Take the profiling lock; make a pool of two counters for LOAD_PASSES_MAX passes. With @p raw_node, the
 * kernel's device node: register Intel's metric set there, set up the queue, and make a pool of Intel's raw
 * counters. @return 0, or -1 after a message. */
int load_vk_perf_create(const struct vk_device *device, const char *raw_node, VkQueryPool *ret_pool);

/** Reset the queries of a frame, before it is submitted. */
void load_vk_perf_reset(const struct vk_device *device, VkQueryPool pool, uint32_t passes);

/** Read the queries of a frame that has ended. @return A part of the result. */
uint64_t load_vk_perf_read(const struct vk_device *device, VkQueryPool pool, uint32_t passes);

/** Release the profiling lock. */
void load_vk_perf_finish(const struct vk_device *device);

#endif
