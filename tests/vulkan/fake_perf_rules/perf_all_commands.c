/** @file
 * The layer of tests/fake/vk_perf knows every command of the registry: a command ends the application where
 * it is before or after a query of a whole command buffer (VUIDs 03224, 03227), or where such a command
 * is not allowed. There is no passprobe. gen_all_commands.py writes the calls, with zeroes for arguments;
 * none reaches the driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#include "samples/vk_open.h"
#include "tests/vulkan/programs/program.h"

enum place { INSIDE, OUTSIDE, BOTH };
enum { WHOLE = 11 }; /* the counter of tests/fake/vk_perf that has the scope of command buffers */

static struct every {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkCommandPool command_pool;
    VkCommandBuffer commands;
    VkBuffer buffer;
    VkQueryPool pool, whole;
    uint64_t zeroes[256];
} the;

/* The complaint about a breach, and where the application continues. */
static sigjmp_buf back;
static int said, stderr_fd;

static void
on_abort(int signal_number)
{
    (void)signal_number;
    siglongjmp(back, 1);
}

static int
open_all(struct every *it)
{
    static const uint32_t counter = WHOLE;
    static const char *const extension = VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME;
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .performanceCounterQueryPools = VK_TRUE};
    const struct vk_open_want want = {.version = VK_API_VERSION_1_3,
                                      .device_extension = &extension,
                                      .device_extensions = 1,
                                      .features = &perf};
    struct vk_open gpu;
    const VkQueryPoolPerformanceCreateInfoKHR counters = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = 1,
        .pCounterIndices = &counter};
    const VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .pNext = &counters,
                                           .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                           .queryCount = 2};
    const VkAcquireProfilingLockInfoKHR lock = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR};
    DO(vk_open_instance(&gpu, &want));
    DO(vk_open_device(&gpu, &want));
    it->instance = gpu.instance;
    it->physical = gpu.physical;
    it->device = gpu.device;
    DO(vk_command_pool(it->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &it->command_pool));
    DO(vk_command_buffers(it->device, it->command_pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &it->commands));
    DO(((PFN_vkAcquireProfilingLockKHR)vkGetDeviceProcAddr(it->device, "vkAcquireProfilingLockKHR"))(
        it->device, &lock));
    DO(vkCreateQueryPool(it->device, &queries, NULL, &it->whole));
    return 0;
}

static void
begin(struct every *it)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vkBeginCommandBuffer(it->commands, &info), VK_SUCCESS);
}

static void
begin_pass(struct every *it)
{
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .layerCount = 1};
    vkCmdBeginRendering(it->commands, &info);
}

static void
say_what_failed(const char *name, const char *where, const char *want)
{
    char text[500] = "nothing";
    ssize_t got = pread(said, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    (void)dup2(stderr_fd, STDERR_FILENO);
    fail_msg("%s %s: said was \"%s\", not \"%s\"", name, where, text, want);
}

static bool
was_said(const char *want)
{
    char text[500];
    ssize_t got = pread(said, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return strstr(text, "fake-perf: VIOLATION: ") && strstr(text, want);
}

/* Do the following calls end the application with these words? */
#define ENDS(name, where, want, ...)                                                                         \
    do {                                                                                                     \
        if (ftruncate(said, 0) != 0 || lseek(said, 0, SEEK_SET) != 0)                                        \
            fail();                                                                                          \
        if (sigsetjmp(back, 1) == 0) {                                                                       \
            __VA_ARGS__;                                                                                     \
            say_what_failed(name, where, want);                                                              \
        } else if (!was_said(want)) {                                                                        \
            say_what_failed(name, where, want);                                                              \
        }                                                                                                    \
    } while (0)

static void
listen(void)
{
    stderr_fd = dup(STDERR_FILENO);
    said = memfd_create("said", MFD_CLOEXEC);
    (void)signal(SIGABRT, on_abort);
    (void)dup2(said, STDERR_FILENO);
}

/* One test for each command by each of its names. */
#define EVERY(name, place, type, arguments)                                                                  \
    {                                                                                                        \
        type call = (type)vkGetDeviceProcAddr(it->device, name);                                             \
        if (call) {                                                                                          \
            commands++;                                                                                      \
            begin(it);                                                                                       \
            vkCmdBeginQuery(it->commands, it->whole, 0, 0);                                                  \
            vkCmdEndQuery(it->commands, it->whole, 0);                                                       \
            ENDS(name, "behind a query of the whole", "03227", call arguments);                              \
            begin(it);                                                                                       \
            if ((place) == OUTSIDE)                                                                          \
                begin_pass(it);                                                                              \
            if ((place) != BOTH)                                                                             \
                ENDS(name, "where it may not stand", "-renderpass", call arguments);                         \
            begin(it);                                                                                       \
            if ((place) != INSIDE)                                                                           \
                ENDS(name, "in front of a query of the whole", "03224", call arguments;                      \
                     vkCmdBeginQuery(it->commands, it->whole, 0, 0));                                        \
        }                                                                                                    \
    }

static void
every_command_has_its_place(void **state)
{
    struct every *it = &the;
    volatile uint32_t commands = 0; /* the checks jump */
    (void)state;
    listen();
#include "perf_all_commands.h"
    (void)dup2(stderr_fd, STDERR_FILENO);
    assert_true(commands > 180);
}

static void
host_resets_need_their_feature(void **state)
{
    (void)state;
    listen();
    ENDS("vkResetQueryPool", "without hostQueryReset", "02665",
         vkResetQueryPool(the.device, the.whole, 0, 1));
    (void)dup2(stderr_fd, STDERR_FILENO);
}

static void
rendering(VkRenderingFlags flags)
{
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .flags = flags, .layerCount = 1};
    vkCmdBeginRendering(the.commands, &info);
    vkCmdEndRendering(the.commands);
}

/* Submit in a child process: where the layer ends the application, it holds locks. */
static void
submission_says(const char *where, const char *want)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &the.commands};
    int status = 0;
    VkQueue queue;
    vkGetDeviceQueue(the.device, 0, 0, &queue);
    assert_int_equal(vkEndCommandBuffer(the.commands), VK_SUCCESS);
    assert_int_equal(ftruncate(said, 0), 0);
    (void)lseek(said, 0, SEEK_SET);
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGABRT, SIG_DFL);
        _exit(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (want ? !WIFSIGNALED(status) || !was_said(want) : status != 0)
        say_what_failed("a submission", where, want ? want : "nothing");
}

static void
put_between(uint32_t what)
{
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "it"};
    const VkViewport viewport = {.width = 1};
    if (what == 1)
        vkCmdPipelineBarrier(the.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
    if (what == 2)
        vkCmdWriteTimestamp(the.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, the.pool, 0);
    if (what == 3)
        vkCmdFillBuffer(the.commands, the.buffer, 0, 4, 0);
    if (what == 4)
        vkCmdBeginQuery(the.commands, the.pool, 0, 0);
    if (what == 5)
        vkCmdDispatch(the.commands, 1, 1, 1);
    if (what == 6)
        rendering(0);
    if (what == 7)
        vkCmdSetViewport(the.commands, 0, 1, &viewport);
    if (what == 8)
        ((PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetDeviceProcAddr(the.device, "vkCmdBeginDebugUtilsLabelEXT"))(
            the.commands, &label);
}

static void
nothing_acts_between_suspended_passes(void **state)
{
    (void)state;
    listen();
    for (uint32_t what = 0; what <= 8; what++) {
        static const char *const want[] = {NULL,    "06191", "06191", "06191", "06191",
                                           "06191", "06192", NULL,    NULL};
        begin(&the);
        rendering(VK_RENDERING_SUSPENDING_BIT);
        put_between(what);
        rendering(VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT);
        rendering(VK_RENDERING_RESUMING_BIT);
        submission_says("with something between", want[what]);
    }
    begin(&the);
    rendering(VK_RENDERING_SUSPENDING_BIT);
    submission_says("that resumes nothing", "06015");
    begin(&the);
    rendering(VK_RENDERING_RESUMING_BIT);
    submission_says("that resumes what is not suspended", "06016");
    (void)dup2(stderr_fd, STDERR_FILENO);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_its_place),
        cmocka_unit_test(host_resets_need_their_feature),
        cmocka_unit_test(nothing_acts_between_suspended_passes),
    };
    (void)argc;
    if (open_all(&the) != 0) {
        printf("%s: no driver\n", argv[0]);
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
