/** @file
 * Hand-written queries; see vk_query.h. */
#include "samples/vk_query.h"

#include <string.h>

int
vk_query_init(struct vk_scene *it)
{
    const VkQueryPoolCreateInfo times = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2 * SCENE_PASSES,
    };
    const VkQueryPoolCreateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
        .queryCount = VK_COUNTS,
        .pipelineStatistics = (1U << SCENE_COUNTS) - 1,
    };
    for (int i = 0; i < VK_SLOTS; i++)
        if (vk_failed(vkCreateQueryPool(it->device.device, &times, NULL, &it->slot[i].times),
                      "vkCreateQueryPool") ||
            vk_failed(vkCreateQueryPool(it->device.device, &counts, NULL, &it->slot[i].counts),
                      "vkCreateQueryPool"))
            return -1;
    return 0;
}

void
vk_query_finish(struct vk_scene *it)
{
    for (int i = 0; i < VK_SLOTS; i++) {
        vkDestroyQueryPool(it->device.device, it->slot[i].times, NULL);
        vkDestroyQueryPool(it->device.device, it->slot[i].counts, NULL);
    }
}

void
vk_query_reset(const struct vk_scene *it, const struct vk_slot *slot)
{
    if (!it->options->query)
        return;
    vkCmdResetQueryPool(slot->commands, slot->times, 0, 2 * SCENE_PASSES);
    vkCmdResetQueryPool(slot->commands, slot->counts, 0, VK_COUNTS);
}

void
vk_query_begin(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass)
{
    if (!it->options->query)
        return;
    vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->times,
                        2 * (uint32_t)pass);
    if (!it->options->draws)
        vkCmdBeginQuery(slot->commands, slot->counts, (uint32_t)pass, 0);
}

void
vk_query_end(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass)
{
    if (!it->options->query)
        return;
    if (!it->options->draws)
        vkCmdEndQuery(slot->commands, slot->counts, (uint32_t)pass);
    vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->times,
                        2 * (uint32_t)pass + 1);
}

void
vk_query_draw_begin(const struct vk_scene *it, const struct vk_slot *slot, enum vk_draw draw)
{
    if (it->options->query && it->options->draws)
        vkCmdBeginQuery(slot->commands, slot->counts, (uint32_t)draw, 0);
}

void
vk_query_draw_end(const struct vk_scene *it, const struct vk_slot *slot, enum vk_draw draw)
{
    if (it->options->query && it->options->draws)
        vkCmdEndQuery(slot->commands, slot->counts, (uint32_t)draw);
}

int
vk_query_read(const struct vk_scene *it, const struct vk_slot *slot, struct vk_query *sum)
{
    uint64_t time[SCENE_PASSES][2], count[VK_COUNTS][SCENE_COUNTS];
    VkDevice device = it->device.device;
    uint32_t queries = it->options->draws ? VK_DRAWS : SCENE_PASSES;
    if (vk_failed(vkGetQueryPoolResults(device, slot->times, 0, 2 * SCENE_PASSES, sizeof(time), time,
                                        sizeof(time[0][0]),
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                  "vkGetQueryPoolResults") ||
        vk_failed(vkGetQueryPoolResults(device, slot->counts, 0, queries, queries * sizeof(count[0]), count,
                                        sizeof(count[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                  "vkGetQueryPoolResults"))
        return -1;
    for (int pass = 0; pass < SCENE_PASSES; pass++) {
        double length_ns = (double)(time[pass][1] - time[pass][0]) * (double)it->device.timestamp_period;
        if (sum->frames == 0 || length_ns < sum->least_ns[pass])
            sum->least_ns[pass] = length_ns;
    }
    if (sum->frames == 0)
        memcpy(sum->counted, count, queries * sizeof(count[0]));
    else if (memcmp(sum->counted, count, queries * sizeof(count[0])) != 0)
        sum->unequal = true;
    sum->frames++;
    return 0;
}
