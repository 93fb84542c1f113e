/** @file
 * What drivers do differently with performance queries from what the extensions promise, as a table.
 * Each row says what it is keyed on, why, and where that was seen; a row goes when its driver is mended. */
#ifndef PP_LAYER_COUNTERS_PERF_QUIRKS_H
#define PP_LAYER_COUNTERS_PERF_QUIRKS_H

#include <stdbool.h>
#include <vulkan/vulkan_core.h>

/** What is known of a driver. All zero: nothing. */
struct pp_perf_quirk {
    bool ratios_are_bytes; /**< hit ratios come labelled as bytes: they are percents */
    bool jobs;             /**< a bracket inside a render pass splits it: measure around passes only */
    bool intrusive;        /**< measuring changes what is measured: only when asked for */
    const char *note;      /**< what the user should know when it is measured; NULL: nothing */
    const char *refusal;   /**< what helps when the profiling lock cannot be had; NULL: unknown */
};

/** Rows of this driver and version together. @p driver 0: unknown. */
struct pp_perf_quirk pp_perf_quirk_find(VkDriverId driver, uint32_t version);

#endif
