/** @file
 * Commands by their names: every alias leads to one hook, other commands have none; and the rules of the
 * loader's interface for a layer's vkGetInstanceProcAddr (LoaderLayerInterface.md, "Layer Intercept
 * Requirements"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "vk_hooks.h"

static void
aliases_have_one_hook(void **state)
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
        {"vkCmdPipelineBarrier2", "vkCmdPipelineBarrier2KHR"},
        {"vkCmdWaitEvents2", "vkCmdWaitEvents2KHR"},
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
other_names_have_no_hook(void **state)
{
    static const char *const none[] = {"",
                                       "vkCmdDraws",
                                       "vkCmdBindVertexBuffers",
                                       "vkCmdBindIndexBuffer",
                                       "vkQueueSubmit3",
                                       "vkCmdEndVideoCodingKHR",
                                       "vkWaitForPresentKHR",
                                       "vkNewerCommandFAKE"};
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_null(pp_vk_hook_find(none[i]));
    assert_false(pp_vk_hook_find("vkCreateInstance")->device);
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version);

/* The next layer: an instance whose first word is the loader's, and all commands but one. */

static void *dispatch;

static VKAPI_ATTR VkResult VKAPI_CALL
next_create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    static void **made = &dispatch;
    (void)allocator;
    assert_true(info->pNext != NULL);
    *instance = (VkInstance)(void *)&made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
next_destroy(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    (void)instance;
    (void)allocator;
}

static VKAPI_ATTR void VKAPI_CALL
next_other(void)
{
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
next_proc(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)next_create;
    if (!instance || strcmp(name, "vkCmdDrawMeshTasksEXT") == 0 || strncmp(name, "vk", 2) != 0)
        return NULL;
    return strcmp(name, "vkDestroyInstance") == 0 ? (PFN_vkVoidFunction)next_destroy
                                                  : (PFN_vkVoidFunction)next_other;
}

static VkInstance
make_instance(PFN_vkGetInstanceProcAddr ours)
{
    VkLayerInstanceLink end = {.pfnNextGetInstanceProcAddr = next_proc};
    VkLayerInstanceCreateInfo link = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                      .function = VK_LAYER_LINK_INFO,
                                      .u.pLayerInfo = &end};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pNext = &link};
    VkInstance instance = NULL;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)ours(NULL, "vkCreateInstance");
    assert_non_null(create);
    assert_int_equal(create(&info, NULL, &instance), VK_SUCCESS);
    assert_null(link.u.pLayerInfo); /* advanced for the next layer */
    return instance;
}

static bool
same(PFN_vkVoidFunction one, PFN_vkVoidFunction other)
{
    return one == other;
}

static void
instance_functions_follow_the_chain(void **state)
{
    VkNegotiateLayerInterface loader = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                        .loaderLayerInterfaceVersion = 7};
    void *unknown_instance = NULL;
    (void)state;
    assert_int_equal(vkNegotiateLoaderLayerInterfaceVersion(&loader), VK_SUCCESS);
    assert_int_equal(loader.loaderLayerInterfaceVersion, 2);
    PFN_vkGetInstanceProcAddr ours = loader.pfnGetInstanceProcAddr;
    VkInstance instance = make_instance(ours);
    /* Without an instance, only functions that make one are found. */
    assert_true(same(ours(NULL, "vkGetInstanceProcAddr"), (PFN_vkVoidFunction)ours));
    assert_null(ours(NULL, "vkCmdDraw"));
    assert_null(ours(NULL, "vkDestroyInstance"));
    assert_null(ours(NULL, "vkEnumerateInstanceVersion"));
    assert_null(ours((VkInstance)(void *)&unknown_instance, "vkCmdDraw"));
    /* With an instance: each hook, of devices too, if the next layer has the command; else the next layer's
     * function. */
    assert_true(same(ours(instance, "vkGetInstanceProcAddr"), (PFN_vkVoidFunction)ours));
    assert_true(same(ours(instance, "vkGetDeviceProcAddr"), (PFN_vkVoidFunction)loader.pfnGetDeviceProcAddr));
    for (size_t i = 0; i < pp_vk_hooks_count; i++)
        assert_true(
            same(ours(instance, pp_vk_hooks[i].name),
                 strcmp(pp_vk_hooks[i].name, "vkCmdDrawMeshTasksEXT") == 0 ? NULL : pp_vk_hooks[i].fn));
    assert_true(same(ours(instance, "vkCmdSetViewport"), (PFN_vkVoidFunction)next_other));
    assert_true(same(ours(instance, "vkNewerCommandFAKE"), (PFN_vkVoidFunction)next_other));
    assert_null(ours(instance, "no command"));
    ((PFN_vkDestroyInstance)ours(instance, "vkDestroyInstance"))(instance, NULL);
    assert_null(ours(instance, "vkCmdDraw"));
}

/** Unknown loaders get no functions. */
static void
unknown_loaders_get_no_functions(void **state)
{
    VkNegotiateLayerInterface loader = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT,
                                        .loaderLayerInterfaceVersion = 1};
    (void)state;
    assert_int_equal(vkNegotiateLoaderLayerInterfaceVersion(&loader), VK_ERROR_INITIALIZATION_FAILED);
    loader.sType = LAYER_NEGOTIATE_UNINTIALIZED;
    loader.loaderLayerInterfaceVersion = 2;
    assert_int_equal(vkNegotiateLoaderLayerInterfaceVersion(&loader), VK_ERROR_INITIALIZATION_FAILED);
    assert_int_equal(vkNegotiateLoaderLayerInterfaceVersion(NULL), VK_ERROR_INITIALIZATION_FAILED);
    assert_true(!loader.pfnGetInstanceProcAddr);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aliases_have_one_hook),
        cmocka_unit_test(other_names_have_no_hook),
        cmocka_unit_test(instance_functions_follow_the_chain),
        cmocka_unit_test(unknown_loaders_get_no_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
