/** @file
 * The case of the walk about brackets that meet: two passes in a command buffer, with something or nothing
 * between them. Each command buffer is a submission with a label of its own. test_fake.py knows how long each
 * command takes on the fake driver, so it sees how many timestamps passprobe wrote. */
#include "tests/vulkan/walk/walk.h"

/** What the command buffers need besides the walk. */
struct meets {
    struct walk *walk;
    VkEvent event;
    VkQueryPool pool;
};

static void
begin_pass(struct meets *meets, VkCommandBuffer commands)
{
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = meets->walk->pass,
        .framebuffer = meets->walk->frame,
        .renderArea = {{0, 0}, {WALK_SIZE, WALK_SIZE}},
        .clearValueCount = 1,
        .pClearValues = &(VkClearValue){.color = {{0, 0, 0, 1}}},
    };
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, meets->walk->draw);
}

/** A pass without a barrier in front of it. */
static void
pass(struct meets *meets, VkCommandBuffer commands, uint32_t draws)
{
    begin_pass(meets, commands);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

static void
nothing(struct meets *meets, VkCommandBuffer commands)
{
    (void)meets;
    (void)commands;
}

static void
state(struct meets *meets, VkCommandBuffer commands)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, meets->walk->draw);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, meets->walk->compute);
}

static void
barrier(struct meets *meets, VkCommandBuffer commands)
{
    (void)meets;
    walk_barrier(commands);
}

static void
set_event(struct meets *meets, VkCommandBuffer commands)
{
    vkCmdSetEvent(commands, meets->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

static void
wait_event(struct meets *meets, VkCommandBuffer commands)
{
    vkCmdWaitEvents(commands, 1, &meets->event, VK_PIPELINE_STAGE_HOST_BIT,
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
}

static void
app_timestamp(struct meets *meets, VkCommandBuffer commands)
{
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, meets->pool, 0);
}

static void
dispatches(struct meets *meets, VkCommandBuffer commands)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, meets->walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, meets->walk->compute_layout, 0, 1,
                            &meets->walk->set, 0, NULL);
    for (int i = 0; i < 2; i++)
        vkCmdDispatch(commands, 4, 1, 1);
}

/** Commands between the two passes; labels of their command buffers. */
static const struct {
    const char *label;
    void (*record)(struct meets *meets, VkCommandBuffer commands);
} between[] = {
    {"nothing", nothing},       {"state", state},           {"barrier", barrier},
    {"set event", set_event},   {"wait event", wait_event}, {"app timestamp", app_timestamp},
    {"dispatches", dispatches},
};

/** Passes of three and one draws; the second pass follows at once. */
static void
several_draws(struct meets *meets, VkCommandBuffer commands)
{
    begin_pass(meets, commands);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, meets->walk->draw);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    pass(meets, commands, 1);
}

void
walk_cases_meets(struct walk *walk)
{
    const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    const VkQueryPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 1};
    struct meets meets = {.walk = walk};
    WALK_CHECK(vkCreateEvent(walk->device, &event, NULL, &meets.event));
    WALK_CHECK(vkSetEvent(walk->device, meets.event));
    WALK_CHECK(vkCreateQueryPool(walk->device, &pool, NULL, &meets.pool));
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, NULL);
    vkCmdResetQueryPool(commands, meets.pool, 0, 1);
    walk_end(NULL, commands);
    walk_submit(walk, 1, &commands);
    for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
        commands = walk_begin(walk, walk->pool, 0, NULL, between[i].label);
        pass(&meets, commands, 1);
        between[i].record(&meets, commands);
        pass(&meets, commands, 1);
        walk_end(walk, commands);
        walk_submit(walk, 1, &commands);
    }
    commands = walk_begin(walk, walk->pool, 0, NULL, "several draws");
    several_draws(&meets, commands);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
    vkDestroyQueryPool(walk->device, meets.pool, NULL);
    vkDestroyEvent(walk->device, meets.event, NULL);
}
