/** @file
 * The hooks of dlsym and dlopen. trampoline.S calls them and then jumps to what they return, so that the
 * loader sees the application as the caller. */
#ifndef PP_HOOKS_REACH_DLSYM_H
#define PP_HOOKS_REACH_DLSYM_H

#include <stdint.h>

/** dlsym(arg[0], arg[1]). @return Address to jump to, or 0: *result is the answer. */
uintptr_t pp_pick_dlsym(uintptr_t *arg, uintptr_t *result);

/** dlopen(arg[0], arg[1]) without RTLD_DEEPBIND: with this flag, the calls of the opened library would bypass
 * the shim's exports. PASSPROBE_KEEP_DEEPBIND=1 keeps the flag, for a library that needs it. @return Address
 * to jump to. */
uintptr_t pp_pick_dlopen(uintptr_t *arg, uintptr_t *result);

#endif
