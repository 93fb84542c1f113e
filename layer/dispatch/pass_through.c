/** @file
 * See pass_through.h. Shares nothing with the rest of the layer, whose functions may ask for the session. */
#include "layer/dispatch/pass_through.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An instance that lives. */
struct through {
    struct through *next;
    VkInstance instance;
    PFN_vkGetInstanceProcAddr gipa; /**< function of the next layer or of the loader */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct through *alive; /* guarded by lock */

static void
keep(struct through *through)
{
    pthread_mutex_lock(&lock);
    through->next = alive;
    alive = through;
    pthread_mutex_unlock(&lock);
}

/* Find the next function of an instance. @p take: forget the instance. @return NULL: unknown. */
static PFN_vkGetInstanceProcAddr
find(VkInstance instance, bool take)
{
    struct through *found = NULL;
    pthread_mutex_lock(&lock);
    struct through **at = &alive;
    while (*at && (*at)->instance != instance)
        at = &(*at)->next;
    found = *at;
    if (found && take)
        *at = found->next;
    PFN_vkGetInstanceProcAddr gipa = found ? found->gipa : NULL;
    pthread_mutex_unlock(&lock);
    if (take)
        free(found);
    return gipa;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
                VkInstance *pInstance)
{
    const VkLayerInstanceCreateInfo *link = NULL;
    for (const VkBaseInStructure *s = pCreateInfo->pNext; s && !link; s = s->pNext) {
        const VkLayerInstanceCreateInfo *node = (const void *)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && node->function == VK_LAYER_LINK_INFO)
            link = node;
    }
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    /* allocated before the layers below create the instance: nothing has to be undone */
    struct through *through = create ? calloc(1, sizeof(*through)) : NULL;
    if (!through)
        return create ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INITIALIZATION_FAILED;
    ((VkLayerInstanceCreateInfo *)(uintptr_t)link)->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(pCreateInfo, pAllocator, pInstance);
    if (result != VK_SUCCESS) {
        free(through);
        return result;
    }
    through->instance = *pInstance;
    through->gipa = gipa;
    keep(through);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
    PFN_vkGetInstanceProcAddr gipa = instance ? find(instance, true) : NULL;
    if (!gipa)
        return;
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)gipa(instance, "vkDestroyInstance");
    if (destroy)
        destroy(instance, pAllocator);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
pp_pass_through_instance_proc(VkInstance instance, const char *pName)
{
    if (strcmp(pName, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(pName, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)pp_pass_through_instance_proc;
    PFN_vkGetInstanceProcAddr gipa = instance ? find(instance, false) : NULL;
    if (!gipa)
        return NULL;
    if (strcmp(pName, "vkDestroyInstance") == 0)
        return (PFN_vkVoidFunction)destroy_instance;
    return gipa(instance, pName);
}
