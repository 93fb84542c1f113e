/** @file
 * The case of the walk with render passes of several draws, each of which needs the results of earlier draws:
 * in color (blended), depth and stencil, in all samples; with every way to begin a pass, every kind of
 * attachment, and passes that must not be split. Each is one label, submitted twice; its picture is on
 * stdout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"

enum { DRAWS = 4, IMAGES = 5, WORDS = WALK_SIZE * WALK_SIZE, BYTES = 2 * 4 * WORDS };

enum how { OBJECT, OBJECT2, DYNAMIC };

/** A kind of pass. */
struct kind {
    const char *label;
    enum how how;
    bool many;      /**< four samples, resolved at the end */
    bool depth;     /**< and stencil */
    bool keeps;     /**< loads the image of the kind before, and draws only in a part of it */
    bool imageless; /**< the framebuffer */
    bool views;     /**< two layers at once */
    bool reads;     /**< has its color as an input attachment, too */
    bool idle;      /**< has an attachment that its subpass does not use */
    bool alias;     /**< attachments may be in the same memory */
    bool none;      /**< depth is neither loaded nor stored */
    bool clears;    /**< with a clear as the last action */
    int queries;    /**< 1: of each draw, 2: of the second and third, 3: of all, around the pass */
    bool predicate; /**< conditional rendering around each draw */
};

static const struct kind kinds[] = {
    {.label = "color", .how = OBJECT},
    {.label = "depth", .how = OBJECT, .depth = true, .clears = true},
    {.label = "samples", .how = OBJECT, .many = true},
    {.label = "kept", .how = OBJECT, .keeps = true, .depth = true},
    {.label = "kept samples", .how = OBJECT, .many = true, .keeps = true, .depth = true},
    {.label = "second", .how = OBJECT2, .many = true, .depth = true},
    {.label = "imageless", .how = OBJECT2, .depth = true, .imageless = true},
    {.label = "dynamic", .how = DYNAMIC, .clears = true},
    {.label = "dynamic samples", .how = DYNAMIC, .many = true, .depth = true},
    {.label = "dynamic kept", .how = DYNAMIC, .keeps = true, .depth = true},
    {.label = "views", .how = OBJECT, .views = true},
    {.label = "dynamic views", .how = DYNAMIC, .views = true},
    {.label = "input", .how = OBJECT, .reads = true},
    {.label = "idle", .how = OBJECT2, .idle = true},
    {.label = "queries", .how = OBJECT, .queries = 1},
    {.label = "shared query", .how = OBJECT, .depth = true, .queries = 2},
    {.label = "around", .how = DYNAMIC, .queries = 3},
    {.label = "predicates", .how = OBJECT, .predicate = true},
    {.label = "alias", .how = OBJECT, .depth = true, .alias = true},
    {.label = "none", .how = DYNAMIC, .depth = true, .none = true},
};

/** Objects that the kinds share. */
struct instances {
    struct walk *walk;
    VkPipelineLayout layout;
    VkShaderModule module[2];
    VkImage image[IMAGES]; /**< color, depth, the same of four samples, what is not used */
    VkImageView view[IMAGES];
    VkDeviceMemory memory[IMAGES];
    struct walk_args picture;
    VkQueryPool queries;
};

/** One kind's. */
struct pass {
    const struct kind *kind;
    VkRenderPass pass;
    VkFramebuffer frame;
    VkPipeline pipeline;
    uint32_t attachments;
    VkImageView view[4];
    VkFormat format[4];
    VkImageUsageFlags usage[4];
};

static const VkFormat color_format = VK_FORMAT_R8G8B8A8_UNORM, depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT;

#define COLOR_USAGE                                                                                          \
    (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |                             \
     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
#define DEPTH_USAGE VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT

static void
make_image(struct instances *all, uint32_t i, VkSampleCountFlagBits samples, bool depth)
{
    VkDevice device = all->walk->device;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = depth ? depth_format : color_format,
        .extent = {WALK_SIZE, WALK_SIZE, 1},
        .mipLevels = 1,
        .arrayLayers = 2,
        .samples = samples,
        .usage = depth ? DEPTH_USAGE : COLOR_USAGE,
    };
    VkMemoryRequirements need;
    WALK_CHECK(vkCreateImage(device, &info, NULL, &all->image[i]));
    vkGetImageMemoryRequirements(device, all->image[i], &need);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = need.size};
    (void)vk_memory_type(all->walk->physical, need.memoryTypeBits, 0, &memory.memoryTypeIndex);
    WALK_CHECK(vkAllocateMemory(device, &memory, NULL, &all->memory[i]));
    WALK_CHECK(vkBindImageMemory(device, all->image[i], all->memory[i], 0));
    const VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = all->image[i],
        .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .format = info.format,
        .subresourceRange = {depth ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                                   : VK_IMAGE_ASPECT_COLOR_BIT,
                             0, 1, 0, 2},
    };
    WALK_CHECK(vkCreateImageView(device, &view, NULL, &all->view[i]));
}

static void
instances_open(struct instances *all, struct walk *walk)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, 128};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_OCCLUSION,
                                           .queryCount = DRAWS};
    *all = (struct instances){.walk = walk};
    walk_states_modules(walk, all->module);
    WALK_CHECK(vkCreatePipelineLayout(walk->device, &layout, NULL, &all->layout));
    WALK_CHECK(vkCreateQueryPool(walk->device, &queries, NULL, &all->queries));
    for (uint32_t i = 0; i < IMAGES; i++)
        make_image(all, i, i / 2 == 1 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT, i % 2 == 1);
    all->picture = walk_args_sized(walk, VK_BUFFER_USAGE_TRANSFER_DST_BIT, BYTES);
}

static void
instances_close(struct instances *all)
{
    VkDevice device = all->walk->device;
    walk_args_close(all->walk, &all->picture);
    for (int i = 0; i < IMAGES; i++) {
        vkDestroyImageView(device, all->view[i], NULL);
        vkDestroyImage(device, all->image[i], NULL);
        vkFreeMemory(device, all->memory[i], NULL);
    }
    vkDestroyQueryPool(device, all->queries, NULL);
    vkDestroyPipelineLayout(device, all->layout, NULL);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(device, all->module[i], NULL);
}

/* Passes. */

static VkSampleCountFlagBits
samples_of(const struct kind *kind)
{
    return kind->many ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
}

/** The kind's attachments: color, depth, what color is resolved to, what is not used. */
static void
describe(const struct instances *all, struct pass *pass, VkAttachmentDescription2 *to)
{
    const struct kind *kind = pass->kind;
    uint32_t base = kind->many ? 2 : 0;
    const VkAttachmentDescription2 color = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
        .flags = kind->alias ? VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT : 0,
        .format = color_format,
        .samples = samples_of(kind),
        .loadOp = kind->keeps && !kind->many ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = kind->many ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = kind->keeps && !kind->many ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
        .finalLayout = VK_IMAGE_LAYOUT_GENERAL,
    };
    pass->attachments = 0;
#define ADD(image, what)                                                                                     \
    (pass->view[pass->attachments] = all->view[image], pass->format[pass->attachments] = (what).format,      \
     pass->usage[pass->attachments] = (what).format == depth_format ? DEPTH_USAGE : COLOR_USAGE,             \
     to[pass->attachments++] = (what))
    ADD(base, color);
    VkAttachmentDescription2 depth = color;
    depth.flags = 0;
    depth.format = depth_format;
    depth.loadOp = depth.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    depth.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    depth.finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    if (kind->depth)
        ADD(base + 1, depth);
    VkAttachmentDescription2 plain = color;
    plain.samples = VK_SAMPLE_COUNT_1_BIT;
    plain.loadOp = kind->keeps ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    plain.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    plain.initialLayout = kind->keeps ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
    if (kind->many)
        ADD(0, plain);
    plain.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    plain.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    if (kind->idle)
        ADD(4, plain);
#undef ADD
}

/** Make the render pass of @p pass by the structs of Vulkan 1.0. */
static void
make_object(struct walk *walk, struct pass *pass, const VkAttachmentDescription2 *from)
{
    const struct kind *kind = pass->kind;
    VkAttachmentDescription attachment[4];
    for (uint32_t i = 0; i < pass->attachments; i++)
        attachment[i] =
            (VkAttachmentDescription){from[i].flags,          from[i].format,        from[i].samples,
                                      from[i].loadOp,         from[i].storeOp,       from[i].stencilLoadOp,
                                      from[i].stencilStoreOp, from[i].initialLayout, from[i].finalLayout};
    VkImageLayout layout = kind->reads ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference color = {0, layout};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference resolve = {kind->depth ? 2 : 1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .inputAttachmentCount = kind->reads,
        .pInputAttachments = &color,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pResolveAttachments = kind->many ? &resolve : NULL,
        .pDepthStencilAttachment = kind->depth ? &depth : NULL,
    };
    const uint32_t mask = 3;
    const VkRenderPassMultiviewCreateInfo views = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO, .subpassCount = 1, .pViewMasks = &mask};
    const VkSubpassDependency dependency = {
        .srcSubpass = VK_SUBPASS_EXTERNAL,
        .srcStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
                         VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                         VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .pNext = kind->views ? &views : NULL,
        .attachmentCount = pass->attachments,
        .pAttachments = attachment,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 1,
        .pDependencies = &dependency,
    };
    WALK_CHECK(vkCreateRenderPass(walk->device, &info, NULL, &pass->pass));
}

static void
make_object2(struct walk *walk, struct pass *pass, const VkAttachmentDescription2 *attachment)
{
    const struct kind *kind = pass->kind;
    const VkAttachmentReference2 color = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                          .attachment = 0,
                                          .layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkAttachmentReference2 depth = color, resolve = color;
    depth.attachment = 1;
    depth.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    resolve.attachment = kind->depth ? 2 : 1;
    const VkSubpassDescription2 subpass = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pResolveAttachments = kind->many ? &resolve : NULL,
        .pDepthStencilAttachment = kind->depth ? &depth : NULL,
    };
    const VkRenderPassCreateInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
        .attachmentCount = pass->attachments,
        .pAttachments = attachment,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    WALK_CHECK(vkCreateRenderPass2(walk->device, &info, NULL, &pass->pass));
}

static void
make_frame(struct walk *walk, struct pass *pass)
{
    VkFramebufferAttachmentImageInfo image[4];
    for (uint32_t i = 0; i < pass->attachments; i++)
        image[i] = (VkFramebufferAttachmentImageInfo){
            .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
            .usage = pass->usage[i],
            .width = WALK_SIZE,
            .height = WALK_SIZE,
            .layerCount = 2,
            .viewFormatCount = 1,
            .pViewFormats = &pass->format[i],
        };
    const VkFramebufferAttachmentsCreateInfo images = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
        .attachmentImageInfoCount = pass->attachments,
        .pAttachmentImageInfos = image,
    };
    const VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .pNext = pass->kind->imageless ? &images : NULL,
        .flags = pass->kind->imageless ? VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT : 0,
        .renderPass = pass->pass,
        .attachmentCount = pass->attachments,
        .pAttachments = pass->view,
        .width = WALK_SIZE,
        .height = WALK_SIZE,
        .layers = 1,
    };
    WALK_CHECK(vkCreateFramebuffer(walk->device, &info, NULL, &pass->frame));
}

/** Blended by constants; drawn where it is nearer than the depth and the stencil is less than a reference. */
static void
make_pipeline(struct instances *all, struct pass *pass)
{
    const struct kind *kind = pass->kind;
    const VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .viewMask = kind->views ? 3 : 0,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &color_format,
        .depthAttachmentFormat = kind->depth ? depth_format : VK_FORMAT_UNDEFINED,
        .stencilAttachmentFormat = kind->depth ? depth_format : VK_FORMAT_UNDEFINED,
    };
    const VkStencilOpState stencil = {.passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                      .depthFailOp = VK_STENCIL_OP_INVERT,
                                      .compareOp = VK_COMPARE_OP_GREATER,
                                      .compareMask = 0xff,
                                      .writeMask = 0xff};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_LESS,
        .stencilTestEnable = VK_TRUE,
        .front = stencil,
        .back = stencil,
    };
    const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                      VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    const VkPipelineColorBlendAttachmentState blend = walk_blend(0xf);
    const struct vk_graphics_want want = {
        .vertex = all->module[0],
        .fragment = all->module[1],
        .layout = all->layout,
        .pass = pass->pass,
        .rendering = &rendering,
        .samples = samples_of(kind),
        .depth = &depth,
        .blend = &blend,
        .dynamic = dynamic,
        .dynamics = sizeof(dynamic) / sizeof(dynamic[0]),
    };
    WALK_CHECK(vk_graphics_pipeline(all->walk->device, &want, &pass->pipeline));
}

/* Recording. */

static VkRect2D
area_of(const struct kind *kind)
{
    return kind->keeps ? (VkRect2D){{8, 16}, {WALK_SIZE - 16, WALK_SIZE - 24}}
                       : (VkRect2D){{0, 0}, {WALK_SIZE, WALK_SIZE}};
}

static void
begin_dynamic(const struct instances *all, const struct pass *pass, VkCommandBuffer commands)
{
    const struct kind *kind = pass->kind;
    VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = all->view[kind->many ? 2 : 0],
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = kind->keeps ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = kind->many ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue = {.color = {{0.25F, 0.5F, 0.75F, 1}}},
    };
    VkRenderingAttachmentInfo depth = color;
    depth.imageView = all->view[kind->many ? 3 : 1];
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.storeOp = kind->none ? VK_ATTACHMENT_STORE_OP_NONE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
    depth.clearValue.depthStencil = (VkClearDepthStencilValue){1, 0};
    if (kind->many) {
        color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        color.resolveImageView = all->view[0];
        color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = area_of(kind),
        .layerCount = 1,
        .viewMask = kind->views ? 3 : 0,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthAttachment = kind->depth ? &depth : NULL,
        .pStencilAttachment = kind->depth ? &depth : NULL,
    };
    vkCmdBeginRendering(commands, &info);
}

static void
begin_pass(const struct instances *all, const struct pass *pass, VkCommandBuffer commands)
{
    const struct kind *kind = pass->kind;
    VkClearValue clear[4];
    for (uint32_t i = 0; i < 4; i++)
        clear[i].color = (VkClearColorValue){{0.25F, 0.5F, 0.75F, 1}};
    if (kind->depth)
        clear[1].depthStencil = (VkClearDepthStencilValue){1, 0};
    const VkRenderPassAttachmentBeginInfo views = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
        .attachmentCount = pass->attachments,
        .pAttachments = pass->view,
    };
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .pNext = kind->imageless ? &views : NULL,
        .renderPass = pass->pass,
        .framebuffer = pass->frame,
        .renderArea = area_of(kind),
        .clearValueCount = pass->attachments,
        .pClearValues = clear,
    };
    const VkSubpassBeginInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO,
                                        .contents = VK_SUBPASS_CONTENTS_INLINE};
    if (kind->how == DYNAMIC)
        begin_dynamic(all, pass, commands);
    else if (kind->how == OBJECT)
        vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    else
        vkCmdBeginRenderPass2(commands, &info, &subpass);
}

static void
end_pass(const struct kind *kind, VkCommandBuffer commands)
{
    const VkSubpassEndInfo end = {.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    if (kind->how == DYNAMIC)
        vkCmdEndRendering(commands);
    else if (kind->how == OBJECT)
        vkCmdEndRenderPass(commands);
    else
        vkCmdEndRenderPass2(commands, &end);
}

/** A draw; only states that differ from the draw before are set. */
static void
record_draw(const struct instances *all, VkCommandBuffer commands, uint32_t i)
{
    const float near[DRAWS] = {0.5F, 0.7F, 0.25F, 0.4F};
    const float color[8] = {(float)i / DRAWS, 1 - (float)i / DRAWS, 0.5F, 1, 0.25F, 0.125F, (float)i / 8, 0};
    const float blend[4] = {0.75F, 0.5F, 0.25F * (float)i, 1};
    const VkViewport view = {(float)i,         0.5F * (float)i, WALK_SIZE - 9.25F,
                             WALK_SIZE - 7.5F, near[i],         near[i]};
    const VkRect2D scissor = {{8 + 4 * (int32_t)i, 16 + 3 * (int32_t)i}, {24, 20}};
    vkCmdSetViewport(commands, 0, 1, &view);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdPushConstants(commands, all->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(color), color);
    if (i % 2 == 0)
        vkCmdSetBlendConstants(commands, blend);
    if (i != 1)
        vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, i + 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
}

static void
record_clear(VkCommandBuffer commands)
{
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                     .clearValue = {.color = {{1, 0.5F, 0.25F, 1}}}};
    const VkClearRect rect = {{{20, 24}, {8, 8}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
}

static void
record_draws(const struct instances *all, const struct pass *pass, VkCommandBuffer commands)
{
    const struct kind *kind = pass->kind;
    const VkConditionalRenderingBeginInfoEXT predicate = {
        .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, .buffer = all->walk->buffer};
    bool predicated = kind->predicate && all->walk->conditional;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pass->pipeline);
    for (uint32_t i = 0; i < DRAWS; i++) {
        if (kind->queries == 1 || (kind->queries == 2 && i == 1))
            vkCmdBeginQuery(commands, all->queries, i, VK_QUERY_CONTROL_PRECISE_BIT);
        if (predicated)
            all->walk->begin_conditional(commands, &predicate);
        record_draw(all, commands, i);
        if (predicated)
            all->walk->end_conditional(commands);
        if (kind->queries == 1 || (kind->queries == 2 && i == 2))
            vkCmdEndQuery(commands, all->queries, kind->queries == 1 ? i : 1);
    }
    if (kind->clears)
        record_clear(commands);
}

/** Bring all images of a kind of dynamic rendering into its layout; render passes do this themselves. */
static void
record_layouts(const struct instances *all, const struct kind *kind, VkCommandBuffer commands)
{
    VkImageMemoryBarrier barrier[4];
    for (uint32_t i = 0; i < 4; i++)
        barrier[i] = (VkImageMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
            .oldLayout = i == 0 && kind->keeps ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .newLayout = VK_IMAGE_LAYOUT_GENERAL,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .image = all->image[i],
            .subresourceRange = {i % 2 == 1 ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
                                            : VK_IMAGE_ASPECT_COLOR_BIT,
                                 0, 1, 0, 2},
        };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 4, barrier);
}

static VkCommandBuffer
record(const struct instances *all, const struct pass *pass)
{
    struct walk *walk = all->walk;
    const struct kind *kind = pass->kind;
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2},
                                      .imageExtent = {WALK_SIZE, WALK_SIZE, 1}};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, kind->label);
    walk_barrier(commands);
    if (kind->how == DYNAMIC)
        record_layouts(all, kind, commands);
    if (kind->queries != 0)
        vkCmdResetQueryPool(commands, all->queries, 0, DRAWS);
    if (kind->queries == 3)
        vkCmdBeginQuery(commands, all->queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    begin_pass(all, pass, commands);
    record_draws(all, pass, commands);
    end_pass(kind, commands);
    if (kind->queries == 3)
        vkCmdEndQuery(commands, all->queries, 0);
    walk_barrier(commands);
    vkCmdCopyImageToBuffer(commands, all->image[0], VK_IMAGE_LAYOUT_GENERAL, all->picture.buffer, 1, &region);
    walk_barrier(commands);
    walk_end(walk, commands);
    return commands;
}

static void
print(const struct instances *all, const struct kind *kind)
{
    uint32_t hash = 2166136261U;
    for (uint32_t i = 0; i < (kind->views ? 2U : 1U) * WORDS; i++)
        hash = (hash ^ all->picture.word[i]) * 16777619U;
    printf("walk: '%s' %08x", kind->label, hash);
    for (uint32_t i = 0; i < DRAWS && kind->queries != 0; i++) {
        uint64_t count = 0;
        if (kind->queries == 1 || i == (kind->queries == 2 ? 1U : 0U))
            WALK_CHECK(vkGetQueryPoolResults(all->walk->device, all->queries, i, 1, sizeof(count), &count,
                                             sizeof(count),
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        printf(" %u", (unsigned)count);
    }
    printf("\n");
}

void
walk_cases_instances(struct walk *walk)
{
    struct instances all;
    instances_open(&all, walk);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        struct pass pass = {.kind = &kinds[k]};
        VkAttachmentDescription2 attachment[4];
        describe(&all, &pass, attachment);
        if (kinds[k].how == OBJECT)
            make_object(walk, &pass, attachment);
        else if (kinds[k].how == OBJECT2)
            make_object2(walk, &pass, attachment);
        if (kinds[k].how != DYNAMIC)
            make_frame(walk, &pass);
        make_pipeline(&all, &pass);
        VkCommandBuffer commands = record(&all, &pass);
        for (int i = 0; i < 2; i++) {
            walk_submit(walk, 1, &commands);
            print(&all, &kinds[k]);
        }
        vkFreeCommandBuffers(walk->device, walk->pool, 1, &commands);
        vkDestroyPipeline(walk->device, pass.pipeline, NULL);
        vkDestroyFramebuffer(walk->device, pass.frame, NULL);
        vkDestroyRenderPass(walk->device, pass.pass, NULL);
    }
    instances_close(&all);
}
