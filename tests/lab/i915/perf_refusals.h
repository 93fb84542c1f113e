/** @file
 * Which calls of i915-perf the kernel refuses: LAB_PERF_CALL_ERRNO=N[:S], for the calls OPEN, ENABLE,
 * DISABLE, CONFIG, ADD_CONFIG, REMOVE_CONFIG, QUERY and READ. */
#ifndef LAB_I915_PERF_REFUSALS_H
#define LAB_I915_PERF_REFUSALS_H

/** Count a call. The caller holds lab_lock. @return The error with which the call is refused: all of them, or
 * those after the first S. 0: it is not refused. */
int i915_perf_refusal(const char *call);

#endif
