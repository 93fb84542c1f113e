/** @file
 * Counters of a device: extensions, query pools, the profiling lock. See also perf.h. */
#ifndef PP_LAYER_MEASURE_PERF_DEVICE_H
#define PP_LAYER_MEASURE_PERF_DEVICE_H

#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/counters/perf.h"

/** Open the counters of a device that was created, with or without the requests for counters. Takes the
 * profiling lock. */
void pp_perf_open(struct pp_vk_device *dev, const struct pp_vk_device_request *request);

/** Prepare a new queue, before the application uses it. */
void pp_perf_queue(struct pp_vk_queue *queue);

/**
 * Announce the counter sources, and the reasons for those that are missing.
 *
 * @param absent An array for 2 reasons.
 */
void pp_perf_announce(struct pp_vk_device *dev, struct pp_device_info *info, struct pp_source_absent *absent);

/** Make the query pools, after core has planned the counter sets. */
void pp_perf_planned(struct pp_vk_device *dev);

/** Free the counters of a device that is destroyed. Its submissions are complete, and its command buffers are
 * forgotten. */
void pp_perf_close(struct pp_vk_device *dev);

/** Source oa: let the OA unit count a set from now on, in the application's submission. With perf->i915 not
 * in an application that has confined itself. @return false: it does not. The application is not harmed. */
bool pp_perf_change_set(struct pp_vk_queue *queue, const struct pp_perf_set *set);

/** Stop recording queries because the driver refused something; the message gives the reason. */
void pp_perf_fail(struct pp_vk_device *dev, enum pp_message id, const char *why);

#endif
