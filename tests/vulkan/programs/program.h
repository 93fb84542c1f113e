/** @file
 * What small Vulkan applications share: an error ends them. */
#ifndef PP_TESTS_VULKAN_PROGRAMS_PROGRAM_H
#define PP_TESTS_VULKAN_PROGRAMS_PROGRAM_H

#include <stdio.h>
#include <vulkan/vulkan.h>

/** Call something, and return 1 where that fails. */
#define DO(call)                                                                                             \
    do {                                                                                                     \
        VkResult result = (call);                                                                            \
        if (result != VK_SUCCESS) {                                                                          \
            fprintf(stderr, "%s: %d\n", #call, (int)result);                                                 \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

#endif
