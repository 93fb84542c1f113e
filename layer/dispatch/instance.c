/** @file
 * Creation and destruction of instances: advance the loader's chain, remember the next functions. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/device.h"
#include "layer/dispatch/spare.h"
#include "vk_hooks.h"

/* Find the loader's link node in an instance's create-info. The layer may advance its pLayerInfo. */
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

/*
 * Create with VK_KHR_get_physical_device_properties2 added, which calibrated timestamps need below version
 * 1.1; if that fails, with the application's create-info.
 */
static VkResult
create_next(PFN_vkCreateInstance create, VkLayerInstanceCreateInfo *link, const VkInstanceCreateInfo *info,
            const VkAllocationCallbacks *allocator, VkInstance *ret_instance, bool *gpdp2)
{
    VkLayerInstanceLink *next = link->u.pLayerInfo;
    VkInstance loaders = *ret_instance; /* during the call, it belongs to the loader */
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

/* Does the application link to ANGLE's libEGL? Then its calls pass through the shim. A library that it opens
 * by name (Chromium: libEGL.so) does not: its name lacks the system's number, and the shim leaves such
 * handles alone. */
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

/* Did an OpenGL driver create this instance, while the GL shim is in the process? The shim measures the same
 * frames in the application's terms. Engine names: Mesa's zink_instance.py, ANGLE's RendererVk.cpp. */
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
    /* Do everything that may fail before the instance exists below: the loader does not destroy an instance
     * that an upper layer refuses (1.3.239). Destroying it here would destroy the loader's part twice. */
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
