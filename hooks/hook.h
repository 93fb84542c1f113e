/** @file
 * All that the generated hooks need. */
#ifndef PP_HOOKS_HOOK_H
#define PP_HOOKS_HOOK_H

#include "hooks/handlers.h"
#include "hooks/real.h"
#include "hooks/winsys.h"
#include "hooks/work.h"

/** An exported hook; its C name has a prefix, its symbol has not. */
#define PP_EXPORT __attribute__((visibility("default")))

#endif
