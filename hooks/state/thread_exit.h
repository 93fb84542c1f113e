/** @file
 * The hook of pthread_exit, which trampoline.S calls before it jumps to what the hook returns. */
#ifndef PP_HOOKS_STATE_THREAD_EXIT_H
#define PP_HOOKS_STATE_THREAD_EXIT_H

#include <stdint.h>

/** pthread_exit(arg[0]). Does not return if Wine killed the thread in a wait. @return Address to jump to. */
uintptr_t pp_pick_pthread_exit(uintptr_t *arg, uintptr_t *result);

#endif
