/** @file
 * Numbers that no other machine and no other run has: from the kernel's random source. See random.h for
 * sequences that can be repeated. */
#ifndef PP_COUNTERS_UTIL_RANDOM_ID_H
#define PP_COUNTERS_UTIL_RANDOM_ID_H

#include <stddef.h>

/** Bytes of an id as text: 32 hexadecimal digits and a NUL. */
#define PP_RANDOM_ID_MAX 33

/** Fill memory with random bytes of the kernel. Never waits. Any thread. @retval 0, -errno (the kernel has
 * none yet, or a sandbox refuses the call): nothing of use was written. */
__attribute__((warn_unused_result)) int pp_random_bytes(void *ret, size_t size);

/** Make an id: 128 random bits as 32 lower-case hexadecimal digits. Any thread. @param ret PP_RANDOM_ID_MAX
 * bytes; "" on failure. @retval 0, -errno as pp_random_bytes(). */
__attribute__((warn_unused_result)) int pp_random_id(char *ret);

#endif
