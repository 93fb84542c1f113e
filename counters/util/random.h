/** @file
 * Random numbers. Deterministic ones: equal seeds give equal sequences on every machine; any thread, one
 * state each. And numbers that no other machine and no other run has, from the kernel's random source. */
#ifndef PP_COUNTERS_UTIL_RANDOM_H
#define PP_COUNTERS_UTIL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/** The next number of SplitMix64 (Steele, Lea, Flood 2014). Advances @p state. */
uint64_t pp_splitmix64(uint64_t *state);

/** A uniform index below @p n: the high 64 bits of pp_splitmix64() * n. Advances @p state. */
uint64_t pp_random_below(uint64_t *state, uint64_t n);

/** Bytes of an id as text: 32 hexadecimal digits and a NUL. */
#define PP_RANDOM_ID_MAX 33

/** Fill memory with random bytes of the kernel. Never waits. Any thread. @retval 0, -errno (the kernel has
 * none yet, or a sandbox refuses the call): nothing of use was written. */
__attribute__((warn_unused_result)) int pp_random_bytes(void *ret, size_t size);

/** Make an id: 128 random bits as 32 lower-case hexadecimal digits. Any thread. @param ret PP_RANDOM_ID_MAX
 * bytes; "" on failure. @retval 0, -errno as pp_random_bytes(). */
__attribute__((warn_unused_result)) int pp_random_id(char *ret);

#endif
