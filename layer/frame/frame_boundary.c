/** @file
 * See frame_boundary.h. */
#include "layer/frame/frame_boundary.h"

#include <string.h>

#include "layer/base/chain.h"
#include "layer/frame/frame.h"

/* Source: RenderDoc, vk_core.cpp (HandleFrameMarkers); gfxreconstruct, vulkan_util.h
 * (kVulkanVrFrameDelimiterString): anywhere in the text of an inserted label or marker. */
#define FRAME_LABEL "vr-marker,frame_end,type,application"

/* VkFrameBoundaryEXT, which is younger than Debian 12's headers. Source: VK_EXT_frame_boundary, revision 1.
 */
struct frame_boundary {
    VkStructureType sType;
    const void *pNext;
    uint32_t flags;
};

#define FRAME_BOUNDARY_TYPE ((VkStructureType)1000375001)
#define FRAME_END           1U

bool
pp_vk_frame_boundary_label(const char *text)
{
    return text && strstr(text, FRAME_LABEL);
}

bool
pp_vk_frame_boundary_chain(const void *chain)
{
    const struct frame_boundary *boundary = !chain ? NULL : pp_vk_find(chain, FRAME_BOUNDARY_TYPE);
    return boundary && (boundary->flags & FRAME_END);
}

bool
pp_vk_frame_boundary_buffer(const struct pp_vk_device *dev, VkCommandBuffer handle)
{
    if (!atomic_load_explicit(&dev->frames.labels, memory_order_relaxed))
        return false;
    const struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    return cb && cb->labels.ends_frame;
}

static bool
counts(struct pp_vk_device *dev)
{
    if (!pp_vk_device_live(dev))
        return false;
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    return on == PP_FRAME_ON_MARKER || (on == PP_FRAME_ON_AUTO && atomic_load(&dev->frames.swapchains) == 0);
}

bool
pp_vk_frame_boundary_expect(struct pp_vk_device *dev)
{
    return counts(dev) && !atomic_exchange(&dev->frames.boundaries, true);
}

void
pp_vk_frame_boundary_reached(struct pp_vk_device *dev)
{
    if (counts(dev))
        pp_vk_frame_end_now(dev);
}

void
pp_vk_frame_boundary_behind(struct pp_vk_device *dev)
{
    /* Submissions before the first boundary were frames. */
    if (!pp_vk_frame_boundary_expect(dev) || atomic_load(&dev->frames.worked))
        pp_vk_frame_boundary_reached(dev);
}

static VKAPI_ATTR void VKAPI_CALL
frame_boundary_android(VkDevice device, VkSemaphore semaphore, VkImage image)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    ((pp_vk_frame_boundary_android)dev->gdpa(device, "vkFrameBoundaryANDROID"))(device, semaphore, image);
    pp_vk_frame_boundary_behind(dev);
}

PFN_vkVoidFunction
pp_vk_frame_boundary_proc(const char *name)
{
    return strcmp(name, "vkFrameBoundaryANDROID") == 0 ? (PFN_vkVoidFunction)frame_boundary_android : NULL;
}
