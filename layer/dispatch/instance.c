/** @file
 * Creating and destroying instances: advance the loader's chain, remember the next functions. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "layer/dispatch/device.h"
#include "layer/dispatch/spare.h"
#include "vk_hooks.h"

/** The loader's link node of an instance's create-info. Its pLayerInfo is ours to advance. */
static VkLayerInstanceCreateInfo *
find_link(const VkInstanceCreateInfo *info)
{
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        const VkLayerInstanceCreateInfo *link = (const void *)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && link->function == VK_LAYER_LINK_INFO)
            return (VkLayerInstanceCreateInfo *)(uintptr_t)link;
    }
    return NULL;
}

static bool
has_name(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/**
 * Create with VK_KHR_get_physical_device_properties2 added, which calibrated timestamps need below
 * version 1.1; where that fails, with the application's own create-info.
 */
static VkResult
create_next(PFN_vkCreateInstance create, VkLayerInstanceCreateInfo *link, const VkInstanceCreateInfo *info,
            const VkAllocationCallbacks *allocator, VkInstance *ret_instance, bool *gpdp2)
{
    VkLayerInstanceLink *next = link->u.pLayerInfo;
    VkInstance loaders = *ret_instance; /* on its way down it belongs to the loader */
    if (!*gpdp2) {
        const char **names = calloc((size_t)info->enabledExtensionCount + 1, sizeof(*names));
        if (names) {
            if (info->enabledExtensionCount > 0)
                memcpy(names, info->ppEnabledExtensionNames, info->enabledExtensionCount * sizeof(*names));
            names[info->enabledExtensionCount] = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
            VkInstanceCreateInfo more = *info;
            more.enabledExtensionCount++;
            more.ppEnabledExtensionNames = names;
            VkResult result = create(&more, allocator, ret_instance);
            free(names);
            if (result == VK_SUCCESS) {
                *gpdp2 = true;
                return result;
            }
            link->u.pLayerInfo = next;
            *ret_instance = loaders;
        }
    }
    return create(info, allocator, ret_instance);
}

/* Does the application link to ANGLE's EGL? Then its calls go through the shim's exports. One that it opens
 * itself, as Chromium does, is past the shim: ANGLE's libraries are called libEGL.so and libGLESv2.so,
 * without the system's numbers, and the shim leaves such handles alone. */
static bool
links_to_angle(void)
{
    void *found = dlsym(RTLD_DEFAULT, "eglInitialize"); /* the shim does not export it */
    Dl_info info;
    if (!found || dladdr(found, &info) == 0 || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strcmp(slash ? slash + 1 : info.dli_fname, "libEGL.so") == 0;
}

/**
 * Is this instance an OpenGL driver's own, while our GL shim is in the process? The shim sees the same frames
 * from above, in the application's terms. Engine names: Mesa's zink_instance.py, ANGLE's RendererVk.cpp.
 */
static bool
is_gl_below(const VkApplicationInfo *app)
{
    if (!app || !app->pEngineName ||
        (strcmp(app->pEngineName, "mesa zink") != 0 &&
         (strcmp(app->pEngineName, "ANGLE") != 0 || !links_to_angle())))
        return false;
    void *shim = dlopen("libpassprobe-gl.so", RTLD_NOLOAD | RTLD_LAZY);
    if (shim)
        dlclose(shim);
    return shim != NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateInstance(const VkInstanceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
                       VkInstance *pInstance)
{
    VkLayerInstanceCreateInfo *link = find_link(pCreateInfo);
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    /* All that may fail does so before the layers below have an instance: the loader destroys none that a
     * layer above them refuses, and destroying it here would be once too often for the loader's own part
     * (1.3.239). */
    struct pp_vk_instance *inst = pp_vk_instance_new();
    if (!inst || pp_map_reserve(&pp_vk_root.instances) != 0) {
        if (inst)
            pp_vk_instance_free(inst);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;

    const VkApplicationInfo *app = pCreateInfo->pApplicationInfo; /* may be NULL */
    inst->api_version = app && app->apiVersion != 0 ? app->apiVersion : VK_API_VERSION_1_0;
    inst->gl_below = is_gl_below(app);
    inst->gpdp2 = inst->api_version >= VK_API_VERSION_1_1 || inst->gl_below || inst->spare ||
                  !pp_session_get() ||
                  has_name(pCreateInfo->ppEnabledExtensionNames, pCreateInfo->enabledExtensionCount,
                           VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME);
    VkResult result = create_next(create, link, pCreateInfo, pAllocator, pInstance, &inst->gpdp2);
    if (result != VK_SUCCESS) {
        pp_map_unreserve(&pp_vk_root.instances);
        pp_vk_instance_free(inst);
        return result;
    }
    inst->handle = *pInstance;
    inst->gipa = gipa;
    pp_vk_instance_next_load(&inst->next, *pInstance, gipa, inst->api_version);
    pp_map_put_reserved(&pp_vk_root.instances, pp_vk_key(*pInstance), inst);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
    if (!instance)
        return;
    struct pp_vk_instance *inst = pp_map_take(&pp_vk_root.instances, pp_vk_key(instance));
    if (!inst)
        return;
    inst->next.DestroyInstance(instance, pAllocator);
    pp_vk_instance_free(inst);
}
