/** @file
 * All that the generated hooks need. */
#ifndef PP_HOOKS_REACH_HOOK_H
#define PP_HOOKS_REACH_HOOK_H

#include "hooks/measure/draw.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/state_tracking.h"
#include "hooks/winsys/winsys.h"

/** Exports a hook. The C name of a hook has a prefix; its symbol has none. */
#define PP_EXPORT __attribute__((visibility("default")))

#endif
