/** @file
 * All that the generated hooks need. */
#ifndef PP_HOOKS_CALLS_HOOK_H
#define PP_HOOKS_CALLS_HOOK_H

#include "hooks/calls/app_object.h"
#include "hooks/calls/framebuffer.h"
#include "hooks/calls/immediate.h"
#include "hooks/calls/wait.h"
#include "hooks/counters/app_perf_queries.h"
#include "hooks/counters/perf_query.h"
#include "hooks/measure/draw.h"
#include "hooks/reach/dlsym.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/debug_label.h"
#include "hooks/state/shader_program.h"
#include "hooks/winsys/egl.h"
#include "hooks/winsys/egl_window.h"
#include "hooks/winsys/glx.h"

/** Exports a hook. The C name of a hook has a prefix; its symbol has none. */
#define PP_EXPORT __attribute__((visibility("default")))

#endif
