/** @file
 * Timestamps of OpenGL become ticks of an Intel GPU's timestamp again, around all wraps of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters/oa/oa_report.h"
#include "counters/sources/i915/i915.h"
#include "counters/util/array_size.h"

static const uint64_t clocks_hz[] = {12000000, 12500000, 19200000};

/* Mesa's intel_device_info_timebase_scale(). */
static uint64_t
mesa_ns(uint64_t ticks, uint64_t hz)
{
    uint64_t low = (uint32_t)ticks, high = ticks >> 32 & 15;
    return (high * 1000000000 / hz << 32) + low * 1000000000 / hz;
}

static void
assert_recovered(uint64_t ticks, uint64_t now, uint64_t hz)
{
    /* Mesa 25.0 returns 64 bits, 22.3 returns 36. */
    uint64_t ns = mesa_ns(ticks, hz), version[] = {ns, ns & 0xfffffffff};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t got = pp_i915_clock_ticks(version[i], now & 0xfffffffff, hz);
        if (got != (uint32_t)ticks)
            fail_msg("tick %llu, seen at %llu, %llu Hz: %u", (unsigned long long)ticks,
                     (unsigned long long)now, (unsigned long long)hz, got);
    }
}

/* The nanoseconds wrap every 68.7 seconds. */
static void
nanoseconds_wrap(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PP_ARRAY_SIZE(clocks_hz); i++) {
        uint64_t hz = clocks_hz[i];
        for (uint64_t ticks = 7; ticks < UINT64_C(1) << 36; ticks += 98765431) {
            assert_recovered(ticks, ticks + 5, hz);
            assert_recovered(ticks, ticks + hz / 10, hz);
            assert_recovered(ticks + hz / 10, ticks, hz); /* the GPU's timestamp was read before */
        }
    }
}

/* A bracket ends after a wrap of the low 32 bits; at the last one, of all 36. */
static void
ticks_wrap(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PP_ARRAY_SIZE(clocks_hz); i++) {
        uint64_t hz = clocks_hz[i];
        for (uint64_t lap = 1; lap <= 16; lap++) {
            uint64_t wrap = lap << 32;
            for (uint64_t ticks = wrap - hz / 20; ticks < wrap + hz / 20; ticks += 9973)
                assert_recovered(ticks & 0xfffffffff, wrap + hz / 20, hz);
            assert_recovered(wrap - 1, wrap, hz);
            assert_recovered(wrap & 0xfffffffff, wrap, hz);
        }
    }
}

/* A driver that returns the nanoseconds themselves is noticed at its first timestamp, or both ways are the
 * same. The GPU's timestamp begins again every 60 to 95 minutes, the nanoseconds do not: 25 hours. */
static void
whole_nanoseconds_are_noticed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PP_ARRAY_SIZE(clocks_hz); i++) {
        uint64_t hz = clocks_hz[i];
        for (uint64_t ticks = 7; ticks < UINT64_C(1) << 40; ticks += 98765431) {
            bool whole = false;
            uint64_t ns = pp_oa_ticks_to_ns(ticks, hz), now = ticks + hz / 20;
            uint32_t got = pp_i915_clock_ticks_of_any(ns, now & 0xfffffffff, hz, &whole);
            int64_t off = (int64_t)got - (int64_t)(uint32_t)ticks;
            if (off < -2 || off > 2)
                fail_msg("tick %llu, %llu Hz: off by %lld", (unsigned long long)ticks, (unsigned long long)hz,
                         (long long)off);
            whole = false;
            (void)pp_i915_clock_ticks_of_any(mesa_ns(ticks & 0xfffffffff, hz), now & 0xfffffffff, hz, &whole);
            assert_false(whole);
        }
    }
}

/* Far from a wrap of the ticks, half a lap of the nanoseconds may pass until a timestamp is looked up. */
static void
timestamps_may_be_old(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PP_ARRAY_SIZE(clocks_hz); i++) {
        uint64_t hz = clocks_hz[i], ticks = (UINT64_C(3) << 32) + (UINT64_C(1) << 31);
        assert_recovered(ticks, ticks + 34 * hz, hz);
        assert_recovered(ticks + 34 * hz, ticks, hz);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nanoseconds_wrap),
        cmocka_unit_test(ticks_wrap),
        cmocka_unit_test(whole_nanoseconds_are_noticed),
        cmocka_unit_test(timestamps_may_be_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
