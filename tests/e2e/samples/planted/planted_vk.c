/** @file
 * The application of Vulkan; see README.md. It needs a window: lavapipe has none without a display. Exit
 * status 77: no X server. */
#define VK_USE_PLATFORM_XLIB_KHR
#include <X11/Xlib.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/vk_device.h"
#include "samples/vk_graphics.h"
#include "samples/vk_open.h"
#include "tests/e2e/samples/planted/planted.h"

/* SPIR-V, which needs the types of the headers above. */
#include "planted_frag.h"
#include "planted_vert.h"

#define CHECK(call) check((call), #call)

enum { IMAGES = 8 };
static const VkFormat format = VK_FORMAT_B8G8R8A8_UNORM;
static const VkDeviceSize upload_bytes = 1 << 20;

static struct {
    Display *display;
    struct vk_device gpu;
    VkSwapchainKHR swapchain;
    VkSurfaceKHR surface;
    VkImage image[IMAGES];
    VkImageView view[IMAGES];
    uint32_t images;
    struct vk_image target;
    struct vk_buffer from, to;
    struct vk_graphics_want want;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkSemaphore acquired, rendered;
    VkFence fence;
} it;

static void
check(VkResult result, const char *what)
{
    if (vk_failed(result, what))
        exit(1);
}

static void
open_device(void)
{
    const char *const instance_names[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_XLIB_SURFACE_EXTENSION_NAME,
                                          VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    const char *const device_names[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    const VkPhysicalDeviceVulkan13Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .dynamicRendering = VK_TRUE};
    const struct vk_open_want want = {.version = VK_API_VERSION_1_3,
                                      .instance_extension = instance_names,
                                      .instance_extensions = 3,
                                      .device_extension = device_names,
                                      .device_extensions = 1,
                                      .features = &features,
                                      .queue = VK_QUEUE_GRAPHICS_BIT};
    struct vk_open gpu;
    CHECK(vk_open_instance(&gpu, &want));
    CHECK(vk_open_device(&gpu, &want));
    it.gpu = (struct vk_device){.instance = gpu.instance,
                                .physical = gpu.physical,
                                .device = gpu.device,
                                .queue = gpu.queue,
                                .family = gpu.family};
    it.gpu.begin_label =
        (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu.device, "vkCmdBeginDebugUtilsLabelEXT");
    it.gpu.end_label =
        (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(gpu.device, "vkCmdEndDebugUtilsLabelEXT");
}

static void
open_window(void)
{
    it.display = XOpenDisplay(NULL);
    if (!it.display)
        exit(77);
    Window window = XCreateSimpleWindow(it.display, DefaultRootWindow(it.display), 0, 0, PLANTED_SIZE,
                                        PLANTED_SIZE, 0, 0, 0);
    XMapWindow(it.display, window);
    XSync(it.display, False);
    const VkXlibSurfaceCreateInfoKHR xlib = {
        .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, .dpy = it.display, .window = window};
    PFN_vkCreateXlibSurfaceKHR create =
        (PFN_vkCreateXlibSurfaceKHR)vkGetInstanceProcAddr(it.gpu.instance, "vkCreateXlibSurfaceKHR");
    CHECK(create(it.gpu.instance, &xlib, NULL, &it.surface));
    VkBool32 supported = VK_FALSE;
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(it.gpu.physical, it.gpu.family, it.surface, &supported));
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = it.surface,
        .minImageCount = 3,
        .imageFormat = format,
        .imageExtent = {PLANTED_SIZE, PLANTED_SIZE},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_IMMEDIATE_KHR,
    };
    CHECK(vkCreateSwapchainKHR(it.gpu.device, &info, NULL, &it.swapchain));
    it.images = IMAGES;
    CHECK(vkGetSwapchainImagesKHR(it.gpu.device, it.swapchain, &it.images, it.image));
    for (uint32_t i = 0; i < it.images; i++) {
        const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                            .image = it.image[i],
                                            .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                            .format = format,
                                            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
        CHECK(vkCreateImageView(it.gpu.device, &view, NULL, &it.view[i]));
    }
}

static void
make_pipeline(VkPipeline *ret)
{
    const VkPipelineColorBlendAttachmentState blend = {
        .blendEnable = VK_TRUE,
        .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
        .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .colorWriteMask = 0xf,
    };
    const VkPipelineRenderingCreateInfo rendering = {.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    struct vk_graphics_want want = it.want;
    want.blend = &blend;
    want.rendering = &rendering;
    CHECK(vk_graphics_pipeline(it.gpu.device, &want, ret));
}

static void
make_objects(void)
{
    VkDevice device = it.gpu.device;
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkExtent2D size = {PLANTED_SIZE, PLANTED_SIZE};
    if (vk_image_init(&it.gpu, format, size, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &it.target) < 0 ||
        vk_buffer_init(&it.gpu, upload_bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, &it.from) < 0 ||
        vk_buffer_init(&it.gpu, upload_bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, &it.to) < 0)
        exit(1);
    it.want.size = PLANTED_SIZE;
    CHECK(vkCreatePipelineLayout(device, &layout, NULL, &it.want.layout));
    CHECK(vk_shader_module(device, planted_vert, sizeof(planted_vert), &it.want.vertex));
    CHECK(vk_shader_module(device, planted_frag, sizeof(planted_frag), &it.want.fragment));
    make_pipeline(&it.pipeline);
    CHECK(vkCreateSemaphore(device, &semaphore, NULL, &it.acquired));
    CHECK(vkCreateSemaphore(device, &semaphore, NULL, &it.rendered));
    CHECK(vkCreateFence(device, &fence, NULL, &it.fence));
    CHECK(vk_command_pool(device, it.gpu.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &it.pool));
    CHECK(vk_command_buffers(device, it.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &it.commands));
}

static void
to_layout(VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask =
                                              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .image = image,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(it.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 0, NULL, 0, NULL, 1, &barrier);
}

static void
draw_pass(VkImage image, VkImageView view, const char *name, int draws)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {PLANTED_SIZE, PLANTED_SIZE}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color};
    to_layout(image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    it.gpu.begin_label(it.commands, &label);
    vkCmdBeginRendering(it.commands, &info);
    vkCmdBindPipeline(it.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it.pipeline);
    while (draws-- > 0)
        vkCmdDraw(it.commands, 3, 1, 0, 0);
    vkCmdEndRendering(it.commands);
    it.gpu.end_label(it.commands);
}

static void
record(const struct planted *planted, unsigned frame, uint32_t image)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkBufferCopy copy = {.size = upload_bytes};
    int uploads = planted_ms(planted, frame, PLANTED_UPLOADS) ? PLANTED_UPLOADS_MORE : 1;
    int more = planted_ms(planted, frame, PLANTED_DRAWS) ? PLANTED_COUNT : 0;
    CHECK(vkBeginCommandBuffer(it.commands, &begin));
    while (uploads-- > 0)
        vkCmdCopyBuffer(it.commands, it.from.buffer, it.to.buffer, 1, &copy);
    draw_pass(it.target.image, it.target.view, "shadows", PLANTED_DRAWS_USUAL + more);
    draw_pass(it.image[image], it.view[image], "scene", PLANTED_DRAWS_USUAL);
    if (planted_ms(planted, frame, PLANTED_STREAM))
        draw_pass(it.target.image, it.target.view, "stream", PLANTED_COUNT);
    to_layout(it.image[image], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    CHECK(vkEndCommandBuffer(it.commands));
}

/* Submit the commands, wait for them, and present. */
static void
show(uint32_t image, bool polls)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo batch = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .waitSemaphoreCount = 1,
                                .pWaitSemaphores = &it.acquired,
                                .pWaitDstStageMask = &stage,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &it.commands,
                                .signalSemaphoreCount = 1,
                                .pSignalSemaphores = &it.rendered};
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &it.rendered,
                                   .swapchainCount = 1,
                                   .pSwapchains = &it.swapchain,
                                   .pImageIndices = &image};
    CHECK(vkQueueSubmit(it.gpu.queue, 1, &batch, it.fence));
    while (polls && vkGetFenceStatus(it.gpu.device, it.fence) == VK_NOT_READY)
        ;
    CHECK(vkWaitForFences(it.gpu.device, 1, &it.fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(it.gpu.device, 1, &it.fence));
    CHECK(vkQueuePresentKHR(it.gpu.queue, &info));
}

static void
draw_frame(const struct planted *planted, unsigned frame)
{
    uint32_t image;
    unsigned long long pipelines = 0;
    planted_begin(planted, frame);
    while (planted_lasts(planted_ms(planted, frame, PLANTED_PIPELINES), &pipelines)) {
        VkPipeline pipeline;
        make_pipeline(&pipeline);
        vkDestroyPipeline(it.gpu.device, pipeline, NULL);
    }
    CHECK(
        vkAcquireNextImageKHR(it.gpu.device, it.swapchain, UINT64_MAX, it.acquired, VK_NULL_HANDLE, &image));
    record(planted, frame, image);
    show(image, planted_ms(planted, frame, PLANTED_POLLS) > 0);
}

static void
stop(void)
{
    VkDevice device = it.gpu.device;
    CHECK(vkDeviceWaitIdle(device));
    vkDestroyPipeline(device, it.pipeline, NULL);
    vkDestroyPipelineLayout(device, it.want.layout, NULL);
    vkDestroyShaderModule(device, it.want.vertex, NULL);
    vkDestroyShaderModule(device, it.want.fragment, NULL);
    for (uint32_t i = 0; i < it.images; i++)
        vkDestroyImageView(device, it.view[i], NULL);
    vk_image_finish(&it.gpu, &it.target);
    vk_buffer_finish(&it.gpu, &it.from);
    vk_buffer_finish(&it.gpu, &it.to);
    vkDestroySemaphore(device, it.acquired, NULL);
    vkDestroySemaphore(device, it.rendered, NULL);
    vkDestroyFence(device, it.fence, NULL);
    vkDestroyCommandPool(device, it.pool, NULL);
    vkDestroySwapchainKHR(device, it.swapchain, NULL);
    vkDestroySurfaceKHR(it.gpu.instance, it.surface, NULL);
    vk_device_finish(&it.gpu);
    XCloseDisplay(it.display);
}

int
main(int argc, char **argv)
{
    struct planted planted;
    if (!planted_read(&planted, argc, argv))
        return 2;
    open_device();
    open_window();
    make_objects();
    for (unsigned i = 0; i < planted.frames; i++)
        draw_frame(&planted, i);
    stop();
    return 0;
}
