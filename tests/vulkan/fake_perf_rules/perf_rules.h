/** @file
 * Steps of a Vulkan application towards a performance query, each of which keeps the rules; for perf_rules.c.
 */
#ifndef PP_TESTS_VULKAN_FAKE_PERF_RULES_PERF_RULES_H
#define PP_TESTS_VULKAN_FAKE_PERF_RULES_PERF_RULES_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"

/* Counters of tests/fake/vk_perf/counters.c: vertices and instances share two registers, tiles are counted by
 * whole passes, commands by whole command buffers. */
enum { CYCLES = 0, VERTICES = 1, INSTANCES = 2, BALANCE = 3, TILES = 10, COMMANDS = 11, NONE = 99 };
enum { QUERIES = 4 };

extern struct rules_vk {
    struct vk_open gpu;
    VkCommandPool pool;
    VkCommandBuffer buffer, secondary;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkEvent event;
    VkQueryPool query, other;
} vk;

/** performanceCounterQueryPools is enabled. */
extern bool feature;

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        VkResult result_ = (call);                                                                           \
        if (result_ != VK_SUCCESS) {                                                                         \
            fprintf(stderr, "%s: %d\n", #call, (int)result_);                                                \
            _exit(9);                                                                                        \
        }                                                                                                    \
    } while (0)
#define DEVICE(name) ((PFN_vk##name)vkGetDeviceProcAddr(vk.gpu.device, "vk" #name))

/** @return false: there is no driver. */
bool make_instance(void);

/** With an extension and, if there, its features. */
void make_device(const char *extension, bool multiple);

/** Take the profiling lock. */
void lock(void);

/** A pool of one to three counters (NONE: no more), reset. */
VkQueryPool make_pool(uint32_t family, uint32_t first, uint32_t second, uint32_t third);

/** A device for VK_KHR_performance_query. */
void khr(void);

/** Make a device for VK_KHR_performance_query, take the lock, and begin a command buffer with a pool. */
void recording(uint32_t counter);

/** Begin a query of the pool. */
void begin(uint32_t index);

/** End it. */
void end(uint32_t index);

/** Begin the render pass. */
void begin_pass(void);

/** A command that is no action. */
void barrier(void);

/** Submit the buffer for a pass of counters. */
void submit(uint32_t counter_pass, bool wait);

/** Make a submission that lasts until the event is set. */
void submit_endless(void);

/** A query that was measured. */
void measured(void);

/** Ask for results. */
VkResult results(uint32_t first, uint32_t count, size_t size, VkDeviceSize stride, VkQueryResultFlags flags);

/** A device for VK_INTEL_performance_query. */
void intel(bool initialize);

/** Acquire a configuration. */
VkResult intel_acquire(VkPerformanceConfigurationTypeINTEL type);

/** A pool of its queries. */
void intel_pool(void);

#endif
