/** @file
 * passprobe-sample-vk: the scene in Vulkan, without display. One submission is one frame. */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "samples/annotated.h"
#include "samples/options.h"
#include "samples/output.h"
#include "samples/vk_query.h"
#include "samples/vk_record.h"
#include "samples/vk_scene.h"

static int
submit(const struct vk_scene *scene, const struct vk_slot *slot)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &slot->commands,
    };
    const VkCommandBufferSubmitInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = slot->commands,
    };
    const VkSubmitInfo2 info2 = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .commandBufferInfoCount = 1,
        .pCommandBufferInfos = &commands,
    };
    VkQueue queue = scene->device.queue;
    if (scene->device.dynamic)
        return vk_failed(vkQueueSubmit2(queue, 1, &info2, slot->fence), "vkQueueSubmit2") ? -1 : 0;
    return vk_failed(vkQueueSubmit(queue, 1, &info, slot->fence), "vkQueueSubmit") ? -1 : 0;
}

/* Wait for the frame that a slot is working on, and take its results. */
static int
wait_for(const struct vk_scene *scene, const struct vk_slot *slot, struct vk_query *query)
{
    VkDevice device = scene->device.device;
    if (vk_failed(vkWaitForFences(device, 1, &slot->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences") ||
        vk_failed(vkResetFences(device, 1, &slot->fence), "vkResetFences"))
        return -1;
    return scene->options->query ? vk_query_read(scene, slot, query) : 0;
}

static int
draw_all(const struct vk_scene *scene, const struct scene_expected *name, struct vk_query *query)
{
    const struct options *options = scene->options;
    for (unsigned frame = 0; frame < options->frames; frame++) {
        const struct vk_slot *slot = &scene->slot[frame % VK_SLOTS];
        struct scene_uniforms uniforms;
        if (frame >= VK_SLOTS && wait_for(scene, slot, query) < 0)
            return -1;
        if (options->annotate)
            annotated_begin(frame);
        if ((frame < VK_SLOTS || options->rerecord) && vk_record(scene, slot, name) < 0)
            return -1;
        scene_uniforms(frame, &uniforms);
        memcpy(slot->uniforms.mapped, &uniforms, sizeof(uniforms));
        if (submit(scene, slot) < 0)
            return -1;
        if (options->annotate)
            annotated_end();
    }
    for (unsigned frame = options->frames < VK_SLOTS ? 0 : options->frames - VK_SLOTS;
         frame < options->frames; frame++)
        if (wait_for(scene, &scene->slot[frame % VK_SLOTS], query) < 0)
            return -1;
    return 0;
}

/* Counts of each draw and dispatch as JSON, one a line. */
static void
print_draws(const struct vk_query *query)
{
    printf("{\"draws\": [\n");
    for (int draw = 0; draw < VK_DRAWS; draw++) {
        printf(" {");
        for (int i = 0; i < SCENE_COUNTS; i++)
            printf("%s\"%s\": %" PRIu64, i > 0 ? ", " : "", scene_count_name[i], query->counted[draw][i]);
        printf(draw + 1 < VK_DRAWS ? "},\n" : "}\n");
    }
    printf("]}\n");
}

/* Print what the hand-written queries gave: counts to stdout, times to stderr. */
static int
report_queries(const struct vk_query *query, const struct options *options, const struct scene_report *report,
               struct scene_expected *pass)
{
    for (int i = 0; i < SCENE_PASSES; i++) {
        if (!options->draws)
            memcpy(pass[i].count, query->counted[i], sizeof(pass[i].count));
        if (options->times)
            fprintf(stderr, "%s: %.0f ns\n", pass[i].name, query->least_ns[i]);
    }
    if (options->draws)
        print_draws(query);
    else
        scene_print(stdout, report, pass);
    if (query->unequal)
        fprintf(stderr, "%s: counts differ from frame to frame\n", report->program);
    return query->unequal ? -1 : 0;
}

static int
run(const struct options *options, const struct scene_report *report, struct scene_expected *pass)
{
    struct vk_scene scene;
    struct vk_query query = {0};
    int err = vk_scene_init(&scene, options, report->program);
    if (err == 0)
        err = draw_all(&scene, pass, &query);
    if (err == 0 && options->query)
        err = report_queries(&query, options, report, pass);
    if (err == 0)
        err = output_frame(report->program, options,
                           scene.slot[(options->frames - 1) % VK_SLOTS].readback.mapped);
    vk_scene_finish(&scene);
    return err;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct scene_expected pass[SCENE_PASSES];
    setlocale(LC_ALL, "");
    int status = options_parse(OPTIONS_VULKAN, argc, argv, &options);
    if (status >= 0)
        return status;
    const struct scene_report report = {.program = "passprobe-sample-vk",
                                        .api = SCENE_VULKAN,
                                        .width = options.width,
                                        .height = options.height,
                                        .frames = options.frames,
                                        .labels = options.labels};
    if (options.query && options.secondary) {
        fprintf(stderr, "%s: --query needs inherited queries with --secondary; give only one of them\n",
                argv[0]);
        return 2;
    }
    scene_expect(report.api, false, options.width, options.height, pass);
    scene_expect_post_draws(options.post_draws, pass);
    if (options.expect)
        scene_print(stdout, &report, pass);
    else if (run(&options, &report, pass) < 0)
        return 1;
    return fflush(stdout) == 0 ? 0 : 1;
}
