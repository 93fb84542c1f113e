/** @file
 * The case of the walk that sets states more often than needed, before and inside many small passes of one
 * command buffer; its picture shows whether each state was set. The variable WALK_STATES is "PASSES CHANGES
 * [many]": changes of each pass; with "many" as many of them as possible differ. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"

#include "states_frag.h"
#include "states_vert.h"

#define STAGES VK_SHADER_STAGE_FRAGMENT_BIT

struct states {
    struct walk *walk;
    VkRenderPass pass; /**< keeps what is there */
    VkFramebuffer frame;
    VkPipelineLayout layout;
    VkPipeline pipeline[2]; /**< the second writes no red */
    uint32_t number, range;
    bool many;
};

static uint32_t
next(struct states *states)
{
    states->number = states->number * 1103515245U + 12345U;
    return states->number >> 16;
}

static void
make_pass(struct states *states)
{
    const VkAttachmentDescription color = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &color,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    WALK_CHECK(vkCreateRenderPass(states->walk->device, &info, NULL, &states->pass));
    const VkFramebufferCreateInfo frame = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = states->pass,
        .attachmentCount = 1,
        .pAttachments = &states->walk->view,
        .width = WALK_SIZE,
        .height = WALK_SIZE,
        .layers = 1,
    };
    WALK_CHECK(vkCreateFramebuffer(states->walk->device, &frame, NULL, &states->frame));
}

void
walk_states_modules(struct walk *walk, VkShaderModule *ret_module)
{
    WALK_CHECK(vk_shader_module(walk->device, states_vert, sizeof(states_vert), &ret_module[0]));
    WALK_CHECK(vk_shader_module(walk->device, states_frag, sizeof(states_frag), &ret_module[1]));
}

VkPipelineColorBlendAttachmentState
walk_blend(VkColorComponentFlags write)
{
    return (VkPipelineColorBlendAttachmentState){
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        .colorBlendOp = VK_BLEND_OP_ADD,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
        .alphaBlendOp = VK_BLEND_OP_ADD,
        .colorWriteMask = write,
    };
}

static VkPipeline
make_pipeline(struct states *states, VkColorComponentFlags write)
{
    const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                      VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_CULL_MODE,
                                      VK_DYNAMIC_STATE_FRONT_FACE};
    const VkPipelineColorBlendAttachmentState blend = walk_blend(write);
    VkDevice device = states->walk->device;
    VkShaderModule module[2];
    VkPipeline pipeline;
    walk_states_modules(states->walk, module);
    const struct vk_graphics_want want = {
        .vertex = module[0],
        .fragment = module[1],
        .layout = states->layout,
        .pass = states->pass,
        .blend = &blend,
        .dynamic = dynamic,
        .dynamics = sizeof(dynamic) / sizeof(dynamic[0]),
    };
    WALK_CHECK(vk_graphics_pipeline(device, &want, &pipeline));
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(device, module[i], NULL);
    return pipeline;
}

static void
states_open(struct states *states)
{
    const VkPushConstantRange range = {STAGES, 0, 128};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    make_pass(states);
    WALK_CHECK(vkCreatePipelineLayout(states->walk->device, &layout, NULL, &states->layout));
    states->pipeline[0] = make_pipeline(states, 0xf);
    states->pipeline[1] = make_pipeline(states, 0xe);
}

static void
states_close(struct states *states)
{
    VkDevice device = states->walk->device;
    for (int i = 0; i < 2; i++)
        vkDestroyPipeline(device, states->pipeline[i], NULL);
    vkDestroyPipelineLayout(device, states->layout, NULL);
    vkDestroyFramebuffer(device, states->frame, NULL);
    vkDestroyRenderPass(device, states->pass, NULL);
}

/** A part of the pushed constants. @param offset In words. */
static void
push(struct states *states, VkCommandBuffer commands, uint32_t offset, uint32_t words)
{
    float value[32];
    for (uint32_t i = 0; i < words; i++)
        value[i] = (float)(next(states) % 256) / 256;
    vkCmdPushConstants(commands, states->layout, STAGES, 4 * offset, 4 * words, value);
}

static void
set_square(struct states *states, VkCommandBuffer commands, bool viewport)
{
    uint32_t at = next(states) % (WALK_SIZE * WALK_SIZE / 64);
    int32_t x = (int32_t)(at % (WALK_SIZE / 8) * 8), y = (int32_t)(at / (WALK_SIZE / 8) * 8);
    const VkViewport view = {(float)x / 2, (float)y / 2, WALK_SIZE / 2.0F, WALK_SIZE / 2.0F, 0, 1};
    const VkRect2D scissor = {{x, y}, {16, 16}};
    if (viewport)
        vkCmdSetViewport(commands, 0, 1, &view);
    else
        vkCmdSetScissor(commands, 0, 1, &scissor);
}

/** Set one of the states. */
static void
change(struct states *states, VkCommandBuffer commands, uint32_t which)
{
    float blend[4];
    switch (which) {
    case 0:
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, states->pipeline[next(states) % 2]);
        break;
    case 1:
    case 2:
        set_square(states, commands, which == 1);
        break;
    case 3:
        for (int i = 0; i < 4; i++)
            blend[i] = (float)(next(states) % 256) / 256;
        vkCmdSetBlendConstants(commands, blend);
        break;
    case 4:
        vkCmdSetCullMode(commands, next(states) % 2 ? VK_CULL_MODE_NONE : VK_CULL_MODE_FRONT_BIT);
        break;
    case 5:
        vkCmdSetFrontFace(commands,
                          next(states) % 2 ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE);
        break;
    case 6:
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, states->walk->compute);
        break;
    case 7:
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, states->walk->compute_layout, 0, 1,
                                &states->walk->set, 0, NULL);
        break;
    default: /* one range after another, or only three that overlap */
        if (states->many) {
            uint32_t offset = states->range++ % 32;
            push(states, commands, offset, 1 + states->range / 32 % (32 - offset));
        } else {
            push(states, commands, which == 10 ? 4 : 0, which == 8 ? 8 : 3);
        }
    }
}

enum { KINDS = 11 };

/** A pass of one draw; some of its states are set inside. */
static void
record_pass(struct states *states, VkCommandBuffer commands, uint32_t changes)
{
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = states->pass,
                                        .framebuffer = states->frame,
                                        .renderArea.extent = {WALK_SIZE, WALK_SIZE}};
    walk_barrier(commands);
    for (uint32_t i = 0; i < changes / 2; i++)
        change(states, commands, next(states) % KINDS);
    vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(commands, 3, 1, 0, 0);
    for (uint32_t i = changes / 2; i < changes; i++)
        change(states, commands, next(states) % KINDS);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

/** The picture, into the buffer. */
static void
record_copy(struct states *states, VkCommandBuffer commands, VkBuffer to)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {WALK_SIZE, WALK_SIZE, 1}};
    walk_barrier(commands);
    vkCmdCopyImageToBuffer(commands, states->walk->image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &region);
    walk_barrier(commands);
}

static uint32_t
hash_picture(const struct walk_args *args)
{
    const uint8_t *bytes = (const uint8_t *)args->word;
    uint32_t hash = 2166136261U;
    for (uint32_t i = 0; i < WALK_SIZE * WALK_SIZE * 4; i++)
        hash = (hash ^ bytes[i]) * 16777619U;
    return hash;
}

/** The picture, cleared, in the layout that passes want. */
static void
record_clear(const struct states *states, VkCommandBuffer commands)
{
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 2};
    const VkClearColorValue black = {{0, 0, 0, 0}};
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = states->walk->image,
        .subresourceRange = range,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
    vkCmdClearColorImage(commands, states->walk->image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &range);
}

void
walk_cases_states(struct walk *walk)
{
    struct states states = {.walk = walk, .number = 1};
    const char *text = getenv("WALK_STATES");
    char *end = NULL;
    uint32_t passes = text ? (uint32_t)strtoul(text, &end, 10) : 20;
    uint32_t changes = text ? (uint32_t)strtoul(end, NULL, 10) : 50;
    states.many = text && strstr(text, "many");
    states_open(&states);
    struct walk_args picture = walk_args_open(walk, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    for (int round = 0; round < 2; round++) {
        VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "states");
        record_clear(&states, commands);
        for (uint32_t i = 0; i < 8; i++)
            change(&states, commands, i);
        push(&states, commands, 0, 32);
        for (uint32_t i = 0; i < passes; i++)
            record_pass(&states, commands, changes);
        walk_barrier(commands);
        vkCmdDispatch(commands, 1, 1, 1);
        record_copy(&states, commands, picture.buffer);
        walk_end(walk, commands);
        walk_submit(walk, 1, &commands);
        printf("walk: picture %08x\n", hash_picture(&picture));
    }
    walk_args_close(walk, &picture);
    states_close(&states);
}
