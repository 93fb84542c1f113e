/** @file
 * Images, buffers and descriptors of the Vulkan scene; see vk_scene.h. */
#include <string.h>

#include "samples/vk_scene.h"

static int
create_images(struct vk_scene *it)
{
    const VkExtent2D shadow = {SCENE_SHADOW_SIZE, SCENE_SHADOW_SIZE};
    const VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT;
    const VkImageUsageFlags colour = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    const VkImageUsageFlags depth = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const struct {
        VkFormat format;
        VkExtent2D size;
        VkImageUsageFlags usage;
        const char *name;
    } want[VK_IMAGES] = {
        [VK_IMAGE_SHADOW] = {VK_FORMAT_D32_SFLOAT, shadow, depth | sampled, "shadow map"},
        [VK_IMAGE_COLOUR] = {VK_FORMAT_R16G16B16A16_SFLOAT, it->size, colour | sampled, "scene colour"},
        [VK_IMAGE_DEPTH] = {VK_FORMAT_D32_SFLOAT, it->size, depth, "scene depth"},
        [VK_IMAGE_TONED] = {VK_FORMAT_R16G16B16A16_SFLOAT, it->size, VK_IMAGE_USAGE_STORAGE_BIT | sampled,
                            "toned"},
        [VK_IMAGE_FINAL] = {VK_FORMAT_R8G8B8A8_UNORM, it->size, colour | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                            "final"},
        [VK_IMAGE_OUTPUT] = {VK_FORMAT_R8G8B8A8_UNORM, it->size, VK_IMAGE_USAGE_TRANSFER_DST_BIT, "output"},
    };
    for (int i = 0; i < VK_IMAGES; i++) {
        if (vk_image_init(&it->device, want[i].format, want[i].size, want[i].usage, &it->image[i]) < 0)
            return -1;
        vk_name(&it->device, VK_OBJECT_TYPE_IMAGE, (uint64_t)it->image[i].image, want[i].name);
    }
    return 0;
}

static int
create_buffers(struct vk_scene *it)
{
    struct scene_instance instance[SCENE_INSTANCES];
    char *geometry;
    if (vk_buffer_init(&it->device, VK_GEOMETRY_INDICES + sizeof(scene_index),
                       VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                       &it->geometry) < 0)
        return -1;
    geometry = it->geometry.mapped;
    scene_instances(instance);
    memcpy(geometry, scene_corner, sizeof(scene_corner));
    memcpy(geometry + VK_GEOMETRY_INSTANCES, instance, sizeof(instance));
    memcpy(geometry + VK_GEOMETRY_INDICES, scene_index, sizeof(scene_index));
    for (int i = 0; i < VK_SLOTS; i++)
        if (vk_buffer_init(&it->device, sizeof(struct scene_uniforms), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                           &it->slot[i].uniforms) < 0 ||
            vk_buffer_init(&it->device, (VkDeviceSize)it->size.width * it->size.height * 4,
                           VK_BUFFER_USAGE_TRANSFER_DST_BIT, &it->slot[i].readback) < 0)
            return -1;
    return 0;
}

static int
create_samplers(struct vk_scene *it)
{
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
    };
    if (vk_failed(vkCreateSampler(it->device.device, &info, NULL, &it->nearest), "vkCreateSampler"))
        return -1;
    info.compareEnable = VK_TRUE;
    info.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    return vk_failed(vkCreateSampler(it->device.device, &info, NULL, &it->compare), "vkCreateSampler") ? -1
                                                                                                       : 0;
}

/* The bindings of shaders/, all in set 0. */
static const VkDescriptorSetLayoutBinding binding[] = {
    {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
    {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
    {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    {3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    {4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
};
#define BINDINGS (sizeof(binding) / sizeof(binding[0]))

static void
write_set(const struct vk_scene *it, const struct vk_slot *slot)
{
    const VkDescriptorBufferInfo uniforms = {slot->uniforms.buffer, 0, VK_WHOLE_SIZE};
    const VkDescriptorImageInfo image[BINDINGS] = {
        [1] = {it->compare, it->image[VK_IMAGE_SHADOW].view, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
        [2] = {it->nearest, it->image[VK_IMAGE_COLOUR].view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        [3] = {VK_NULL_HANDLE, it->image[VK_IMAGE_TONED].view, VK_IMAGE_LAYOUT_GENERAL},
        [4] = {it->nearest, it->image[VK_IMAGE_TONED].view, VK_IMAGE_LAYOUT_GENERAL},
    };
    VkWriteDescriptorSet write[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        write[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = slot->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = binding[i].descriptorType,
            .pImageInfo = &image[i],
            .pBufferInfo = &uniforms,
        };
    vkUpdateDescriptorSets(it->device.device, BINDINGS, write, 0, NULL);
}

static int
create_sets(struct vk_scene *it)
{
    const VkDescriptorPoolSize size[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SLOTS},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 3 * VK_SLOTS},
        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SLOTS},
    };
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = VK_SLOTS,
        .poolSizeCount = sizeof(size) / sizeof(size[0]),
        .pPoolSizes = size,
    };
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BINDINGS,
        .pBindings = binding,
    };
    VkDevice device = it->device.device;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &it->set_layout};
    if (vk_failed(vkCreateDescriptorPool(device, &pool, NULL, &it->sets), "vkCreateDescriptorPool") ||
        vk_failed(vkCreateDescriptorSetLayout(device, &layout, NULL, &it->set_layout),
                  "vkCreateDescriptorSetLayout"))
        return -1;
    allocate.descriptorPool = it->sets;
    for (int i = 0; i < VK_SLOTS; i++) {
        if (vk_failed(vkAllocateDescriptorSets(device, &allocate, &it->slot[i].set),
                      "vkAllocateDescriptorSets"))
            return -1;
        write_set(it, &it->slot[i]);
    }
    return 0;
}

int
vk_resources_init(struct vk_scene *it)
{
    if (create_images(it) < 0 || create_buffers(it) < 0 || create_samplers(it) < 0 || create_sets(it) < 0)
        return -1;
    return 0;
}

void
vk_resources_finish(struct vk_scene *it)
{
    vkDestroyDescriptorSetLayout(it->device.device, it->set_layout, NULL);
    vkDestroyDescriptorPool(it->device.device, it->sets, NULL);
    vkDestroySampler(it->device.device, it->compare, NULL);
    vkDestroySampler(it->device.device, it->nearest, NULL);
    vk_buffer_finish(&it->device, &it->geometry);
    for (int i = 0; i < VK_SLOTS; i++) {
        vk_buffer_finish(&it->device, &it->slot[i].uniforms);
        vk_buffer_finish(&it->device, &it->slot[i].readback);
    }
    for (int i = 0; i < VK_IMAGES; i++)
        vk_image_finish(&it->device, &it->image[i]);
}
