/** @file
 * Unwinders of other projects: libunwind, else libgcc. They check what walk.h finds, and find stacks that
 * walk.h does not. The library is loaded for passprobe only (RTLD_LOCAL) and never linked: a linked libunwind
 * replaces backtrace() and 18 functions of the C++ runtime in the whole application. */
#ifndef PP_CORE_STACK_UNWINDER_H
#define PP_CORE_STACK_UNWINDER_H

#include <stdint.h>

/** An unwinder. Zeroed: none. */
struct pp_unwinder {
    const char *name;                               /**< "libunwind", "libgcc"; NULL: none */
    int (*unw_backtrace)(void **address, int size); /**< of libunwind */
    int (*gcc_backtrace)(int (*visit)(void *context, void *user), void *user); /**< of libgcc */
    uintptr_t (*gcc_ip)(void *context);
};

/** Load an unwinder, and use it once, because the first use allocates memory. The unwinder stays loaded for
 * the life of the process. Any thread; may block on the loader's lock. */
void pp_unwinder_open(struct pp_unwinder *unwinder);

/**
 * Find the return addresses of the calling thread, innermost first.
 *
 * libunwind takes the loader's short lock for code that it does not know yet. libgcc takes none with
 * glibc 2.35 or newer. It is stopped before code of no loaded object, because LuaJIT's handlers would abort
 * the process.
 *
 * @return Number of addresses; 0: no unwinder.
 */
uint32_t pp_unwinder_list(const struct pp_unwinder *unwinder, uintptr_t *ret_ip, uint32_t size);

#endif
