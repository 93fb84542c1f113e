/** @file
 * What a context's driver can measure: the device of a context, and the sources that it has. Only the thread
 * that has the context current calls this. */
#ifndef PP_HOOKS_MEASURE_DEVICE_H
#define PP_HOOKS_MEASURE_DEVICE_H

#include "hooks/base/context.h"

/** Read the context's abilities and announce its device, once. Outside glBegin..glEnd. @return false:
 * profiling stopped. */
bool pp_gl_context_set_up(struct pp_gl_context *ctx);

#endif
