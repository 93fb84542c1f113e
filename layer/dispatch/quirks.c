/** @file
 * See quirks.h. */
#include "layer/dispatch/quirks.h"

#include "core/util/log.h"
#include "counters/util/array_size.h"

#include <stddef.h>
#include <string.h>

/* A driver on which draws inside a pass cannot be timed. */
struct draw_time_quirk {
    uint32_t vendor;        /**< VkPhysicalDeviceProperties.vendorID */
    const char *name_begin; /**< first characters of deviceName; NULL: any device of the vendor */
    const char *reason;
};

static const char tiler[] = PP_TEXT_VK_TILER;

static const struct draw_time_quirk draw_time_quirk[] = {
    /* Measured on Mesa 22.3.6: TOP timestamps are those of the last tile; BOTTOM ones split the scene, which
     * changes the frame (67 ms became 231 ms), and are wrong by one draw. */
    {VK_VENDOR_ID_MESA, "llvmpipe", PP_TEXT_VK_LAVAPIPE_DRAWS},
    /* Vendor ids: PCI or Khronos, as in vk.xml and the drivers' VkPhysicalDeviceProperties. */
    {0x13b5, NULL, tiler}, /* Arm */
    {0x5143, NULL, tiler}, /* Qualcomm */
    {0x1010, NULL, tiler}, /* Imagination */
    {0x14e4, NULL, tiler}, /* Broadcom */
    {0x106b, NULL, tiler}, /* Apple */
    {0x19e5, NULL, tiler}, /* Huawei */
};

const char *
pp_vk_quirk_draw_times(const VkPhysicalDeviceProperties *props)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(draw_time_quirk); i++) {
        const struct draw_time_quirk *quirk = &draw_time_quirk[i];
        if (props->vendorID == quirk->vendor &&
            (!quirk->name_begin ||
             strncmp(props->deviceName, quirk->name_begin, strlen(quirk->name_begin)) == 0))
            return quirk->reason;
    }
    return NULL;
}

static bool
is_lavapipe(const VkPhysicalDeviceProperties *props)
{
    return props->vendorID == VK_VENDOR_ID_MESA && strncmp(props->deviceName, "llvmpipe", 8) == 0;
}

bool
pp_vk_quirk_needs_pipeline(const VkPhysicalDeviceProperties *props)
{
    /* lvp_execute.c: vkCmdBeginQuery emits pending state, including that of the pipeline's layout. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_deferred_times(const VkPhysicalDeviceProperties *props)
{
    /* lp_setup.c: a timestamp is a command of the scene that is being collected. lvp_execute.c flushes the
     * scene at a barrier or at the next render pass. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_results_wait(const VkPhysicalDeviceProperties *props)
{
    /* lvp_query.c: vkGetQueryPoolResults begins with vkDeviceWaitIdle. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_barrier_work(const VkPhysicalDeviceProperties *props, VkDriverId driver)
{
    /* Mesa 22.3.6: ANV and hasvk resolve colours and depth (transition_color_buffer(),
     * transition_depth_buffer()), seen in the batches of tests/lab. RADV decompresses DCC, CMASK, FMASK and
     * HTILE (radv_handle_image_transition()). AMD's own drivers have the same hardware to serve. Turnip,
     * V3DV, lavapipe and SwiftShader only wait and flush. */
    if (driver != 0)
        return driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || driver == VK_DRIVER_ID_MESA_RADV ||
               driver == VK_DRIVER_ID_AMD_OPEN_SOURCE || driver == VK_DRIVER_ID_AMD_PROPRIETARY;
    return props->vendorID == 0x8086 || props->vendorID == 0x1002;
}

bool
pp_vk_quirk_chains_simultaneous(const VkPhysicalDeviceProperties *props, VkDriverId driver)
{
    /* Mesa 22.3.6, anv_queue_submit(): a submission is cut before a buffer that cannot be chained, and not
     * after it. The version that mended this is not known; the flag does no harm to later ones. */
    return driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || (driver == 0 && props->vendorID == 0x8086);
}
