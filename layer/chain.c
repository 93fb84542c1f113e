/** @file
 * See chain.h. */
#include "layer/chain.h"

#include <stdlib.h>
#include <string.h>

static size_t
node_size(const VkBaseInStructure *node)
{
    if (node->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
        return sizeof(VkLayerDeviceCreateInfo);
    return pp_vk_device_node_size(node->sType);
}

/** Free nodes copied by copy_until(), which end where the program's own begin. */
static void
free_nodes(void *nodes, const VkBaseInStructure *stop)
{
    VkBaseOutStructure *node = nodes;
    while (node != NULL && (const void *)node != (const void *)stop) {
        VkBaseOutStructure *next = node->pNext;
        free(node);
        node = next;
    }
}

/**
 * Copy the chain from its head to @p last inclusive; the copy of @p last goes on with last->pNext.
 *
 * @return The copy's head; NULL if a node's size is unknown or memory is short. *ret_last is the copy of @p
 * last.
 */
static void *
copy_until(const void *head, const VkBaseInStructure *last, VkBaseOutStructure **ret_last)
{
    VkBaseOutStructure *first = NULL, **link = &first;
    for (const VkBaseInStructure *node = head;; node = node->pNext) {
        size_t size = node_size(node);
        VkBaseOutStructure *copy = size == 0 ? NULL : malloc(size);
        if (copy == NULL) {
            *link = NULL;
            free_nodes(first, NULL);
            return NULL;
        }
        memcpy(copy, node, size);
        copy->pNext = NULL;
        *link = copy;
        link = &copy->pNext;
        if (node == last) {
            copy->pNext = (VkBaseOutStructure *)(uintptr_t)last->pNext;
            *ret_last = copy;
            return first;
        }
    }
}

static const VkBaseInStructure *
find(const void *head, VkStructureType type)
{
    for (const VkBaseInStructure *node = head; node != NULL; node = node->pNext)
        if (node->sType == type)
            return node;
    return NULL;
}

/** Turn pipelineStatisticsQuery on: in the program's VkPhysicalDeviceFeatures2, else in its pEnabledFeatures.
 */
static void
wish_statistics(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info)
{
    const VkBaseInStructure *node = find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (node != NULL) {
        const VkPhysicalDeviceFeatures2 *features = (const void *)node;
        if (features->features.pipelineStatisticsQuery) {
            chain->statistics = true;
            return;
        }
        VkBaseOutStructure *copy = NULL;
        chain->nodes = copy_until(info->pNext, node, &copy);
        if (chain->nodes == NULL)
            return;
        ((VkPhysicalDeviceFeatures2 *)(void *)copy)->features.pipelineStatisticsQuery = VK_TRUE;
        chain->info.pNext = chain->nodes;
        chain->statistics = true;
        return;
    }
    if (info->pEnabledFeatures != NULL)
        chain->features = *info->pEnabledFeatures;
    chain->features.pipelineStatisticsQuery = VK_TRUE;
    chain->info.pEnabledFeatures = &chain->features;
    chain->statistics = true;
}

static void
wish_calibrated(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) == 0) {
            chain->calibrated = true;
            return;
        }
    chain->names = calloc((size_t)info->enabledExtensionCount + 1, sizeof(*chain->names));
    if (chain->names == NULL)
        return;
    if (info->enabledExtensionCount > 0)
        memcpy(chain->names, info->ppEnabledExtensionNames,
               info->enabledExtensionCount * sizeof(*chain->names));
    chain->names[info->enabledExtensionCount] = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    chain->info.ppEnabledExtensionNames = chain->names;
    chain->info.enabledExtensionCount++;
    chain->calibrated = true;
}

void
pp_vk_chain_init(struct pp_vk_chain *chain, const VkDeviceCreateInfo *info, const struct pp_vk_wish *wish)
{
    memset(chain, 0, sizeof(*chain));
    chain->info = *info;
    if (wish->statistics)
        wish_statistics(chain, info);
    if (wish->calibrated)
        wish_calibrated(chain, info);
}

void
pp_vk_chain_finish(struct pp_vk_chain *chain)
{
    const VkBaseInStructure *stop = NULL;
    if (chain->nodes != NULL) {
        /* The last copy is the features node; what follows it is the program's. */
        VkBaseOutStructure *node = chain->nodes;
        while (node->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
            node = node->pNext;
        stop = (const VkBaseInStructure *)node->pNext;
    }
    free_nodes(chain->nodes, stop);
    free(chain->names);
    memset(chain, 0, sizeof(*chain));
}
