/** @file
 * Marks for the compiler: what core exports, and hints about the hot path. */
#ifndef PP_CORE_UTIL_COMPILER_H
#define PP_CORE_UTIL_COMPILER_H

/** Mark of what core exports to the shim, the layer and the public header. */
#define PP_API __attribute__((visibility("default")))

/** The condition @p x, which is nearly always true. */
#define PP_LIKELY(x) __builtin_expect(!!(x), 1)

/** The condition @p x, which is nearly always false. */
#define PP_UNLIKELY(x) __builtin_expect(!!(x), 0)

/** Marks a function off the hot path: registers that it saves cost nothing where it is not called. */
#define PP_SLOW __attribute__((noinline))

#endif
