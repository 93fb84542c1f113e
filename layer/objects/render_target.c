/** @file
 * See render_target.h. The attachments of a pass are gathered in a small array. The hash of that array finds
 * a render target that was used before. */
#include "layer/objects/render_target.h"

#include <stdio.h>
#include <string.h>

#include "core/util/hash.h"
#include "layer/base/chain.h"
#include "pp_texts.h"

/* One attachment of a render target that is being made. */
struct part {
    const struct pp_vk_view *view; /**< NULL: unknown */
    VkFormat format;
    uint32_t samples;
    uint8_t load;  /**< enum pp_attachment_op */
    uint8_t store; /**< enum pp_attachment_op */
    uint8_t role;  /**< enum pp_vk_role */
    uint8_t index;
};

struct parts {
    struct part part[PP_MAX_ATTACHMENTS];
    uint32_t count;
    uint32_t width, height, layers;
    const char *name;
    uint64_t serial; /**< serial of the object that the name comes from */
};

static uint8_t
load_op(VkAttachmentLoadOp op)
{
    switch ((uint32_t)op) {
    case VK_ATTACHMENT_LOAD_OP_LOAD:
        return PP_OP_KEEP;
    case VK_ATTACHMENT_LOAD_OP_CLEAR:
        return PP_OP_CLEAR;
    case VK_ATTACHMENT_LOAD_OP_DONT_CARE:
        return PP_OP_DISCARD;
    case VK_ATTACHMENT_LOAD_OP_NONE_EXT:
        return PP_OP_NONE;
    default:
        return PP_OP_UNKNOWN;
    }
}

static uint8_t
store_op(VkAttachmentStoreOp op)
{
    switch ((uint32_t)op) {
    case VK_ATTACHMENT_STORE_OP_STORE:
        return PP_OP_KEEP;
    case VK_ATTACHMENT_STORE_OP_DONT_CARE:
        return PP_OP_DISCARD;
    case VK_ATTACHMENT_STORE_OP_NONE:
        return PP_OP_NONE;
    default:
        return PP_OP_UNKNOWN;
    }
}

static uint64_t
hash_parts(const struct parts *parts)
{
    uint64_t hash = pp_hash_mix(parts->serial, ((uint64_t)parts->width << 32) | parts->height);
    hash = pp_hash_mix(hash, parts->layers);
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];
        uint64_t ops =
            ((uint64_t)p->role << 24) | ((uint64_t)p->index << 16) | ((uint64_t)p->load << 8) | p->store;
        hash = pp_hash_mix(hash, ops);
        hash = pp_hash_mix(hash, ((uint64_t)(uint32_t)p->format << 32) | p->samples);
        if (p->view)
            hash = pp_hash_mix(pp_hash_mix(hash, p->view->serial), p->view->image->serial);
    }
    return hash;
}

static bool
has_depth(VkFormat format)
{
    switch ((uint32_t)format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return true;
    default:
        return false;
    }
}

static bool
has_stencil(VkFormat format)
{
    return format == VK_FORMAT_S8_UINT || format == VK_FORMAT_D16_UNORM_S8_UINT ||
           format == VK_FORMAT_D24_UNORM_S8_UINT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
}

static void
write_role(char *role, size_t size, const struct part *part)
{
    switch (part->role) {
    case PP_VK_ROLE_COLOR:
        snprintf(role, size, "color%u", part->index);
        break;
    case PP_VK_ROLE_RESOLVE:
        snprintf(role, size, "resolve%u", part->index);
        break;
    case PP_VK_ROLE_INPUT:
        snprintf(role, size, "input%u", part->index);
        break;
    default:
        snprintf(role, size, "%s",
                 !has_depth(part->format)    ? "stencil"
                 : has_stencil(part->format) ? "depth_stencil"
                                             : "depth");
    }
}

static pp_render_target_id
make_render_target(struct pp_session *session, const struct parts *parts)
{
    struct pp_render_target render_target;
    memset(&render_target, 0, sizeof(render_target));
    const char *name = parts->name;
    render_target.width = parts->width;
    render_target.height = parts->height;
    render_target.layers = parts->layers;
    render_target.samples = 1;
    render_target.attachments = parts->count;
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *p = &parts->part[i];
        struct pp_attachment *a = &render_target.attachment[i];
        write_role(a->role, sizeof(a->role), p);
        snprintf(a->format, sizeof(a->format), "%s", pp_vk_format_name(p->format));
        if (p->view)
            memcpy(a->name, p->view->image->name, sizeof(a->name));
        a->load = p->load;
        a->store = p->store;
        if (p->samples > render_target.samples)
            render_target.samples = p->samples;
        if ((!name || name[0] == '\0') && p->view && p->view->image->window &&
            (p->role == PP_VK_ROLE_COLOR || p->role == PP_VK_ROLE_RESOLVE))
            name = "window";
    }
    if (name)
        snprintf(render_target.name, sizeof(render_target.name), "%s", name);
    return pp_session_render_target(session, &render_target);
}

static pp_render_target_id
find_render_target(struct pp_cmdbuf *cb, const struct parts *parts)
{
    for (uint32_t i = 0; i < parts->count && !cb->surface; i++)
        if (parts->part[i].view)
            cb->surface = parts->part[i].view->image->window;
    uint64_t key = hash_parts(parts) | 1;
    unsigned slot = (unsigned)(key >> 58) % PP_RENDER_TARGET_CACHE;
    if (cb->pool->render_target[slot].key != key) {
        cb->pool->render_target[slot].render_target = make_render_target(cb->dev->session, parts);
        cb->pool->render_target[slot].key = key;
    }
    return cb->pool->render_target[slot].render_target;
}

static const struct pp_vk_view *
find_view(const struct pp_cmdbuf *cb, VkImageView view)
{
    return view == VK_NULL_HANDLE ? NULL : pp_map_get(&cb->dev->objects.views, (uint64_t)view);
}

/* Views of a framebuffer. An imageless framebuffer gets them with each render pass instance. */
static const VkImageView *
find_views(const struct pp_vk_framebuffer *fb, const VkRenderPassBeginInfo *info, uint32_t *ret_count)
{
    const VkRenderPassAttachmentBeginInfo *now =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    if (fb->views == 0 && now) {
        *ret_count = now->attachmentCount;
        return now->pAttachments;
    }
    *ret_count = fb->views;
    return fb->view;
}

pp_render_target_id
pp_vk_render_target_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info)
{
    const struct pp_vk_pass *pass = pp_map_get(&cb->dev->objects.passes, (uint64_t)info->renderPass);
    const struct pp_vk_framebuffer *fb =
        pp_map_get(&cb->dev->objects.framebuffers, (uint64_t)info->framebuffer);
    if (!pass || !fb)
        return 0;
    struct parts parts = {.width = fb->width, .height = fb->height, .layers = fb->layers};
    uint32_t views;
    const VkImageView *view = find_views(fb, info, &views);
    parts.name = fb->name[0] != '\0' ? fb->name : pass->name;
    parts.serial = pp_hash_mix(pass->serial, fb->serial);
    for (uint32_t i = 0; i < pass->attachments && parts.count < PP_MAX_ATTACHMENTS; i++) {
        const struct pp_vk_attachment *a = &pass->attachment[i];
        if (a->role == PP_VK_ROLE_NONE)
            continue;
        bool stencil_only = a->role == PP_VK_ROLE_DEPTH && !has_depth(a->format);
        parts.part[parts.count++] = (struct part){
            .view = i < views ? find_view(cb, view[i]) : NULL,
            .format = a->format,
            .samples = a->samples,
            .load = load_op(stencil_only ? a->stencil_load : a->load),
            .store = store_op(stencil_only ? a->stencil_store : a->store),
            .role = a->role,
            .index = a->index,
        };
    }
    return find_render_target(cb, &parts);
}

static void
add_rendering(struct pp_cmdbuf *cb, struct parts *parts, const VkRenderingAttachmentInfo *a, uint8_t role,
              uint8_t index)
{
    const struct pp_vk_view *view = find_view(cb, a->imageView);
    if (a->imageView == VK_NULL_HANDLE || parts->count == PP_MAX_ATTACHMENTS)
        return;
    struct part *part = &parts->part[parts->count++];
    *part = (struct part){.view = view, .samples = 1, .role = role, .index = index};
    part->load = load_op(a->loadOp);
    part->store = store_op(a->storeOp);
    if (view) {
        part->format = view->format;
        part->samples = view->image->samples;
        uint32_t width = view->image->extent.width >> view->mip,
                 height = view->image->extent.height >> view->mip;
        parts->width = width == 0 ? 1 : width;
        parts->height = height == 0 ? 1 : height;
    }
    if (a->resolveMode == VK_RESOLVE_MODE_NONE || a->resolveImageView == VK_NULL_HANDLE ||
        parts->count == PP_MAX_ATTACHMENTS)
        return;
    view = find_view(cb, a->resolveImageView);
    parts->part[parts->count++] = (struct part){
        .view = view,
        .format = view ? view->format : VK_FORMAT_UNDEFINED,
        .samples = 1,
        .load = PP_OP_DISCARD,
        .store = PP_OP_KEEP,
        .role = PP_VK_ROLE_RESOLVE,
        .index = index,
    };
}

pp_render_target_id
pp_vk_render_target_rendering(struct pp_cmdbuf *cb, const VkRenderingInfo *info)
{
    struct parts parts = {
        .width = info->renderArea.extent.width,
        .height = info->renderArea.extent.height,
        .layers = info->viewMask != 0 ? (uint32_t)__builtin_popcount(info->viewMask) : info->layerCount,
    };
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        add_rendering(cb, &parts, &info->pColorAttachments[i], PP_VK_ROLE_COLOR, (uint8_t)i);
    const VkRenderingAttachmentInfo *depth = info->pDepthAttachment, *stencil = info->pStencilAttachment;
    if (depth)
        add_rendering(cb, &parts, depth, PP_VK_ROLE_DEPTH, 0);
    if (stencil && (!depth || depth->imageView != stencil->imageView))
        add_rendering(cb, &parts, stencil, PP_VK_ROLE_DEPTH, 0);
    return find_render_target(cb, &parts);
}

/* Name of a pass of barriers that work on one image. */
static void
name_image_barrier(char *name, size_t size, const struct pp_vk_image *image, bool layout)
{
    char text[PP_NAME_MAX];
    if (!image)
        snprintf(text, sizeof(text), "%s", PP_TEXT_BARRIER_AN_IMAGE);
    else if (image->name[0] != '\0')
        snprintf(text, sizeof(text), "%s", image->name);
    else if (image->window)
        snprintf(text, sizeof(text), "window");
    else
        snprintf(text, sizeof(text), "%ux%u %s", image->extent.width, image->extent.height,
                 pp_vk_format_name(image->format));
    snprintf(name, size, layout ? PP_FORMAT_BARRIER_LAYOUT : PP_FORMAT_BARRIER_QUEUE, text);
}

static pp_render_target_id
make_barrier(struct pp_session *session, const struct pp_vk_image *image, uint32_t images, bool layout)
{
    struct pp_render_target made;
    memset(&made, 0, sizeof(made));
    if (images > 1)
        snprintf(made.name, sizeof(made.name), layout ? PP_FORMAT_BARRIER_LAYOUTS : PP_FORMAT_BARRIER_QUEUES,
                 images);
    else
        name_image_barrier(made.name, sizeof(made.name), image, layout);
    if (images > 1 || !image)
        return pp_session_render_target(session, &made);
    made.width = image->extent.width;
    made.height = image->extent.height;
    made.samples = image->samples;
    made.attachments = 1;
    snprintf(made.attachment[0].role, sizeof(made.attachment[0].role), "image");
    snprintf(made.attachment[0].format, sizeof(made.attachment[0].format), "%s",
             pp_vk_format_name(image->format));
    memcpy(made.attachment[0].name, image->name, sizeof(made.attachment[0].name));
    return pp_session_render_target(session, &made);
}

pp_render_target_id
pp_vk_render_target_barrier(struct pp_cmdbuf *cb, const struct pp_vk_image *image, uint32_t images,
                            bool layout)
{
    /* No serial of an object is 0: no render target of a render pass has the same key. */
    uint64_t key =
        pp_hash_mix(pp_hash_mix(0, image ? image->serial : 0), ((uint64_t)images << 1) | layout) | 1;
    unsigned slot = (unsigned)(key >> 58) % PP_RENDER_TARGET_CACHE;
    if (cb->pool->render_target[slot].key != key) {
        cb->pool->render_target[slot].render_target = make_barrier(cb->dev->session, image, images, layout);
        cb->pool->render_target[slot].key = key;
    }
    return cb->pool->render_target[slot].render_target;
}
