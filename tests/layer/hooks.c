/** @file
 * Commands by their names: every alias leads to one hook, whatever is not ours leads to none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vk_hooks.h"

static void
test_aliases(void **state)
{
    static const char *const pair[][2] = {
        {"vkQueueSubmit2", "vkQueueSubmit2KHR"},
        {"vkCmdBeginRenderPass2", "vkCmdBeginRenderPass2KHR"},
        {"vkCmdNextSubpass2", "vkCmdNextSubpass2KHR"},
        {"vkCmdEndRenderPass2", "vkCmdEndRenderPass2KHR"},
        {"vkCmdBeginRendering", "vkCmdBeginRenderingKHR"},
        {"vkCmdEndRendering", "vkCmdEndRenderingKHR"},
        {"vkCreateRenderPass2", "vkCreateRenderPass2KHR"},
        {"vkCmdDrawIndirectCount", "vkCmdDrawIndirectCountKHR"},
        {"vkCmdDrawIndirectCount", "vkCmdDrawIndirectCountAMD"},
        {"vkCmdDrawIndexedIndirectCount", "vkCmdDrawIndexedIndirectCountAMD"},
        {"vkCmdDispatchBase", "vkCmdDispatchBaseKHR"},
        {"vkCmdCopyBuffer2", "vkCmdCopyBuffer2KHR"},
        {"vkCmdCopyImage2", "vkCmdCopyImage2KHR"},
        {"vkCmdBlitImage2", "vkCmdBlitImage2KHR"},
        {"vkCmdResolveImage2", "vkCmdResolveImage2KHR"},
        {"vkWaitSemaphores", "vkWaitSemaphoresKHR"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
        const struct pp_vk_hook *one = pp_vk_hook_find(pair[i][0]), *other = pp_vk_hook_find(pair[i][1]);
        assert_non_null(one);
        assert_non_null(other);
        assert_ptr_equal((void *)(uintptr_t)one->fn, (void *)(uintptr_t)other->fn);
        assert_true(one->device);
    }
}

static void
test_others(void **state)
{
    static const char *const none[] = {"",
                                       "vkCmdDraws",
                                       "vkCmdBindVertexBuffers",
                                       "vkCmdPipelineBarrier2",
                                       "vkQueueSubmit3",
                                       "vkCmdResetQueryPool",
                                       "vkWaitForPresentKHR",
                                       "vkNewerCommandFAKE"};
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_null(pp_vk_hook_find(none[i]));
    assert_false(pp_vk_hook_find("vkCreateInstance")->device);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_aliases), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
