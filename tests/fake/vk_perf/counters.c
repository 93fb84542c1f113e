/** @file
 * The fake counters and their limits: which ones do not fit into one pass together. */
#include "fake_perf.h"

#define KHR_UNIT(name)    VK_PERFORMANCE_COUNTER_UNIT_##name##_KHR
#define KHR_STORAGE(name) VK_PERFORMANCE_COUNTER_STORAGE_##name##_KHR
#define KHR_SCOPE(name)   VK_PERFORMANCE_COUNTER_SCOPE_##name##_KHR

/** Registers of each block. */
static const uint32_t limit[] = {2, 3, 16, 1};

const struct fp_counter fp_counter[] = {
    {"GPU active cycles",
     "GPU",
     "Cycles in which the GPU worked.",
     KHR_UNIT(CYCLES),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(COMMAND),
     2,
     {1000, 3, 0, 200, 64, 500, 10, 1},
     -1},
    {"Vertices",
     "Geometry",
     "Vertices of all instances.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(UINT32),
     KHR_SCOPE(COMMAND),
     0,
     {0, 1, 0, 0, 0, 0, 0, 0},
     -1},
    {"Instances",
     "Geometry",
     "Instances.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(INT32),
     KHR_SCOPE(COMMAND),
     0,
     {0, 0, 1, 0, 0, 0, 0, 0},
     -1},
    {"Balance",
     "Geometry",
     "A count that is below zero.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(INT64),
     KHR_SCOPE(COMMAND),
     0,
     {-5000000000LL, 2, 0, 0, 0, 0, 0, 0},
     -1},
    {"Groups",
     "Compute",
     "Thread groups.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(COMMAND),
     1,
     {0, 0, 0, 0, 1, 0, 0, 0},
     -1},
    {"Weighted work",
     "Compute",
     "Work, as a single float.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(FLOAT32),
     KHR_SCOPE(COMMAND),
     1,
     {4, 1, 0, 0, 2, 8, 0, 0, 16},
     -1},
    {"Bytes read",
     "Memory",
     "Bytes from memory.",
     KHR_UNIT(BYTES),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(COMMAND),
     1,
     {0, 16, 0, 0, 4096, 65536, 0, 0},
     -1},
    {"Time busy",
     "GPU",
     "Nanoseconds, as a double.",
     KHR_UNIT(NANOSECONDS),
     KHR_STORAGE(FLOAT64),
     KHR_SCOPE(COMMAND),
     1,
     {2000, 5, 0, 100, 32, 7, 0, 0},
     -1},
    {"Draw share",
     "GPU",
     "Draws of all commands.",
     KHR_UNIT(PERCENTAGE),
     KHR_STORAGE(FLOAT32),
     KHR_SCOPE(COMMAND),
     2,
     {1, 0, 0, 0, 0, 0, 0, 0},
     FP_COMMANDS},
    {"L2 cache hit ratio",
     "Memory",
     "Hits, labelled as RADV does.",
     KHR_UNIT(BYTES),
     KHR_STORAGE(FLOAT64),
     KHR_SCOPE(COMMAND),
     2,
     {1, 0, 0, 1, 0, 1, 0, 0},
     FP_COMMANDS},
    {"Tiles loaded",
     "Tiles",
     "Counted by whole render passes.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(RENDER_PASS),
     3,
     {1, 0, 0, 0, 0, 0, 7, 0},
     -1},
    {"Buffer commands",
     "Whole",
     "Counted by whole command buffers.",
     KHR_UNIT(GENERIC),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(COMMAND_BUFFER),
     2,
     {0, 0, 0, 0, 0, 0, 0, 1},
     -1},
    {"Clock",
     "GPU",
     "A state, as a whole number.",
     KHR_UNIT(HERTZ),
     KHR_STORAGE(UINT64),
     KHR_SCOPE(COMMAND),
     2,
     {1000000, 0, 0, 1000000, 0, 1000000, 0, 0},
     -1},
};
const uint32_t fp_counters = sizeof(fp_counter) / sizeof(fp_counter[0]);

uint32_t
fp_passes_of(const uint32_t *counter, uint32_t count)
{
    uint32_t used[4] = {0}, passes = 1;
    for (uint32_t i = 0; i < count; i++)
        used[fp_counter[counter[i]].block]++;
    for (int b = 0; b < 4; b++) {
        uint32_t need = (used[b] + limit[b] - 1) / limit[b];
        passes = need > passes ? need : passes;
    }
    return passes;
}

VkPerformanceCounterResultKHR
fp_value(const struct fp_counter *counter, const uint64_t *work)
{
    VkPerformanceCounterResultKHR result = {.uint64 = 0};
    int64_t sum = 0;
    for (int i = 0; i < FP_WORKS; i++)
        sum += (int64_t)work[i] * counter->times[i];
    double real = (double)sum;
    if (counter->percent_of >= 0)
        real = work[counter->percent_of] == 0 ? 0 : 100.0 * real / (double)work[counter->percent_of];
    switch (counter->storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
        result.int32 = (int32_t)sum;
        break;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
        result.int64 = sum;
        break;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
        result.uint32 = (uint32_t)sum;
        break;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
        result.float32 = (float)real;
        break;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
        result.float64 = real;
        break;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
    case VK_PERFORMANCE_COUNTER_STORAGE_MAX_ENUM_KHR:
    default:
        result.uint64 = (uint64_t)sum;
        break;
    }
    return result;
}
