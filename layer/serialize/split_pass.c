/** @file
 * Render passes of the application, and the render passes of their parts; see split_instance.c. Both
 * are compatible (Vulkan 1.3, "Render Pass Compatibility"): they differ in the operations and layouts of
 * attachments, and in resolves, which do not matter if there is one subpass. Therefore the application's
 * framebuffers and pipelines can be used. */
#include "layer/serialize/split_pass.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/serialize/split_private.h"

/* Use of an attachment in a pass of one subpass. */
struct use {
    VkImageLayout layout; /**< layout in the subpass; VK_IMAGE_LAYOUT_UNDEFINED: the attachment is not used */
    bool resolve;         /**< the attachment is only resolved to */
};

static bool
is_read_only(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL ||
           layout == VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL || layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

bool
pp_split_may_keep(VkAttachmentLoadOp load, VkAttachmentStoreOp store, VkImageLayout layout)
{
    return load != VK_ATTACHMENT_LOAD_OP_NONE_EXT &&
           (store != VK_ATTACHMENT_STORE_OP_NONE || is_read_only(layout));
}

bool
pp_split_is_plain(const void *chain, VkStructureType one, VkStructureType other)
{
    for (const VkBaseInStructure *node = chain; node; node = node->pNext)
        if ((VkStructureType)node->sType != one && (VkStructureType)node->sType != other)
            return false;
    return true;
}

/* Render pass objects. Attachments of VkRenderPassCreateInfo2 are converted to the older struct. */

/* Attachments that a subpass refers to. */
struct references {
    const void *input, *color, *depth, *resolve, *depth_resolve; /**< NULL: none */
    uint32_t inputs, colors;
    size_t bytes; /**< bytes of one reference */
    size_t at;    /**< offset of attachment and layout in it */
};

static void
note_uses(struct use *use, uint32_t count, const struct references *all, const void *references,
          uint32_t many, bool resolve)
{
    for (uint32_t i = 0; references && i < many; i++) {
        VkAttachmentReference one;
        memcpy(&one, (const char *)references + i * all->bytes + all->at, sizeof(one));
        if (one.attachment >= count)
            continue;
        use[one.attachment].resolve = resolve && use[one.attachment].layout == VK_IMAGE_LAYOUT_UNDEFINED;
        use[one.attachment].layout = one.layout;
    }
}

static void
note_all_uses(struct use *use, uint32_t count, const struct references *all)
{
    note_uses(use, count, all, all->input, all->inputs, false);
    note_uses(use, count, all, all->color, all->colors, false);
    note_uses(use, count, all, all->depth, 1, false);
    note_uses(use, count, all, all->resolve, all->colors, true);
    note_uses(use, count, all, all->depth_resolve, 1, true);
}

static VkAttachmentDescription
older(const VkAttachmentDescription2 *a)
{
    return (VkAttachmentDescription){a->flags,          a->format,        a->samples,
                                     a->loadOp,         a->storeOp,       a->stencilLoadOp,
                                     a->stencilStoreOp, a->initialLayout, a->finalLayout};
}

/* May this attachment be stored and loaded? */
static bool
may_keep_attachment(const VkAttachmentDescription *a, VkImageLayout layout)
{
    return !(a->flags & VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT) &&
           pp_split_may_keep(a->loadOp, a->storeOp, layout) &&
           pp_split_may_keep(a->stencilLoadOp, a->stencilStoreOp, layout);
}

/* Change an attachment for a part that is not the first (@p follows), or not the last (@p goes_on). An
 * attachment that is not used is not loaded, whatever its description says. */
static VkAttachmentDescription
keep_attachment(VkAttachmentDescription a, const struct use *use, bool follows, bool goes_on)
{
    bool known = use->layout != VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageLayout between = known ? use->layout : a.finalLayout;
    if (follows)
        a.initialLayout = between;
    if (follows && !use->resolve)
        a.loadOp = a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    if (!known || (use->resolve && goes_on))
        a.loadOp = a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    if (goes_on) {
        a.finalLayout = between;
        a.storeOp = pp_split_keep(a.storeOp);
        a.stencilStoreOp = pp_split_keep(a.stencilStoreOp);
    }
    return a;
}

/* Count the clear values of the last part: only resolve attachments are cleared there. */
static uint32_t
count_clears(const struct use *use, uint32_t attachment, VkAttachmentLoadOp load, uint32_t before)
{
    return use[attachment].resolve && load == VK_ATTACHMENT_LOAD_OP_CLEAR ? attachment + 1 : before;
}

static void
destroy_parts(struct pp_vk_device *dev, struct pp_split_pass *pass)
{
    const struct pp_vk_device_next *real = &dev->split->real;
    if (pass->first != VK_NULL_HANDLE)
        real->DestroyRenderPass(dev->handle, pass->first, NULL);
    if (pass->middle != VK_NULL_HANDLE)
        real->DestroyRenderPass(dev->handle, pass->middle, NULL);
    if (pass->last != VK_NULL_HANDLE)
        real->DestroyRenderPass(dev->handle, pass->last, NULL);
    pass->first = pass->middle = pass->last = VK_NULL_HANDLE;
}

/* Make the first, middle or last pass. @param use Use of each attachment. @param memory For the changed
 * attachments. */
static VkResult
make_part(struct pp_vk_device *dev, const VkRenderPassCreateInfo *info, const struct use *use, void *memory,
          bool follows, bool goes_on, VkRenderPass *ret_pass)
{
    VkRenderPassCreateInfo part = *info;
    VkAttachmentDescription *attachment = memory;
    VkSubpassDescription subpass = info->pSubpasses[0];
    for (uint32_t i = 0; i < info->attachmentCount; i++)
        attachment[i] = keep_attachment(info->pAttachments[i], &use[i], follows, goes_on);
    if (goes_on)
        subpass.pResolveAttachments = NULL;
    part.pAttachments = attachment;
    part.pSubpasses = &subpass;
    return dev->split->real.CreateRenderPass(dev->handle, &part, NULL, ret_pass);
}

static VkResult
make_part2(struct pp_vk_device *dev, const VkRenderPassCreateInfo2 *info, const struct use *use, void *memory,
           bool follows, bool goes_on, VkRenderPass *ret_pass)
{
    VkRenderPassCreateInfo2 part = *info;
    VkAttachmentDescription2 *attachment = memory;
    VkSubpassDescription2 subpass = info->pSubpasses[0];
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        VkAttachmentDescription a = keep_attachment(older(&info->pAttachments[i]), &use[i], follows, goes_on);
        attachment[i] = info->pAttachments[i];
        attachment[i].loadOp = a.loadOp;
        attachment[i].storeOp = a.storeOp;
        attachment[i].stencilLoadOp = a.stencilLoadOp;
        attachment[i].stencilStoreOp = a.stencilStoreOp;
        attachment[i].initialLayout = a.initialLayout;
        attachment[i].finalLayout = a.finalLayout;
    }
    if (goes_on) {
        subpass.pResolveAttachments = NULL;
        subpass.pNext = NULL; /* the chain resolves depth */
    }
    part.pAttachments = attachment;
    part.pSubpasses = &subpass;
    return dev->split->real.CreateRenderPass2(dev->handle, &part, NULL, ret_pass);
}

static uint8_t
check_pass(const VkRenderPassCreateInfo *info, struct use *use, uint32_t *io_clears)
{
    uint32_t count = info->attachmentCount;
    if (info->subpassCount != 1)
        return PP_SPLIT_SUBPASSES;
    if (info->flags != 0 ||
        !pp_split_is_plain(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
                           VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO))
        return PP_SPLIT_STRUCTS;
    const VkSubpassDescription *subpass = &info->pSubpasses[0];
    const struct references all = {
        .input = subpass->pInputAttachments,
        .color = subpass->pColorAttachments,
        .depth = subpass->pDepthStencilAttachment,
        .resolve = subpass->pResolveAttachments,
        .inputs = subpass->inputAttachmentCount,
        .colors = subpass->colorAttachmentCount,
        .bytes = sizeof(VkAttachmentReference),
        .at = offsetof(VkAttachmentReference, attachment),
    };
    note_all_uses(use, count, &all);
    for (uint32_t i = 0; i < count; i++) {
        if (!may_keep_attachment(&info->pAttachments[i], use[i].layout))
            return PP_SPLIT_ATTACHMENTS;
        *io_clears = count_clears(use, i, info->pAttachments[i].loadOp, *io_clears);
    }
    return PP_SPLIT_APART;
}

static bool
has_views(const VkRenderPassCreateInfo *info)
{
    const VkRenderPassMultiviewCreateInfo *views =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    return views && views->subpassCount == 1 && views->pViewMasks[0] != 0;
}

static bool
has_views2(const VkRenderPassCreateInfo2 *info)
{
    return info->pSubpasses[0].viewMask != 0;
}

/* Are all references without a chain? A chain may give stencil another layout. */
static bool
are_plain(const VkAttachmentReference2 *reference, uint32_t count)
{
    bool plain = true;
    for (uint32_t i = 0; reference && i < count; i++)
        plain = plain && !reference[i].pNext;
    return plain;
}

static uint8_t
check_pass2(const VkRenderPassCreateInfo2 *info, struct use *use, uint32_t *io_clears)
{
    uint32_t count = info->attachmentCount;
    if (info->subpassCount != 1)
        return PP_SPLIT_SUBPASSES;
    const VkSubpassDescription2 *subpass = &info->pSubpasses[0];
    const VkSubpassDescriptionDepthStencilResolve *depth =
        pp_vk_find(subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
    if (info->flags != 0 || info->pNext ||
        !pp_split_is_plain(subpass->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE, 0))
        return PP_SPLIT_STRUCTS;
    const VkAttachmentReference2 *resolve = depth ? depth->pDepthStencilResolveAttachment : NULL;
    if (!are_plain(subpass->pDepthStencilAttachment, 1) || !are_plain(resolve, 1) ||
        !are_plain(subpass->pInputAttachments, subpass->inputAttachmentCount))
        return PP_SPLIT_ATTACHMENTS;
    const struct references all = {
        .input = subpass->pInputAttachments,
        .color = subpass->pColorAttachments,
        .depth = subpass->pDepthStencilAttachment,
        .resolve = subpass->pResolveAttachments,
        .depth_resolve = resolve,
        .inputs = subpass->inputAttachmentCount,
        .colors = subpass->colorAttachmentCount,
        .bytes = sizeof(VkAttachmentReference2),
        .at = offsetof(VkAttachmentReference2, attachment),
    };
    note_all_uses(use, count, &all);
    for (uint32_t i = 0; i < count; i++) {
        VkAttachmentDescription a = older(&info->pAttachments[i]);
        if (info->pAttachments[i].pNext || !may_keep_attachment(&a, use[i].layout))
            return PP_SPLIT_ATTACHMENTS;
        *io_clears = count_clears(use, i, a.loadOp, *io_clears);
        *io_clears = count_clears(use, i, a.stencilLoadOp, *io_clears);
    }
    return PP_SPLIT_APART;
}

/* Put a pass into the device's map. The driver may return one handle for equal passes; these share one
 * entry. */
static void
put_pass(struct pp_vk_device *dev, VkRenderPass handle, struct pp_split_pass *pass)
{
    pthread_mutex_lock(&dev->split->lock);
    struct pp_split_pass *old = pp_map_get(&dev->split->passes, (uint64_t)handle);
    if (old)
        old->more++;
    if (old || pp_map_put(&dev->split->passes, (uint64_t)handle, pass) != 0) {
        destroy_parts(dev, pass);
        free(pass);
    }
    pthread_mutex_unlock(&dev->split->lock);
}

/* Remember a pass of the application, with its parts if it may be split. @param info VkRenderPassCreateInfo2
 * if @p newer, else VkRenderPassCreateInfo. @param count Attachments of the pass. */
static void
learn_pass(struct pp_vk_device *dev, const void *info, bool newer, uint32_t count, VkRenderPass handle)
{
    struct pp_split_pass *pass = calloc(1, sizeof(*pass));
    if (!pass)
        return;
    struct use *use = calloc(count + 1, sizeof(*use));
    void *memory = calloc(count + 1, sizeof(VkAttachmentDescription2));
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (use && memory) {
        pass->why =
            newer ? check_pass2(info, use, &pass->last_clears) : check_pass(info, use, &pass->last_clears);
        result = VK_SUCCESS;
    }
    if (result == VK_SUCCESS && pass->why == PP_SPLIT_APART)
        pass->views = newer ? has_views2(info) : has_views(info);
    VkRenderPass *part[] = {&pass->first, &pass->middle, &pass->last};
    for (unsigned i = 0; result == VK_SUCCESS && pass->why == PP_SPLIT_APART && i < 3; i++)
        result = newer ? make_part2(dev, info, use, memory, i > 0, i < 2, part[i])
                       : make_part(dev, info, use, memory, i > 0, i < 2, part[i]);
    free(use);
    free(memory);
    if (result != VK_SUCCESS) {
        destroy_parts(dev, pass);
        pass->why = PP_SPLIT_MEMORY;
    }
    put_pass(dev, handle, pass);
}

/* The driver's functions. The device may have no parts: a layer above may have got this layer's functions by
 * an instance. */
static const struct pp_vk_device_next *
real_of(const struct pp_vk_device *dev)
{
    return dev->split ? &dev->split->real : &dev->next;
}

static bool
takes_apart(const struct pp_vk_device *dev)
{
    return dev->split && dev->split->draws;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator, VkRenderPass *pRenderPass)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = real_of(dev)->CreateRenderPass(device, pCreateInfo, pAllocator, pRenderPass);
    if (result == VK_SUCCESS && takes_apart(dev))
        learn_pass(dev, pCreateInfo, false, pCreateInfo->attachmentCount, *pRenderPass);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2 *pCreateInfo,
                           const VkAllocationCallbacks *pAllocator, VkRenderPass *pRenderPass)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = real_of(dev)->CreateRenderPass2(device, pCreateInfo, pAllocator, pRenderPass);
    if (result == VK_SUCCESS && takes_apart(dev))
        learn_pass(dev, pCreateInfo, true, pCreateInfo->attachmentCount, *pRenderPass);
    return result;
}

static void
forget_pass(struct pp_vk_device *dev, VkRenderPass renderPass)
{
    pthread_mutex_lock(&dev->split->lock);
    struct pp_split_pass *pass = pp_map_get(&dev->split->passes, (uint64_t)renderPass);
    if (pass && pass->more > 0) {
        pass->more--;
    } else if (pass) {
        (void)pp_map_take(&dev->split->passes, (uint64_t)renderPass);
        destroy_parts(dev, pass);
        free(pass);
    }
    pthread_mutex_unlock(&dev->split->lock);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_DestroyRenderPass(VkDevice device, VkRenderPass renderPass, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (dev->split && renderPass != VK_NULL_HANDLE)
        forget_pass(dev, renderPass);
    real_of(dev)->DestroyRenderPass(device, renderPass, pAllocator);
}

static void
finish_pass(void *value, void *user)
{
    destroy_parts(user, value);
    free(value);
}

void
pp_split_passes_finish(struct pp_vk_device *dev)
{
    if (!dev->split)
        return;
    pp_map_each(&dev->split->passes, finish_pass, dev);
    pp_map_finish(&dev->split->passes);
    pp_map_init(&dev->split->passes);
}
