/** @file
 * Streams of i915-perf: the one OA unit, its buffer of reports, and the descriptor that reads it. */
#ifndef LAB_I915_PERF_H
#define LAB_I915_PERF_H

#include <stdbool.h>
#include <stdint.h>

struct i915_context;
struct i915_counts;
struct lab_client;

/** DRM_IOCTL_I915_PERF_OPEN. @return the stream's descriptor, or -errno. */
int i915_perf_open(struct lab_client *client, void *arg);

/** Open a stream as a part of the application would that profiles another GPU. No ioctl may reach it. */
void i915_perf_open_other(void);

/** The format of reports that the OA unit makes; 0: it is off. */
uint64_t i915_perf_format(void);

/** What the OA unit counted so far, for a report while a context is on the GPU (NULL: none is): generation 12
 * counts for each context. On Haswell a stream of one context counts only while that context is on the GPU.
 */
const struct i915_counts *i915_perf_counts(const struct i915_context *running);

/** The GPU goes over to a context, or, if @p context is NULL, to none. */
void i915_perf_switch(const struct i915_context *context);

/** Time went on: write the periodic reports that have become due. */
void i915_perf_tick(void);

#endif
