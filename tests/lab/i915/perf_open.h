/** @file
 * What a caller of PERF_OPEN asks for, and whether the kernel allows it. */
#ifndef LAB_I915_PERF_OPEN_H
#define LAB_I915_PERF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct drm_i915_perf_open_param;
struct lab_client;

/** The properties of a stream. */
struct i915_perf_ask {
    uint32_t flags;        /**< I915_PERF_FLAG_* */
    uint32_t context;      /**< hardware number of the one context to report; 0: all */
    bool sample;           /**< reports are wanted in the buffer */
    bool hold_preemption;  /**< needs a context */
    uint64_t config;       /**< number of the configuration */
    uint64_t format;       /**< of reports */
    int exponent;          /**< of the period; -1: no periodic reports */
    uint64_t period_units; /**< 0: no periodic reports */
    uint64_t poll_ns;      /**< period of the timer that looks for reports */
};

/** Read and check what is asked for. LAB_PERF_PARANOID=1 plays the kernel's default, which lets only
 * privileged processes in. @return 0 or -errno. */
int i915_perf_ask_read(struct lab_client *client, const struct drm_i915_perf_open_param *param,
                       struct i915_perf_ask *ask);

#endif
