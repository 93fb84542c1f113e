/** @file
 * What a Vulkan device can count by itself, as two counter sources: timestamps and pipeline statistics.
 * The commands that write them are in bracket.c and readback.c. */
#ifndef PP_LAYER_RECORD_SOURCE_H
#define PP_LAYER_RECORD_SOURCE_H

#include <vulkan/vulkan_core.h>

#include "core/engine/config.h"
#include "counters/sources/source.h"

/** Self of both sources. Fill in and pass to their calls; layouts live as long as it does. */
struct pp_vk_sources {
    const char *no_time;                     /**< why timestamps are missing; NULL: available */
    const char *no_statistics;               /**< why all statistics are missing; NULL: available */
    struct pp_vk_statistics_layout *layouts; /**< made so far */
};

extern const struct pp_source_ops pp_vk_source_time;
extern const struct pp_source_ops pp_vk_source_statistics;

/** Layout of a statistics query that counts @p mask, in the order of its bits. @return NULL: empty, or no
 * memory. */
const struct pp_layout *pp_vk_statistics_layout(struct pp_vk_sources *sources,
                                                VkQueryPipelineStatisticFlags mask);

/** Free the layouts. */
void pp_vk_sources_finish(struct pp_vk_sources *sources);

#endif
