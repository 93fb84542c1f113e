/** @file
 * What a context's driver can measure: the device of a context, and the sources that it has. Only the thread
 * that has the context current calls this.
 *
 * Samples of the GPU's clock, by which core maps ticks to nanoseconds, and empty brackets, by which core
 * knows the resolution of times. */
#ifndef PP_HOOKS_MEASURE_DEVICE_H
#define PP_HOOKS_MEASURE_DEVICE_H

#include "hooks/base/context.h"

/** Read the context's abilities and announce its device, once. Outside glBegin..glEnd. @return false:
 * profiling stopped. */
bool pp_gl_context_set_up(struct pp_gl_context *ctx);

/** Number of empty brackets that pp_gl_measure_bias() writes. */
#define PP_GL_BIAS_PAIRS 101U

/** Sample the CPU clock and the GPU clock together, at most once a second for each device. */
void pp_gl_sample_clock(struct pp_gl_context *ctx);

/** Measure empty brackets, once for each device. Their length is the device's resolution. */
void pp_gl_measure_bias(struct pp_gl_context *ctx);

/** Pass the lengths of the empty brackets to core, if their results are available. Does not wait. */
void pp_gl_read_bias(struct pp_gl_context *ctx);

#endif
