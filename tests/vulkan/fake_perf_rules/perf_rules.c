/** @file
 * The layer of tests/fake/vk_perf is strict: an application that breaks a rule of VK_KHR_performance_query or
 * VK_INTEL_performance_query ends with a message, one that keeps the rules gets results. This is a Vulkan
 * application without passprobe. A child process does each breach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vulkan/fake_perf_rules/perf_rules.h"

/* Breaches. */

static void
pool_without_counters(void)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = QUERIES};
    khr();
    (void)vkCreateQueryPool(vk.gpu.device, &info, NULL, &vk.query);
}

static void
pool_without_feature(void)
{
    feature = false;
    khr();
    (void)make_pool(0, VERTICES, NONE, NONE);
}

static void
pool_of_another_family(void)
{
    khr();
    (void)make_pool(1, VERTICES, NONE, NONE);
}

static void
pool_of_no_counter(void)
{
    khr();
    (void)make_pool(0, 77, NONE, NONE);
}

static void
pool_with_a_counter_twice(void)
{
    khr();
    (void)make_pool(0, VERTICES, VERTICES, NONE);
}

static void
feature_that_is_not_there(void)
{
    make_device(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, true);
}

static void
lock_twice(void)
{
    khr();
    lock();
    lock();
}

static void
lock_not_held_is_released(void)
{
    khr();
    DEVICE(ReleaseProfilingLockKHR)(vk.gpu.device);
}

static void
lock_after_the_buffer_began(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    khr();
    vk.query = make_pool(0, VERTICES, NONE, NONE);
    MUST(vkBeginCommandBuffer(vk.buffer, &info));
    lock();
    begin(0);
}

static void
lock_released_before_submission(void)
{
    recording(VERTICES);
    begin(0);
    end(0);
    MUST(vkEndCommandBuffer(vk.buffer));
    DEVICE(ReleaseProfilingLockKHR)(vk.gpu.device);
    lock();
    submit(0, false);
}

static void
lock_held_at_the_end(void)
{
    khr();
    lock();
    vkDestroyDevice(vk.gpu.device, NULL);
}

static void
pool_left_at_the_end(void)
{
    khr();
    (void)make_pool(0, VERTICES, NONE, NONE);
    vkDestroyDevice(vk.gpu.device, NULL);
}

static void
queries_nest(void)
{
    recording(VERTICES);
    begin(0);
    begin(1);
}

static void
query_ends_without_begin(void)
{
    recording(VERTICES);
    end(0);
}

static void
another_query_ends(void)
{
    recording(VERTICES);
    begin(0);
    end(1);
}

static void
query_out_of_range(void)
{
    recording(VERTICES);
    begin(QUERIES);
}

static void
query_is_precise(void)
{
    recording(VERTICES);
    vkCmdBeginQuery(vk.buffer, vk.query, 0, VK_QUERY_CONTROL_PRECISE_BIT);
}

static void
query_twice_in_a_buffer(void)
{
    recording(VERTICES);
    begin(0);
    end(0);
    begin(0);
}

static void
query_left_open(void)
{
    recording(VERTICES);
    begin(0);
    (void)vkEndCommandBuffer(vk.buffer);
}

static void
query_not_reset(void)
{
    measured();
    submit(0, false);
}

static void
query_reset_in_a_buffer(void)
{
    recording(VERTICES);
    vkCmdResetQueryPool(vk.buffer, vk.query, 0, 1);
}

static void
query_reset_in_use(void)
{
    submit_endless();
    vkResetQueryPool(vk.gpu.device, vk.query, 0, 1);
}

static void
pool_destroyed_in_use(void)
{
    submit_endless();
    vkDestroyQueryPool(vk.gpu.device, vk.query, NULL);
}

static void
results_never_reset(void)
{
    const uint32_t counter = VERTICES;
    const VkQueryPoolPerformanceCreateInfoKHR counters = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = 1,
        .pCounterIndices = &counter};
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .pNext = &counters,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = QUERIES};
    khr();
    MUST(vkCreateQueryPool(vk.gpu.device, &info, NULL, &vk.query));
    (void)results(0, 1, 8, 8, 0);
}

static void
results_into_too_little(void)
{
    measured();
    (void)results(0, 1, 4, 8, 0);
}

static void
results_of_narrow_stride(void)
{
    khr();
    vk.query = make_pool(0, VERTICES, CYCLES, NONE);
    (void)results(0, 2, 64, 8, 0);
}

static void
results_out_of_range(void)
{
    measured();
    (void)results(QUERIES - 1, 2, 64, 8, 0);
}

static void
results_of_64_bits(void)
{
    measured();
    (void)results(0, 1, 8, 8, VK_QUERY_RESULT_64_BIT);
}

static void
results_of_one_pass_of_two(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    khr();
    lock();
    vk.query = make_pool(0, VERTICES, INSTANCES, BALANCE);
    MUST(vkBeginCommandBuffer(vk.buffer, &info));
    begin(0);
    end(0);
    MUST(vkEndCommandBuffer(vk.buffer));
    submit(0, true);
    (void)results(0, 1, 64, 24, 0);
}

static void
second_pass_of_one(void)
{
    recording(VERTICES);
    begin(0);
    end(0);
    MUST(vkEndCommandBuffer(vk.buffer));
    submit(1, false);
}

static void
results_copied(void)
{
    recording(VERTICES);
    vkCmdCopyQueryPoolResults(vk.buffer, vk.query, 0, 1, VK_NULL_HANDLE, 0, 8, 0);
}

static void
pass_scope_inside_of_a_pass(void)
{
    recording(TILES);
    begin_pass();
    begin(0);
}

static void
query_outlives_its_subpass(void)
{
    recording(VERTICES);
    begin_pass();
    begin(0);
    vkCmdEndRenderPass(vk.buffer);
}

static void
query_ends_in_a_pass(void)
{
    recording(VERTICES);
    begin(0);
    begin_pass();
    end(0);
}

static void
whole_not_first(void)
{
    recording(COMMANDS);
    barrier();
    begin(0);
}

static void
whole_not_last(void)
{
    recording(COMMANDS);
    begin(0);
    end(0);
    barrier();
}

static void
two_pools_in_a_buffer(void)
{
    recording(VERTICES);
    VkQueryPool other = make_pool(0, INSTANCES, NONE, NONE);
    begin(0);
    end(0);
    vkCmdBeginQuery(vk.buffer, other, 0, 0);
}

static void
record_secondary(VkQueryPool pool)
{
    const VkCommandBufferInheritanceInfo inherits = {.sType =
                                                         VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .pInheritanceInfo = &inherits};
    MUST(vkBeginCommandBuffer(vk.secondary, &info));
    vkCmdBeginQuery(vk.secondary, pool, 1, 0);
    vkCmdEndQuery(vk.secondary, pool, 1);
    MUST(vkEndCommandBuffer(vk.secondary));
}

static void
active_over_secondaries(void)
{
    recording(VERTICES);
    record_secondary(vk.query);
    begin(0);
    vkCmdExecuteCommands(vk.buffer, 1, &vk.secondary);
}

static void
secondary_with_another_pool(void)
{
    recording(VERTICES);
    record_secondary(make_pool(0, INSTANCES, NONE, NONE));
    begin(0);
    end(0);
    vkCmdExecuteCommands(vk.buffer, 1, &vk.secondary);
}

/* VK_INTEL_performance_query. */

static void
intel_initializes_twice(void)
{
    const VkInitializePerformanceApiInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL};
    intel(true);
    (void)DEVICE(InitializePerformanceApiINTEL)(vk.gpu.device, &info);
}

static void
intel_ends_what_did_not_begin(void)
{
    intel(false);
    DEVICE(UninitializePerformanceApiINTEL)(vk.gpu.device);
}

static void
intel_acquires_too_early(void)
{
    intel(false);
    (void)intel_acquire(VK_PERFORMANCE_CONFIGURATION_TYPE_COMMAND_QUEUE_METRICS_DISCOVERY_ACTIVATED_INTEL);
}

static void
intel_acquires_of_no_type(void)
{
    intel(true);
    (void)intel_acquire((VkPerformanceConfigurationTypeINTEL)7);
}

static void
intel_sets_what_it_has_not(void)
{
    intel(true);
    (void)DEVICE(QueueSetPerformanceConfigurationINTEL)(vk.gpu.queue, VK_NULL_HANDLE);
}

static void
intel_releases_what_it_has_not(void)
{
    intel(true);
    (void)DEVICE(ReleasePerformanceConfigurationINTEL)(vk.gpu.device, VK_NULL_HANDLE);
}

static void
intel_pool_too_early(void)
{
    intel(false);
    intel_pool();
}

static void
intel_left_initialized(void)
{
    intel(true);
    vkDestroyDevice(vk.gpu.device, NULL);
}

static void
intel_without_configuration(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    intel(true);
    intel_pool();
    MUST(vkBeginCommandBuffer(vk.buffer, &info));
    begin(0);
    end(0);
    MUST(vkEndCommandBuffer(vk.buffer));
    submit(0, false);
}

static const struct {
    void (*breach)(void);
    const char *says;
} row[] = {
    {pool_without_counters, "03222"},
    {pool_without_feature, "03237"},
    {pool_of_another_family, "a family without counters"},
    {pool_of_no_counter, "03321"},
    {pool_with_a_counter_twice, "counter 1 twice"},
    {feature_that_is_not_there, "a feature that is not there"},
    {lock_twice, "acquired twice"},
    {lock_not_held_is_released, "03235"},
    {lock_after_the_buffer_began, "03223"},
    {lock_released_before_submission, "03220"},
    {lock_held_at_the_end, "is held at vkDestroyDevice"},
    {pool_left_at_the_end, "1 query pools are left"},
    {queries_nest, "01922"},
    {query_ends_without_begin, "01923"},
    {another_query_ends, "01923"},
    {query_out_of_range, "query 4 of 4"},
    {query_is_precise, "00800"},
    {query_twice_in_a_buffer, "is used twice"},
    {query_left_open, "00061"},
    {query_not_reset, "00807"},
    {query_reset_in_a_buffer, "reset by the host"},
    {query_reset_in_use, "02741"},
    {pool_destroyed_in_use, "00793"},
    {results_never_reset, "09401"},
    {results_into_too_little, "00817"},
    {results_of_narrow_stride, "stride"},
    {results_out_of_range, "00816"},
    {results_of_64_bits, "03230"},
    {results_of_one_pass_of_two, "03231"},
    {second_pass_of_one, "03221"},
    {results_copied, "03232"},
    {pass_scope_inside_of_a_pass, "03225"},
    {query_outlives_its_subpass, "06999"},
    {query_ends_in_a_pass, "07007"},
    {whole_not_first, "03224"},
    {whole_not_last, "03227"},
    {two_pools_in_a_buffer, "a second pool is used"},
    {active_over_secondaries, "07594"},
    {secondary_with_another_pool, "another pool than its primary"},
    {intel_initializes_twice, "initialized twice"},
    {intel_ends_what_did_not_begin, "is not initialized"},
    {intel_acquires_too_early, "before initialization"},
    {intel_acquires_of_no_type, "type of the configuration"},
    {intel_sets_what_it_has_not, "was not acquired"},
    {intel_releases_what_it_has_not, "no configuration to release"},
    {intel_pool_too_early, "before initialization"},
    {intel_left_initialized, "is initialized at vkDestroyDevice"},
    {intel_without_configuration, "the queue has no performance configuration"},
};

/* Does not return: runs in a child process, which must end with the message. */
static void
child(void (*act)(void), int out)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGABRT, SIG_DFL); /* cmocka's function would continue with the tests */
    (void)dup2(out, STDERR_FILENO);
    if (!make_instance())
        _exit(8);
    act();
    _exit(0);
}

static int
status_of(void (*act)(void), char *said, size_t size)
{
    int status = 0, out = memfd_create("said", MFD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0)
        child(act, out);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    ssize_t got = pread(out, said, size - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    (void)close(out);
    return status;
}

static void
breaches_end_the_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char said[1000];
        int status = status_of(row[i].breach, said, sizeof(said));
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, "fake-perf: VIOLATION: ") ||
            !strstr(said, row[i].says))
            fail_msg("%zu: status %x, it says \"%s\", not \"%s\"", i, (unsigned)status, said, row[i].says);
    }
}

/* Calls that keep the rules. */
static void
keep_rules(void)
{
    measured();
    if (results(0, 1, 8, 8, 0) != VK_SUCCESS || results(1, 1, 8, 8, 0) != VK_NOT_READY)
        _exit(7);
    vkResetQueryPool(vk.gpu.device, vk.query, 0, QUERIES);
    submit(0, true);
    if (results(0, 1, 8, 8, 0) != VK_SUCCESS)
        _exit(6);
    vkDestroyQueryPool(vk.gpu.device, vk.query, NULL);
    vkDestroyEvent(vk.gpu.device, vk.event, NULL);
    vkDestroyFramebuffer(vk.gpu.device, vk.framebuffer, NULL);
    vkDestroyRenderPass(vk.gpu.device, vk.pass, NULL);
    vkDestroyCommandPool(vk.gpu.device, vk.pool, NULL);
    DEVICE(ReleaseProfilingLockKHR)(vk.gpu.device);
    vkDestroyDevice(vk.gpu.device, NULL);
    vkDestroyInstance(vk.gpu.instance, NULL);
}

static void
rules_can_be_kept(void **state)
{
    char said[1000];
    (void)state;
    int status = status_of(keep_rules, said, sizeof(said));
    if (status != 0 || strstr(said, "VIOLATION"))
        fail_msg("status %x, it says \"%s\"", (unsigned)status, said);
}

static void
nothing(void)
{
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaches_end_the_program),
        cmocka_unit_test(rules_can_be_kept),
    };
    char said[1000];
    (void)argc;
    int status = status_of(nothing, said, sizeof(said));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 8) {
        printf("%s: no Vulkan driver\n", argv[0]);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
