/** @file
 * Changing a copy of VkDeviceCreateInfo leaves the application's struct as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "layer/base/chain.h"

static const struct pp_vk_device_request all = {.statistics = true, .calibrated = true};

static void
chain_without_features(void **state)
{
    (void)state;
    static const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &all);
    assert_true(chain.statistics && chain.calibrated);
    assert_true(chain.info.pEnabledFeatures->pipelineStatisticsQuery);
    assert_false(chain.info.pEnabledFeatures->inheritedQueries);
    assert_int_equal(chain.info.enabledExtensionCount, 1);
    assert_string_equal(chain.info.ppEnabledExtensionNames[0], VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
    pp_vk_chain_finish(&chain);
}

/** What the application asked for is still asked for. */
static void
chain_keeps_the_applications_features(void **state)
{
    (void)state;
    static const VkPhysicalDeviceFeatures features = {.geometryShader = VK_TRUE};
    static const char *const name[] = {"VK_KHR_swapchain", VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME};
    static const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pEnabledFeatures = &features,
        .enabledExtensionCount = 2,
        .ppEnabledExtensionNames = name,
    };
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &all);
    assert_true(chain.info.pEnabledFeatures->geometryShader);
    assert_true(chain.info.pEnabledFeatures->pipelineStatisticsQuery);
    assert_int_equal(chain.info.enabledExtensionCount, 2);
    assert_ptr_equal(chain.info.ppEnabledExtensionNames, name);
    pp_vk_chain_finish(&chain);
}

/** Features in the middle of a chain in read-only memory: the chain is copied up to them and shared after
 * them. */
static void
chain_copies_nodes(void **state)
{
    (void)state;
    static const VkPhysicalDeviceVulkan12Features behind = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
    static const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = (void *)(uintptr_t)&behind,
        .features = {.tessellationShader = VK_TRUE},
    };
    static const VkPhysicalDeviceVulkan11Features front = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = (void *)(uintptr_t)&features,
        .multiview = VK_TRUE,
    };
    static const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &front};
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &all);
    const VkPhysicalDeviceVulkan11Features *first = chain.info.pNext;
    assert_ptr_not_equal(first, &front);
    assert_true(first->multiview);
    const VkPhysicalDeviceFeatures2 *second = first->pNext;
    assert_ptr_not_equal(second, &features);
    assert_true(second->features.pipelineStatisticsQuery && second->features.tessellationShader);
    assert_ptr_equal(second->pNext, &behind);
    assert_null(chain.info.pEnabledFeatures);
    assert_false(features.features.pipelineStatisticsQuery);
    pp_vk_chain_finish(&chain);
}

/** Counters: passprobe's extensions and structs come first; hostQueryReset is set in the application's struct
 * that has it. */
static void
chain_with_counters(void **state)
{
    (void)state;
    static const VkPhysicalDeviceVulkan12Features last = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
    static const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                       .pNext = (void *)(uintptr_t)&last};
    static const char *const name[] = {"VK_KHR_swapchain"};
    static const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = name,
    };
    static const struct pp_vk_device_request request = {.statistics = true,
                                                        .calibrated = true,
                                                        .khr = true,
                                                        .oa = true,
                                                        .host_reset = true,
                                                        .reset_extension = true};
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &request);
    assert_true(chain.statistics && chain.calibrated && chain.counters);
    assert_int_equal(chain.info.enabledExtensionCount, 5);
    assert_string_equal(chain.info.ppEnabledExtensionNames[0], "VK_KHR_swapchain");
    const VkPhysicalDevicePerformanceQueryFeaturesKHR *perf = chain.info.pNext;
    assert_int_equal(perf->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
    assert_true(perf->performanceCounterQueryPools);
    assert_false(perf->performanceCounterMultipleQueryPools);
    const VkPhysicalDeviceFeatures2 *first = perf->pNext;
    assert_true(first->features.pipelineStatisticsQuery);
    const VkPhysicalDeviceVulkan12Features *second = first->pNext;
    assert_ptr_not_equal(second, &last);
    assert_true(second->hostQueryReset && second->timelineSemaphore);
    assert_null(second->pNext);
    assert_false(last.hostQueryReset);
    pp_vk_chain_finish(&chain);
    /* The chain has no such struct: passprobe adds one. */
    static const VkDeviceCreateInfo bare = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    pp_vk_chain_init(&chain, &bare, &request);
    perf = chain.info.pNext;
    const VkPhysicalDeviceHostQueryResetFeatures *reset = perf->pNext;
    assert_int_equal(reset->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    assert_true(reset->hostQueryReset);
    assert_null(reset->pNext);
    pp_vk_chain_finish(&chain);
}

/** Every feature of the device, passed on unused: no struct is added twice. */
static void
chain_uses_the_applications_struct(void **state)
{
    (void)state;
    static const VkPhysicalDeviceHostQueryResetFeatures last = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
    static const VkPhysicalDevicePerformanceQueryFeaturesKHR pools = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .pNext = (void *)(uintptr_t)&last};
    static const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                       .pNext = (void *)(uintptr_t)&pools};
    static const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .pNext = &features};
    static const struct pp_vk_device_request request = {
        .statistics = true, .khr = true, .host_reset = true, .multiple_pools = true};
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &request);
    assert_true(chain.counters);
    const VkPhysicalDeviceFeatures2 *first = chain.info.pNext;
    assert_int_equal(first->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const VkPhysicalDevicePerformanceQueryFeaturesKHR *second = first->pNext;
    assert_int_equal(second->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
    assert_true(second->performanceCounterQueryPools && second->performanceCounterMultipleQueryPools);
    const VkPhysicalDeviceHostQueryResetFeatures *third = second->pNext;
    assert_int_equal(third->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    assert_true(third->hostQueryReset);
    assert_null(third->pNext);
    assert_false(pools.performanceCounterQueryPools);
    pp_vk_chain_finish(&chain);
}

/** A struct of unknown size comes first: the feature cannot be added, all else is unchanged. */
static void
chain_stops_at_an_unknown_struct(void **state)
{
    (void)state;
    static const VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    static const VkBaseInStructure unknown = {(VkStructureType)0x7ffffff0, (const void *)&features};
    static const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &unknown};
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, &info, &all);
    assert_false(chain.statistics);
    assert_ptr_equal(chain.info.pNext, &unknown);
    assert_null(chain.info.pEnabledFeatures);
    pp_vk_chain_finish(&chain);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_without_features),
        cmocka_unit_test(chain_uses_the_applications_struct),
        cmocka_unit_test(chain_keeps_the_applications_features),
        cmocka_unit_test(chain_copies_nodes),
        cmocka_unit_test(chain_with_counters),
        cmocka_unit_test(chain_stops_at_an_unknown_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
