/** @file
 * passprobe-load-vk: many tiny draws in each frame of Vulkan, without display; the call-bound load. One
 * command buffer and one submission for each frame, two frames in flight. With --threads, threads only
 * record, each into its own command buffer: the figure shows what shared data costs them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/load.h"
#include "bench/load_vk_perf.h"
#include "bench/load_vk_work.h"
#include "bench_spirv.h"
#include "samples/vk_device.h"
#include "samples/vk_graphics.h"
#include "samples/vk_open.h"

#define SLOTS 2

struct slot {
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool times, counts, perf;
};

struct load {
    const struct load_options *options;
    struct vk_device device;
    struct vk_image image;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    struct load_work work;
    VkCommandPool pool;
    struct slot slot[SLOTS];
    uint64_t *times;                     /* results of the frame's timestamp queries */
    uint64_t (*counts)[LOAD_STATISTICS]; /* results of the frame's statistics queries */
    uint64_t sum;                        /* so that results are used */
};

static int
create_target(struct load *it)
{
    const VkExtent2D size = {LOAD_SIZE, LOAD_SIZE};
    const VkAttachmentDescription attachment = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    };
    const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &colour};
    /* passes follow each other on one image */
    const VkSubpassDependency dependency = {
        .srcSubpass = VK_SUBPASS_EXTERNAL,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
    };
    const VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 1,
        .pDependencies = &dependency,
    };
    VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .attachmentCount = 1,
        .width = LOAD_SIZE,
        .height = LOAD_SIZE,
        .layers = 1,
    };
    if (vk_image_init(&it->device, attachment.format, size, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, &it->image) <
            0 ||
        vk_failed(vkCreateRenderPass(it->device.device, &pass, NULL, &it->pass), "vkCreateRenderPass"))
        return -1;
    framebuffer.renderPass = it->pass;
    framebuffer.pAttachments = &it->image.view;
    return vk_failed(vkCreateFramebuffer(it->device.device, &framebuffer, NULL, &it->framebuffer),
                     "vkCreateFramebuffer")
               ? -1
               : 0;
}

static int
create_pipeline(struct load *it)
{
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkDevice device = it->device.device;
    struct vk_graphics_want want = {.pass = it->pass, .size = LOAD_SIZE};
    bool failed =
        vk_failed(vkCreatePipelineLayout(device, &layout, NULL, &it->layout), "vkCreatePipelineLayout") ||
        vk_failed(vk_shader_module(device, spirv_bench_vert, sizeof(spirv_bench_vert), &want.vertex),
                  "vkCreateShaderModule") ||
        vk_failed(vk_shader_module(device, spirv_bench_frag, sizeof(spirv_bench_frag), &want.fragment),
                  "vkCreateShaderModule");
    want.layout = it->layout;
    if (!failed)
        failed = vk_failed(vk_graphics_pipeline(device, &want, &it->pipeline), "vkCreateGraphicsPipelines");
    vkDestroyShaderModule(device, want.vertex, NULL);
    vkDestroyShaderModule(device, want.fragment, NULL);
    return failed ? -1 : 0;
}

/** A performance query for each pass. */
static bool
is_perf(const struct load_options *options)
{
    return options->query == LOAD_QUERY_KHR || options->query == LOAD_QUERY_OA;
}

static bool
has_queries(const struct load_options *options)
{
    return options->query != LOAD_QUERY_NONE && options->query != LOAD_QUERY_ALONE;
}

/** Does the load count each draw by hand? */
static bool
is_each(const struct load_options *options)
{
    return options->query == LOAD_QUERY_DRAW || options->query == LOAD_QUERY_DRAW_TIME ||
           options->query == LOAD_QUERY_DRAW_COUNT;
}

/** Does the load time each draw by hand? */
static bool
times_draws(const struct load_options *options)
{
    return options->query == LOAD_QUERY_DRAW || options->query == LOAD_QUERY_DRAW_TIME;
}

/** Are there timestamps by hand? */
static bool
has_times(const struct load_options *options)
{
    return has_queries(options) && (!is_perf(options) || options->times);
}

/** Are there statistics by hand, of passes or draws? */
static bool
has_counts(const struct load_options *options)
{
    return options->query == LOAD_QUERY_PASS || options->query == LOAD_QUERY_DRAW ||
           options->query == LOAD_QUERY_DRAW_COUNT;
}

/** Timestamp queries of a frame: two a pass, then two a draw. */
static uint32_t
times_of(const struct load_options *options)
{
    uint32_t passes = options->query == LOAD_QUERY_FRAME ? 1 : options->passes;
    return 2 * (passes + (times_draws(options) ? options->draws : 0));
}

/** Statistics queries of a frame. */
static uint32_t
counts_of(const struct load_options *options)
{
    return is_each(options) ? options->draws : options->passes;
}

static int
create_queries(struct load *it, struct slot *slot)
{
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = times_of(it->options),
    };
    VkDevice device = it->device.device;
    if (is_perf(it->options) &&
        load_vk_perf_create(&it->device, it->options->query == LOAD_QUERY_OA ? it->options->node : NULL,
                            &slot->perf) < 0)
        return -1;
    if (vk_failed(vkCreateQueryPool(device, &info, NULL, &slot->times), "vkCreateQueryPool"))
        return -1;
    if (!has_counts(it->options))
        return 0;
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.pipelineStatistics = (1U << LOAD_STATISTICS) - 1;
    info.queryCount = counts_of(it->options);
    return vk_failed(vkCreateQueryPool(device, &info, NULL, &slot->counts), "vkCreateQueryPool") ? -1 : 0;
}

static int
create_slots(struct load *it)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkDevice device = it->device.device;
    if (vk_failed(vk_command_pool(device, it->device.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                  &it->pool),
                  "vkCreateCommandPool"))
        return -1;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &it->slot[i];
        if (vk_failed(
                vk_command_buffers(device, it->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &slot->commands),
                "vkAllocateCommandBuffers") ||
            vk_failed(vkCreateFence(device, &fence, NULL, &slot->fence), "vkCreateFence") ||
            (has_queries(it->options) && create_queries(it, slot) < 0))
            return -1;
    }
    return 0;
}

static void
query_begin(const struct load *it, const struct slot *slot, uint32_t pass)
{
    if (is_perf(it->options))
        vkCmdBeginQuery(slot->commands, slot->perf, pass, 0);
    if (has_times(it->options))
        vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, slot->times, 2 * pass);
    if (it->options->query == LOAD_QUERY_PASS)
        vkCmdBeginQuery(slot->commands, slot->counts, pass, 0);
}

static void
query_end(const struct load *it, const struct slot *slot, uint32_t pass)
{
    if (it->options->query == LOAD_QUERY_PASS)
        vkCmdEndQuery(slot->commands, slot->counts, pass);
    if (has_times(it->options))
        vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->times, 2 * pass + 1);
    if (is_perf(it->options))
        vkCmdEndQuery(slot->commands, slot->perf, pass);
}

/** Record a draw, or in passes of the other kinds a dispatch or a copy. */
static void
record_piece(const struct load *it, const struct slot *slot, uint32_t pass)
{
    if (it->options->work)
        load_work_record(&it->work, slot->commands, pass % 2 != 0);
    else
        vkCmdDraw(slot->commands, 3, 1, 0, 0);
}

/** With --barriers: a barrier before each dispatch or copy except the first. */
static void
record_order(const struct load *it, const struct slot *slot, bool first)
{
    if (it->options->barriers && !first)
        load_work_barrier(slot->commands);
}

/** A barrier by hand, so that a begin timestamp is correct on lavapipe. */
static void
begin_barrier(const struct load *it, const struct slot *slot)
{
    if (it->options->begin_barrier)
        load_work_barrier(slot->commands);
}

/** Record dispatches and copies, each between its queries. */
static void
record_counted(const struct load *it, const struct slot *slot, uint32_t pass, unsigned draws)
{
    bool timed = times_draws(it->options), counted = has_counts(it->options);
    uint32_t query = 0;
    for (uint32_t before = 0; before < pass; before++)
        query += load_share(it->options, before);
    uint32_t time = 2 * (it->options->passes + query);
    for (unsigned i = 0; i < draws; i++, query++, time += 2) {
        record_order(it, slot, i == 0);
        if (timed)
            vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, slot->times, time);
        if (counted)
            vkCmdBeginQuery(slot->commands, slot->counts, query, 0);
        begin_barrier(it, slot);
        record_piece(it, slot, pass);
        if (timed)
            vkCmdWriteTimestamp(slot->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, slot->times, time + 1);
        if (counted)
            vkCmdEndQuery(slot->commands, slot->counts, query);
    }
}

static void
record_inside(const struct load *it, const struct slot *slot, uint32_t pass)
{
    unsigned draws = load_share(it->options, pass);
    if (is_each(it->options)) {
        record_counted(it, slot, pass, draws);
        return;
    }
    for (unsigned i = 0; i < draws; i++) {
        record_order(it, slot, i == 0);
        record_piece(it, slot, pass);
    }
}

static void
record_pass(const struct load *it, const struct slot *slot, uint32_t pass)
{
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = it->pass,
        .framebuffer = it->framebuffer,
        .renderArea = {.extent = {LOAD_SIZE, LOAD_SIZE}},
    };
    bool each = it->options->query >= LOAD_QUERY_PASS && has_queries(it->options), work = it->options->work;
    record_order(it, slot, pass == 0);
    if (each)
        query_begin(it, slot, pass);
    if (each && !is_each(it->options))
        begin_barrier(it, slot);
    if (!work) {
        vkCmdBeginRenderPass(slot->commands, &info, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(slot->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it->pipeline);
    }
    record_inside(it, slot, pass);
    if (!work)
        vkCmdEndRenderPass(slot->commands);
    if (each)
        query_end(it, slot, pass);
}

static int
record(const struct load *it, const struct slot *slot)
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = it->options->prerecorded || it->options->keepable
                     ? 0
                     : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    uint32_t passes = it->options->passes;
    if (vk_failed(vkBeginCommandBuffer(slot->commands, &info), "vkBeginCommandBuffer"))
        return -1;
    if (has_times(it->options))
        vkCmdResetQueryPool(slot->commands, slot->times, 0, times_of(it->options));
    if (has_counts(it->options))
        vkCmdResetQueryPool(slot->commands, slot->counts, 0, counts_of(it->options));
    if (it->options->query == LOAD_QUERY_FRAME)
        query_begin(it, slot, 0);
    for (uint32_t pass = 0; pass < passes; pass++)
        record_pass(it, slot, pass);
    if (it->options->query == LOAD_QUERY_FRAME)
        query_end(it, slot, 0);
    return vk_failed(vkEndCommandBuffer(slot->commands), "vkEndCommandBuffer") ? -1 : 0;
}

static void
read_queries(struct load *it, const struct slot *slot)
{
    uint64_t *time = it->times, (*count)[LOAD_STATISTICS] = it->counts;
    const VkQueryResultFlags flags = VK_QUERY_RESULT_64_BIT; /* the fence has signalled: no need to wait */
    uint32_t times = times_of(it->options), counts = counts_of(it->options);
    if (is_perf(it->options))
        it->sum += load_vk_perf_read(&it->device, slot->perf, it->options->passes);
    if (!has_times(it->options))
        return;
    (void)vkGetQueryPoolResults(it->device.device, slot->times, 0, times, times * sizeof(time[0]), time,
                                sizeof(time[0]), flags);
    it->sum += time[1] - time[0];
    if (!has_counts(it->options))
        return;
    (void)vkGetQueryPoolResults(it->device.device, slot->counts, 0, counts, counts * sizeof(count[0]), count,
                                sizeof(count[0]), flags);
    it->sum += count[0][0];
}

/** Submit each pass by itself and wait for it: then a tool can read counters of the whole GPU in between.
 */
static int
frame_alone(const struct load *it)
{
    const struct slot *slot = &it->slot[0];
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &slot->commands};
    VkDevice device = it->device.device;
    for (uint32_t pass = 0; pass < it->options->passes; pass++) {
        if (vk_failed(vkBeginCommandBuffer(slot->commands, &begin), "vkBeginCommandBuffer"))
            return -1;
        record_pass(it, slot, pass);
        if (vk_failed(vkEndCommandBuffer(slot->commands), "vkEndCommandBuffer") ||
            vk_failed(vkQueueSubmit(it->device.queue, 1, &info, slot->fence), "vkQueueSubmit") ||
            vk_failed(vkWaitForFences(device, 1, &slot->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences") ||
            vk_failed(vkResetFences(device, 1, &slot->fence), "vkResetFences"))
            return -1;
    }
    return 0;
}

static int
frame(struct load *it, unsigned number)
{
    const struct slot *slot = &it->slot[number % SLOTS];
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &slot->commands};
    VkDevice device = it->device.device;
    if (number >= SLOTS) {
        if (vk_failed(vkWaitForFences(device, 1, &slot->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences") ||
            vk_failed(vkResetFences(device, 1, &slot->fence), "vkResetFences"))
            return -1;
        if (has_queries(it->options))
            read_queries(it, slot);
    }
    if ((number < SLOTS || !it->options->prerecorded) && record(it, slot) < 0)
        return -1;
    if (is_perf(it->options))
        load_vk_perf_reset(&it->device, slot->perf, it->options->passes);
    return vk_failed(vkQueueSubmit(it->device.queue, 1, &info, slot->fence), "vkQueueSubmit") ? -1 : 0;
}

/** A thread that only records. */
struct recorder {
    struct load *it;
    pthread_t thread;
    VkCommandPool pool;
    struct slot slot;
    _Atomic(bool) *go, *stop;
    unsigned frames;
    uint64_t cpu_ns;
    bool failed;
};

static void *
record_loop(void *argument)
{
    struct recorder *me = argument;
    for (int i = 0; i < LOAD_WARM_UP && !me->failed; i++)
        me->failed = record(me->it, &me->slot) < 0;
    while (!atomic_load(me->go))
        usleep(100);
    uint64_t begin_ns = load_now_ns(CLOCK_THREAD_CPUTIME_ID);
    while (!me->failed && !atomic_load_explicit(me->stop, memory_order_relaxed)) {
        me->failed = record(me->it, &me->slot) < 0;
        me->frames++;
        if (me->it->options->frames != 0 && me->frames >= me->it->options->frames)
            break;
    }
    me->cpu_ns = load_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    return NULL;
}

static int
start_recorder(struct load *it, struct recorder *me)
{
    me->it = it;
    if (vk_failed(vk_command_pool(it->device.device, it->device.family,
                                  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &me->pool),
                  "vkCreateCommandPool"))
        return -1;
    if (vk_failed(vk_command_buffers(it->device.device, me->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1,
                                     &me->slot.commands),
                  "vkAllocateCommandBuffers"))
        return -1;
    return pthread_create(&me->thread, NULL, record_loop, me) == 0 ? 0 : -1;
}

/** All threads record until the time is over; prints nanoseconds of a draw of all threads together. */
static int
run_threads(struct load *it)
{
    static struct recorder recorder[LOAD_THREADS_MAX];
    static _Atomic(bool) go, stop;
    const struct load_options *options = it->options;
    uint64_t frames = 0, cpu_ns = 0;
    unsigned started = 0;
    bool failed = false;
    for (; started < options->threads && !failed; started += !failed) {
        recorder[started].go = &go;
        recorder[started].stop = &stop;
        failed = start_recorder(it, &recorder[started]) < 0;
    }
    uint64_t begin_ns = load_now_ns(CLOCK_MONOTONIC);
    atomic_store(&stop, failed);
    atomic_store(&go, true);
    if (options->frames == 0 && !failed)
        usleep((useconds_t)(options->seconds * 1e6));
    if (options->frames == 0)
        atomic_store(&stop, true);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(recorder[i].thread, NULL);
        frames += recorder[i].frames;
        cpu_ns += recorder[i].cpu_ns;
        failed = failed || recorder[i].failed;
    }
    uint64_t end_ns = load_now_ns(CLOCK_MONOTONIC);
    for (unsigned i = 0; i < options->threads; i++)
        vkDestroyCommandPool(it->device.device, recorder[i].pool, NULL);
    double draws = (double)frames * options->draws;
    if (!failed)
        printf("{\"threads\": %u, \"frames\": %llu, \"draws\": %u, \"ns_per_draw\": %.3f, "
               "\"cpu_ns_per_draw\": %.3f}\n",
               options->threads, (unsigned long long)frames, options->draws,
               (double)(end_ns - begin_ns) / draws, (double)cpu_ns / draws);
    return failed ? -1 : 0;
}

static void
finish(struct load *it)
{
    VkDevice device = it->device.device;
    if (device) {
        vkDeviceWaitIdle(device);
        for (int i = 0; i < SLOTS; i++) {
            vkDestroyFence(device, it->slot[i].fence, NULL);
            vkDestroyQueryPool(device, it->slot[i].times, NULL);
            vkDestroyQueryPool(device, it->slot[i].counts, NULL);
            vkDestroyQueryPool(device, it->slot[i].perf, NULL);
        }
        load_vk_perf_finish(&it->device);
        load_work_finish(&it->device, &it->work);
        vkDestroyCommandPool(device, it->pool, NULL);
        vkDestroyPipeline(device, it->pipeline, NULL);
        vkDestroyPipelineLayout(device, it->layout, NULL);
        vkDestroyFramebuffer(device, it->framebuffer, NULL);
        vkDestroyRenderPass(device, it->pass, NULL);
        vk_image_finish(&it->device, &it->image);
    }
    vk_device_finish(&it->device);
}

int
main(int argc, char **argv)
{
    static struct load load;
    struct load_options options;
    struct load_clock clock = {0};
    int status = load_parse(true, argc, argv, &options);
    if (status >= 0)
        return status;
    const struct vk_device_want want = {.program = "passprobe-load-vk",
                                        .statistics = has_counts(&options),
                                        .counters = options.query == LOAD_QUERY_KHR,
                                        .raw = options.query == LOAD_QUERY_OA};
    int err;
    load.options = &options;
    err = vk_device_init(&load.device, &want);
    if (err == 0 && options.work)
        err = load_work_init(&load.device, &load.work);
    if (err == 0 && (create_target(&load) < 0 || create_pipeline(&load) < 0 || create_slots(&load) < 0))
        err = -1;
    load.times = calloc(times_of(&options), sizeof(*load.times));
    load.counts = calloc(counts_of(&options), sizeof(*load.counts));
    if (!load.times || !load.counts)
        err = -1;
    if (err == 0 && options.threads > 0)
        err = run_threads(&load);
    while (err == 0 && options.threads == 0 && load_next(&clock, &options))
        err = options.query == LOAD_QUERY_ALONE ? frame_alone(&load) : frame(&load, clock.frame - 1);
    if (err == 0 && options.threads == 0)
        load_print(&clock, &options);
    if (load.sum == 1) /* never true; the compiler must not drop the results */
        fprintf(stderr, "one\n");
    finish(&load);
    free(load.times);
    free(load.counts);
    return err ? 1 : 0;
}
