/** @file
 * Intel's metric sets as events of a counter source: each metric of a set is an event, and so is the maximum
 * of a metric. The sources that read OA reports share this: i915-perf and VK_INTEL_performance_query. Knows
 * no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_EVENTS_H
#define PP_COUNTERS_OA_OA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric_eval.h"
#include "counters/oa/oa_gpu.h"
#include "counters/snapshot/layout.h"
#include "counters/snapshot/source.h"

/** The symbol of the set that is measured by default. */
#define PP_OA_DEFAULT_SET "RenderBasic"

/** One event. */
struct pp_oa_event {
    uint32_t set;    /**< index in pp_catalogue_intel */
    uint32_t metric; /**< index in the set */
    bool maximum;    /**< the event is the largest possible value of that metric */
    bool available;  /**< the machine has the metric's hardware */
};

/** The events of one GPU. Immutable after pp_oa_events_init(). */
struct pp_oa_events {
    struct pp_oa_gpu gpu;
    const struct pp_metric_variable *variable; /**< the machine's; borrowed */
    size_t variables;
    const char *missing_reason; /**< why events are not available; borrowed */
    struct pp_oa_event *event;
    char (*maximum_name)[64]; /**< per event: the name of a maximum, else "" */
    uint32_t events;
};

/**
 * List the events of a GPU.
 *
 * @param events         Filled; for pp_oa_events_finish(), also after an error.
 * @param variable       The machine; must outlive @p events.
 * @param missing_reason Reason of events whose hardware this machine lacks; must outlive @p events.
 * @retval 0       Listed.
 * @retval -ENOENT The GPU has no metric sets.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_oa_events_init(struct pp_oa_events *events,
                                                          const struct pp_oa_gpu *gpu,
                                                          const struct pp_metric_variable *variable,
                                                          size_t variables, const char *missing_reason);

/** Free the memory of the events; a zeroed object is fine. */
void pp_oa_events_finish(struct pp_oa_events *events);

/** Describe event @p i. As pp_source_ops.event(). */
int pp_oa_events_describe(const struct pp_oa_events *events, uint32_t i, struct pp_event *ret_event);

/** Do these events fit into one bracket? As pp_source_ops.fits(): the OA unit counts one set at a time. */
bool pp_oa_events_fit(const struct pp_oa_events *events, const uint32_t *event, size_t count);

/** The @p i-th available event of PP_OA_DEFAULT_SET. As pp_source_ops.default_event(). */
int pp_oa_events_default(const struct pp_oa_events *events, uint32_t i, uint32_t *ret_event);

/** The @p i-th variable of the machine. As pp_source_ops.variable(). */
int pp_oa_events_variable(const struct pp_oa_events *events, uint32_t i, const char **ret_name,
                          double *ret_value);

/**
 * Compile the formulas of some events of one set. The formulas may name the other metrics of the set.
 *
 * @param event  Events that fit into one bracket.
 * @param field  The inputs. A field TotalTime (the driver's nanoseconds) is what formulas call GPU_TIME.
 * @param fields Elements of @p field.
 * @return As pp_metric_compile().
 */
__attribute__((warn_unused_result)) int pp_oa_events_compile(const struct pp_oa_events *events,
                                                             const uint32_t *event, size_t count,
                                                             const struct pp_field *field, uint32_t fields,
                                                             struct pp_metric_program **ret_program);

/**
 * Find the fields of a layout that the formulas of some events read.
 *
 * @param is_read layout->fields answers.
 * @return As pp_metric_compile().
 */
__attribute__((warn_unused_result)) int pp_oa_events_read_fields(const struct pp_oa_events *events,
                                                                 const uint32_t *event, size_t count,
                                                                 const struct pp_layout *layout,
                                                                 bool *is_read);

#endif
