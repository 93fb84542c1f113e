/** @file
 * An application with two windows on one device: they present alternately, together, from two threads, are
 * resized, recreated, closed and opened again; and one that ends frames by pp_frame_end(). Each case labels
 * its actions with their window. usage: layer-windows CASE; X11 windows with WINDOWS_X11 in the environment,
 * else headless ones. */
#define VK_USE_PLATFORM_XLIB_KHR
#include <X11/Xlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "passprobe/annotate.h"
#include "samples/vk_open.h"

enum { WINDOWS = 2, IMAGES = 8, FRAMES = 6, MARKED = 5, NEVER = 300, SELDOM = 5, SEEN = 256 };

static const uint32_t size[WINDOWS] = {64, 96}, other_size[WINDOWS] = {80, 128};

#define CHECK(call) check((call), #call)

static void
check(VkResult result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "windows: %s: VkResult %d\n", what, (int)result);
    exit(1);
}

struct window {
    VkSurfaceKHR surface;
    Window x11;
    VkSwapchainKHR swapchain;
    VkImage image[IMAGES];
    VkImageView view[IMAGES];
    uint32_t images, index;
    VkSemaphore acquired, rendered;
    VkCommandPool pool;
};

struct app {
    Display *display;
    struct vk_open gpu;
    VkBuffer buffer;
    VkDeviceMemory memory;
    _Atomic(uint64_t) presents;
    VkImage seen[SEEN]; /**< of all swapchains so far */
    uint32_t seens, reused;
    pthread_mutex_t lock; /**< over the queue */
    struct window window[WINDOWS];
};

static void
open_instance(struct app *app, bool labels)
{
    const char *names[3] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                            VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    if (getenv("WINDOWS_X11")) {
        names[1] = VK_KHR_XLIB_SURFACE_EXTENSION_NAME;
        XInitThreads();
        app->display = XOpenDisplay(NULL);
        if (!app->display)
            exit(77);
    }
    const struct vk_open_want want = {
        .version = VK_API_VERSION_1_3, .instance_extension = names, .instance_extensions = labels ? 3 : 2};
    CHECK(vk_open_instance(&app->gpu, &want));
}

static void
open_device(struct app *app)
{
    const char *const name[4] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_PRESENT_ID_EXTENSION_NAME,
                                 VK_KHR_PRESENT_WAIT_EXTENSION_NAME, VK_EXT_DEBUG_MARKER_EXTENSION_NAME};
    const VkPhysicalDeviceVulkan13Features v13 = {.sType =
                                                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                  .dynamicRendering = VK_TRUE,
                                                  .synchronization2 = VK_TRUE};
    const struct vk_open_want want = {
        .device_extension = name, .device_extensions = app->display ? 1 : 4, .features = &v13};
    CHECK(vk_open_device(&app->gpu, &want));
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = 4096,
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    CHECK(vkCreateBuffer(app->gpu.device, &buffer, NULL, &app->buffer));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(app->gpu.device, app->buffer, &need);
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = (uint32_t)__builtin_ctz(need.memoryTypeBits),
    };
    CHECK(vkAllocateMemory(app->gpu.device, &allocate, NULL, &app->memory));
    CHECK(vkBindBufferMemory(app->gpu.device, app->buffer, app->memory, 0));
}

static VkSurfaceKHR
make_surface(struct app *app, uint32_t pixels, Window *ret_window)
{
    VkSurfaceKHR surface;
    if (!app->display) {
        const VkHeadlessSurfaceCreateInfoEXT info = {.sType =
                                                         VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
        PFN_vkCreateHeadlessSurfaceEXT create = (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(
            app->gpu.instance, "vkCreateHeadlessSurfaceEXT");
        CHECK(create(app->gpu.instance, &info, NULL, &surface));
        return surface;
    }
    Window window =
        XCreateSimpleWindow(app->display, DefaultRootWindow(app->display), 0, 0, pixels, pixels, 0, 0, 0);
    *ret_window = window;
    XMapWindow(app->display, window);
    XSync(app->display, False);
    const VkXlibSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, .dpy = app->display, .window = window};
    PFN_vkCreateXlibSurfaceKHR create =
        (PFN_vkCreateXlibSurfaceKHR)vkGetInstanceProcAddr(app->gpu.instance, "vkCreateXlibSurfaceKHR");
    CHECK(create(app->gpu.instance, &info, NULL, &surface));
    return surface;
}

/** Does an image have the handle of an image that was destroyed? */
static void
look_at_image(struct app *app, VkImage image)
{
    for (uint32_t i = 0; i < app->seens; i++)
        if (app->seen[i] == image) {
            app->reused++;
            return;
        }
    if (app->seens < SEEN)
        app->seen[app->seens++] = image;
}

static void
open_images(struct app *app, struct window *w)
{
    uint32_t two = 2;
    w->images = IMAGES;
    CHECK(vkGetSwapchainImagesKHR(app->gpu.device, w->swapchain, &two, w->image));
    CHECK(vkGetSwapchainImagesKHR(app->gpu.device, w->swapchain, &w->images, w->image));
    for (uint32_t i = 0; i < w->images; i++)
        look_at_image(app, w->image[i]);
    for (uint32_t i = 0; i < w->images; i++) {
        const VkImageViewCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
            .image = w->image[i],
            .viewType = VK_IMAGE_VIEW_TYPE_2D,
            .format = VK_FORMAT_B8G8R8A8_UNORM,
            .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
        };
        CHECK(vkCreateImageView(app->gpu.device, &info, NULL, &w->view[i]));
    }
}

static void
open_swapchain(struct app *app, struct window *w, uint32_t pixels, VkSwapchainKHR old)
{
    if (app->display) {
        XResizeWindow(app->display, w->x11, pixels, pixels);
        XSync(app->display, False);
    }
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = w->surface,
        .minImageCount = 3,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageExtent = {pixels, pixels},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .oldSwapchain = old,
    };
    CHECK(vkCreateSwapchainKHR(app->gpu.device, &info, NULL, &w->swapchain));
}

static void
close_swapchain(struct app *app, struct window *w)
{
    CHECK(vkDeviceWaitIdle(app->gpu.device));
    for (uint32_t i = 0; i < w->images; i++)
        vkDestroyImageView(app->gpu.device, w->view[i], NULL);
    vkDestroySwapchainKHR(app->gpu.device, w->swapchain, NULL);
}

static void
open_window(struct app *app, uint32_t number)
{
    struct window *w = &app->window[number];
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkBool32 supported = VK_FALSE;
    w->surface = make_surface(app, size[number], &w->x11);
    CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(app->gpu.physical, 0, w->surface, &supported));
    open_swapchain(app, w, size[number], VK_NULL_HANDLE);
    open_images(app, w);
    CHECK(vkCreateSemaphore(app->gpu.device, &semaphore, NULL, &w->acquired));
    CHECK(vkCreateSemaphore(app->gpu.device, &semaphore, NULL, &w->rendered));
    CHECK(vk_command_pool(app->gpu.device, 0, 0, &w->pool));
}

static void
close_window(struct app *app, struct window *w)
{
    close_swapchain(app, w);
    vkDestroySurfaceKHR(app->gpu.instance, w->surface, NULL);
    vkDestroySemaphore(app->gpu.device, w->acquired, NULL);
    vkDestroySemaphore(app->gpu.device, w->rendered, NULL);
    vkDestroyCommandPool(app->gpu.device, w->pool, NULL);
    memset(w, 0, sizeof(*w));
}

/** By a new swapchain that is made of the old one, or when that is gone. */
static void
resize(struct app *app, uint32_t number, uint32_t pixels, bool from_old)
{
    struct window *w = &app->window[number], before = *w;
    if (!from_old) {
        close_swapchain(app, w);
        open_swapchain(app, w, pixels, VK_NULL_HANDLE);
    } else {
        open_swapchain(app, w, pixels, before.swapchain);
        close_swapchain(app, &before);
    }
    open_images(app, w);
}

static VkCommandBuffer
begin(struct app *app, const struct window *w, const char *label)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
    VkCommandBuffer commands;
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(
        app->gpu.device, "vkCmdBeginDebugUtilsLabelEXT");
    CHECK(vk_command_buffers(app->gpu.device, w->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &commands));
    CHECK(vkBeginCommandBuffer(commands, &info));
    begin_label(commands, &text);
    return commands;
}

static void
end(const struct app *app, VkCommandBuffer commands)
{
    PFN_vkCmdEndDebugUtilsLabelEXT end_label =
        (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetDeviceProcAddr(app->gpu.device, "vkCmdEndDebugUtilsLabelEXT");
    end_label(commands);
    CHECK(vkEndCommandBuffer(commands));
}

static void
to_layout(VkCommandBuffer commands, const struct window *w, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .image = w->image[w->index],
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &barrier);
}

/** Clear the window's image in @p passes render passes, or if that is 0 by a transfer. */
static VkCommandBuffer
render(struct app *app, struct window *w, const char *label, uint32_t passes)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    const VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = w->view[w->index],
        .imageLayout = general,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {size[0], size[0]}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const VkClearColorValue black = {{0, 0, 0, 1}};
    VkCommandBuffer commands = begin(app, w, label);
    to_layout(commands, w, VK_IMAGE_LAYOUT_UNDEFINED, general);
    for (uint32_t i = 0; i < passes; i++) {
        vkCmdBeginRendering(commands, &info);
        vkCmdEndRendering(commands);
        to_layout(commands, w, general, general);
    }
    if (passes == 0)
        vkCmdClearColorImage(commands, w->image[w->index], general, &black, 1, &range);
    to_layout(commands, w, general, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    end(app, commands);
    return commands;
}

static VkCommandBuffer
prepare(struct app *app, const struct window *w, const char *label)
{
    VkCommandBuffer commands = begin(app, w, label);
    vkCmdFillBuffer(commands, app->buffer, 0, 64, 0);
    end(app, commands);
    return commands;
}

static void
acquire(struct app *app, struct window *w)
{
    CHECK(vkAcquireNextImageKHR(app->gpu.device, w->swapchain, UINT64_MAX, w->acquired, VK_NULL_HANDLE,
                                &w->index));
}

/** Submit, waiting for the images of @p count windows from @p w on. */
static void
submit(struct app *app, uint32_t buffers, const VkCommandBuffer *commands, uint32_t count,
       const struct window *w)
{
    const VkPipelineStageFlags stage[WINDOWS] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    VkSemaphore wait[WINDOWS], signal[WINDOWS];
    for (uint32_t i = 0; i < count; i++) {
        wait[i] = w[i].acquired;
        signal[i] = w[i].rendered;
    }
    const VkSubmitInfo batch = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = count,
        .pWaitSemaphores = wait,
        .pWaitDstStageMask = stage,
        .commandBufferCount = buffers,
        .pCommandBuffers = commands,
        .signalSemaphoreCount = count,
        .pSignalSemaphores = signal,
    };
    pthread_mutex_lock(&app->lock);
    CHECK(vkQueueSubmit(app->gpu.queue, 1, &batch, VK_NULL_HANDLE));
    pthread_mutex_unlock(&app->lock);
}

static void
present(struct app *app, uint32_t count, const struct window *w)
{
    VkSwapchainKHR swapchain[WINDOWS];
    VkSemaphore wait[WINDOWS];
    uint32_t index[WINDOWS];
    for (uint32_t i = 0; i < count; i++) {
        swapchain[i] = w[i].swapchain;
        wait[i] = w[i].rendered;
        index[i] = w[i].index;
    }
    const uint64_t number = atomic_fetch_add(&app->presents, 1) + 1;
    const uint64_t id[WINDOWS] = {number, number};
    const VkPresentIdKHR ids = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = count, .pPresentIds = id};
    const VkPresentInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .pNext = app->display ? NULL : &ids,
        .waitSemaphoreCount = count,
        .pWaitSemaphores = wait,
        .swapchainCount = count,
        .pSwapchains = swapchain,
        .pImageIndices = index,
    };
    pthread_mutex_lock(&app->lock);
    CHECK(vkQueuePresentKHR(app->gpu.queue, &info));
    CHECK(vkQueueWaitIdle(app->gpu.queue));
    if (!app->display) {
        PFN_vkWaitForPresentKHR wait_for =
            (PFN_vkWaitForPresentKHR)vkGetDeviceProcAddr(app->gpu.device, "vkWaitForPresentKHR");
        if (wait_for(app->gpu.device, w->swapchain, id[0], 0) != VK_SUCCESS ||
            wait_for(app->gpu.device, w->swapchain, id[0] + 1, 0) != VK_TIMEOUT)
            fprintf(stderr, "windows: VIOLATION: ids of presents were changed\n");
    }
    pthread_mutex_unlock(&app->lock);
}

/** A frame of one window: actions that no image assigns to it, then @p passes passes to the window's image.
 */
static void
frame(struct app *app, uint32_t number, uint32_t passes, bool early)
{
    static const char *const label[WINDOWS][2] = {{"before 0", "window 0"}, {"before 1", "window 1"}};
    struct window *w = &app->window[number];
    VkCommandBuffer commands[2];
    commands[0] = prepare(app, w, label[number][0]);
    if (early)
        submit(app, 1, commands, 0, NULL);
    acquire(app, w);
    if (!early)
        submit(app, 1, commands, 0, NULL);
    commands[1] = render(app, w, label[number][1], passes);
    submit(app, 1, &commands[1], 1, w);
    present(app, 1, w);
}

static void
alternate(struct app *app, uint32_t passes, bool early)
{
    for (int i = 0; i < FRAMES; i++) {
        frame(app, 0, passes, early);
        frame(app, 1, 2 * passes, early);
    }
}

/** Both in one submission and one present. */
static void
together(struct app *app)
{
    for (int i = 0; i < FRAMES; i++) {
        acquire(app, &app->window[0]);
        acquire(app, &app->window[1]);
        const VkCommandBuffer commands[3] = {render(app, &app->window[0], "window 0", 1),
                                             prepare(app, &app->window[0], "before 0"),
                                             render(app, &app->window[1], "window 1", 2)};
        submit(app, 3, commands, 2, app->window);
        present(app, 2, app->window);
    }
}

struct painter {
    struct app *app;
    uint32_t number;
};

static void *
paint(void *argument)
{
    const struct painter *painter = argument;
    for (int i = 0; i < FRAMES; i++)
        frame(painter->app, painter->number, painter->number + 1, false);
    return NULL;
}

/** A thread for each window. Their calls come in every order, so images are acquired before actions. */
static void
threads(struct app *app)
{
    struct painter painter[WINDOWS] = {{app, 0}, {app, 1}};
    pthread_t thread[WINDOWS];
    for (int i = 0; i < WINDOWS; i++)
        if (pthread_create(&thread[i], NULL, paint, &painter[i]) != 0)
            exit(1);
    for (int i = 0; i < WINDOWS; i++)
        pthread_join(thread[i], NULL);
}

/** The second window is closed and another one opened. */
static void
reopened(struct app *app)
{
    alternate(app, 1, false);
    close_window(app, &app->window[1]);
    open_window(app, 1);
    alternate(app, 1, false);
}

/** Either way to make it larger and smaller, four times. */
static void
resized(struct app *app)
{
    alternate(app, 1, true);
    for (uint32_t i = 0; i < 4; i++) {
        resize(app, 0, i % 2 == 0 ? other_size[0] : size[0], i >= 2);
        resize(app, 1, i % 2 == 0 ? other_size[1] : size[1], i < 2);
        alternate(app, 1, true);
    }
}

/** Both swapchains go, and come again in either order; then one alone, while the other one goes on. */
static void
recreated(struct app *app)
{
    alternate(app, 1, false);
    for (uint32_t first = 0; first < WINDOWS; first++) {
        for (uint32_t i = 0; i < WINDOWS; i++)
            close_swapchain(app, &app->window[i]);
        for (uint32_t i = 0; i < WINDOWS; i++) {
            uint32_t number = i == 0 ? first : 1 - first;
            open_swapchain(app, &app->window[number], size[number], VK_NULL_HANDLE);
            open_images(app, &app->window[number]);
        }
        alternate(app, 1, false);
    }
    close_swapchain(app, &app->window[1]);
    for (int i = 0; i < FRAMES; i++)
        frame(app, 0, 1, true);
    open_swapchain(app, &app->window[1], size[1], VK_NULL_HANDLE);
    open_images(app, &app->window[1]);
    alternate(app, 1, false);
}

/** One window is closed, the other one continues and is resized; then a new one is opened. */
static void
another(struct app *app, uint32_t gone)
{
    alternate(app, 1, true);
    close_window(app, &app->window[gone]);
    for (int i = 0; i < FRAMES; i++)
        frame(app, 1 - gone, 2 - gone, true);
    resize(app, 1 - gone, other_size[1 - gone], false);
    for (int i = 0; i < FRAMES; i++)
        frame(app, 1 - gone, 2 - gone, true);
    open_window(app, gone);
    alternate(app, 1, false);
}

/** Windows that nothing is presented to: submissions are frames. */
static void
never(struct app *app, int submissions)
{
    for (int i = 0; i < submissions; i++) {
        VkCommandBuffer commands = prepare(app, &app->window[0], "never");
        submit(app, 1, &commands, 0, NULL);
        CHECK(vkQueueWaitIdle(app->gpu.queue));
    }
}

/** Submissions before there is a window. */
static void
load(struct app *app)
{
    CHECK(vk_command_pool(app->gpu.device, 0, 0, &app->window[0].pool));
    never(app, NEVER);
    vkDestroyCommandPool(app->gpu.device, app->window[0].pool, NULL);
}

/** Frames of two submissions each that end where the application says so. */
static void
marks(struct app *app)
{
    for (int i = 0; i < MARKED; i++) {
        VkCommandBuffer commands[2] = {prepare(app, &app->window[0], "first"),
                                       prepare(app, &app->window[0], "last")};
        pp_counter_set("mark", i);
        submit(app, 1, &commands[0], 0, NULL);
        submit(app, 1, &commands[1], 0, NULL);
        CHECK(vkQueueWaitIdle(app->gpu.queue));
        pp_frame_end();
    }
}

/** Labels of VK_EXT_debug_marker; and a command that is newer than any registry. */
static void
old_and_new(struct app *app)
{
#define LOAD(function)                                                                                       \
    PFN_##function function = (PFN_##function)vkGetDeviceProcAddr(app->gpu.device, #function)
    LOAD(vkCmdDebugMarkerBeginEXT);
    LOAD(vkCmdDebugMarkerEndEXT);
    LOAD(vkCmdDebugMarkerInsertEXT);
    VkDebugMarkerMarkerInfoEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT,
                                       .pMarkerName = "old"};
    VkCommandBuffer commands = begin(app, &app->window[0], "outer");
    vkCmdDebugMarkerBeginEXT(commands, &text);
    vkCmdFillBuffer(commands, app->buffer, 0, 64, 0);
    vkCmdDebugMarkerEndEXT(commands);
    text.pMarkerName = "old mark";
    vkCmdDebugMarkerInsertEXT(commands, &text);
    vkCmdFillBuffer(commands, app->buffer, 0, 64, 0);
    end(app, commands);
    submit(app, 1, &commands, 0, NULL);
    CHECK(vkQueueWaitIdle(app->gpu.queue));
    uint64_t(VKAPI_PTR * newer)(VkDevice, uint64_t) =
        (uint64_t(VKAPI_PTR *)(VkDevice, uint64_t))vkGetDeviceProcAddr(app->gpu.device, "vkNewerCommandFAKE");
    printf("newer: %d\n", newer ? (int)newer(app->gpu.device, 21) : 0);
    printf("unknown: %d\n", vkGetDeviceProcAddr(app->gpu.device, "vkNobodyHasThis") != NULL);
}

/** The loader gives out commands whose extension was not enabled, and libplacebo uses them. */
static void
name_late(struct app *app)
{
    const VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                .objectType = VK_OBJECT_TYPE_BUFFER,
                                                .objectHandle = (uint64_t)app->buffer,
                                                .pObjectName = "late"};
    PFN_vkSetDebugUtilsObjectNameEXT name_object = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(
        app->gpu.device, "vkSetDebugUtilsObjectNameEXT");
    printf("offered: %d\n", name_object != NULL);
    if (name_object)
        printf("named: %d\n", (int)name_object(app->gpu.device, &info));
}

int
main(int argc, char **argv)
{
    static struct app app = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const char *name = argc > 1 ? argv[1] : "";
    bool late = strcmp(name, "late") == 0;
    open_instance(&app, !late);
    open_device(&app);
    bool seldom = strcmp(name, "seldom") == 0;
    bool none = seldom || strcmp(name, "never") == 0 || strcmp(name, "marks") == 0 ||
                strcmp(name, "old") == 0 || late;
    if (none)
        CHECK(vk_command_pool(app.gpu.device, 0, 0, &app.window[0].pool));
    bool loading = strcmp(name, "loads") == 0;
    if (loading)
        load(&app);
    for (uint32_t i = 0; i < WINDOWS && !none; i++)
        open_window(&app, i);
    for (int i = 0; i < FRAMES && loading; i++)
        frame(&app, 0, 1, true);
    if (strcmp(name, "alternate") == 0)
        alternate(&app, 1, true);
    else if (strcmp(name, "transfer") == 0)
        alternate(&app, 0, false);
    else if (strcmp(name, "together") == 0)
        together(&app);
    else if (strcmp(name, "threads") == 0)
        threads(&app);
    else if (strcmp(name, "reopened") == 0)
        reopened(&app);
    else if (strcmp(name, "resized") == 0)
        resized(&app);
    else if (strcmp(name, "recreated") == 0)
        recreated(&app);
    else if (strcmp(name, "first") == 0)
        another(&app, 0);
    else if (strcmp(name, "second") == 0)
        another(&app, 1);
    else if (strcmp(name, "never") == 0)
        never(&app, NEVER);
    else if (seldom)
        never(&app, SELDOM);
    else if (strcmp(name, "marks") == 0)
        marks(&app);
    else if (strcmp(name, "old") == 0)
        old_and_new(&app);
    else if (late)
        name_late(&app);
    for (uint32_t i = 0; i < WINDOWS && !none; i++)
        close_window(&app, &app.window[i]);
    if (none)
        vkDestroyCommandPool(app.gpu.device, app.window[0].pool, NULL);
    if (getenv("WINDOWS_REUSED"))
        printf("reused: %d\n", app.reused > 0);
    vkDestroyBuffer(app.gpu.device, app.buffer, NULL);
    vkFreeMemory(app.gpu.device, app.memory, NULL);
    vk_close(&app.gpu);
    if (app.display)
        XCloseDisplay(app.display);
    return 0;
}
