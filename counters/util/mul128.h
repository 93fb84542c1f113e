/** @file
 * Products of two 64-bit numbers, which need 128 bits, on targets with a 128-bit type and without one (i386).
 * Exact; no allocation; any thread. */
#ifndef PP_COUNTERS_UTIL_MUL128_H
#define PP_COUNTERS_UTIL_MUL128_H

#include <errno.h>
#include <stdint.h>

/** An unsigned number of 128 bits, in two halves. */
struct pp_uint128 {
    uint64_t high;
    uint64_t low;
};

/** a * b by halves: for targets without a 128-bit type, and for tests. */
static inline struct pp_uint128
pp_mul128_by_halves(uint64_t a, uint64_t b)
{
    uint64_t al = a & UINT32_MAX;
    uint64_t ah = a >> 32;
    uint64_t bl = b & UINT32_MAX;
    uint64_t bh = b >> 32;
    uint64_t low = al * bl;
    uint64_t middle = ah * bl + (low >> 32); /* at most 2^64 - 2^32 */
    uint64_t cross = al * bh + (middle & UINT32_MAX);
    return (struct pp_uint128){.high = ah * bh + (middle >> 32) + (cross >> 32),
                               .low = cross << 32 | (low & UINT32_MAX)};
}

/** (n.high * 2^64 + n.low) / d, rounded down, bit by bit. @p d must be greater than n.high: then the quotient
 * fits into 64 bits. */
static inline uint64_t
pp_div128_by_bits(struct pp_uint128 n, uint64_t d)
{
    uint64_t rest = n.high;
    uint64_t quotient = 0;
    for (unsigned i = 64; i-- > 0;) {
        uint64_t carry = rest >> 63;
        rest = rest << 1 | (n.low >> i & 1);
        if (carry || rest >= d) {
            rest -= d;
            quotient |= UINT64_C(1) << i;
        }
    }
    return quotient;
}

/** a * b. */
static inline struct pp_uint128
pp_mul128(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (struct pp_uint128){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
#else
    return pp_mul128_by_halves(a, b);
#endif
}

/** (a * b + c) / d, rounded down; UINT64_MAX if the quotient does not fit or @p d is 0. */
static inline uint64_t
pp_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct pp_uint128 n = pp_mul128(a, b);
    n.low += c;
    n.high += n.low < c;
    if (n.high >= d)
        return UINT64_MAX;
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)n.high << 64 | n.low) / d);
#else
    return pp_div128_by_bits(n, d);
#endif
}

/**
 * Scale a count to the whole time, as perf does: floor(count * enabled / running).
 *
 * @param count   Counted while the counter was on the hardware.
 * @param enabled The whole time.
 * @param running The time that the counter was on the hardware.
 * @retval 0        *ret is set.
 * @retval -ENODATA @p running is 0: there is no value, which is not 0.
 * @retval -ERANGE  The result exceeds 64 bits.
 */
__attribute__((warn_unused_result)) static inline int
pp_scale_count(uint64_t count, uint64_t enabled, uint64_t running, uint64_t *ret)
{
    if (!running)
        return -ENODATA;
    if (pp_mul128(count, enabled).high >= running)
        return -ERANGE;
    *ret = pp_muldiv(count, enabled, 0, running);
    return 0;
}

#endif
