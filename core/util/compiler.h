/** @file
 * Hints to the compiler about the hot path. */
#ifndef PP_CORE_UTIL_COMPILER_H
#define PP_CORE_UTIL_COMPILER_H

/** The condition @p x, which is nearly always true. */
#define PP_LIKELY(x) __builtin_expect(!!(x), 1)

/** The condition @p x, which is nearly always false. */
#define PP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/** Marks a function off the hot path: registers that it saves cost nothing where it is not called. */
#define PP_SLOW __attribute__((noinline))

#endif
