/** @file
 * The GPU's timestamp; see i915_clock.h. Sources: the kernel's i915_drm.h; Mesa 20 to 25,
 * intel_device_info_timebase_scale() and the TIMESTAMP_BITS of iris and crocus. */
#include "counters/sources/i915/i915_clock.h"

#include <stdlib.h>

#include "counters/oa/oa_report.h"
#include "counters/sources/i915/i915_config.h"
#include "counters/sources/i915/i915_uapi.h"

#define MASK     ((UINT64_C(1) << PP_I915_TIMESTAMP_BITS) - 1)
#define LAP_BITS 32
#define LAPS     (1U << (PP_I915_TIMESTAMP_BITS - LAP_BITS))

int
pp_i915_clock_read(int fd, uint64_t *ret_ticks)
{
    struct pp_i915_reg_read read = {.offset = PP_I915_RENDER_TIMESTAMP | PP_I915_REG_READ_8B_WA};
    int rc = pp_i915_ioctl(fd, PP_I915_REG_READ, &read);
    if (rc == 0)
        *ret_ticks = read.value & MASK;
    return rc;
}

/* The number that has the low bits of @p ns and is nearest to @p near, from 0 to @p end - 1. */
static int64_t
nearest(uint64_t ns, int64_t near, int64_t end)
{
    int64_t inside = near < 0 ? 0 : near < end ? near : end - 1;
    int64_t ahead = (int64_t)((ns - (uint64_t)inside) & MASK), all = (int64_t)MASK + 1;
    int64_t found = inside + (ahead > all / 2 ? ahead - all : ahead);
    return found < 0 ? found + all : found < end ? found : found - all;
}

/* A lap is the time in which the low 32 bits of the ticks wrap. Mesa converts the two halves of a timestamp
 * by themselves: the laps before as whole multiples of 2^32 nanoseconds, rounded down, and the ticks in the
 * lap. */
uint32_t
pp_i915_clock_ticks(uint64_t ns, uint64_t now_ticks, uint64_t hz)
{
    int64_t lap_ns = (int64_t)pp_oa_ticks_to_ns(UINT64_C(1) << LAP_BITS, hz), least = INT64_MAX, best = 0;
    for (int lap = -1; lap <= 1; lap++) {
        uint64_t before = ((now_ticks >> LAP_BITS) + LAPS + (uint64_t)(int64_t)lap) % LAPS;
        int64_t now = (int64_t)pp_oa_ticks_to_ns((uint32_t)now_ticks, hz) - lap * lap_ns;
        int64_t found = nearest(ns - (pp_oa_ticks_to_ns(before, hz) << LAP_BITS), now, lap_ns);
        if (llabs(found - now) < least) {
            least = llabs(found - now);
            best = found;
        }
    }
    return (uint32_t)pp_oa_ns_to_ticks((uint64_t)best, hz);
}

uint32_t
pp_i915_clock_ticks_of_any(uint64_t ns, uint64_t now_ticks, uint64_t hz, bool *whole)
{
    uint32_t ticks = pp_i915_clock_ticks(ns, now_ticks, hz), plain = (uint32_t)pp_oa_ns_to_ticks(ns, hz);
    int64_t ahead = (int32_t)(ticks - (uint32_t)now_ticks), age = (int32_t)((uint32_t)now_ticks - plain);
    int64_t second = (int64_t)hz;
    /* At other times, nanoseconds read as those of iris are far in the past, not ahead: shortly before the
     * end of a lap, and where the timestamp of 36 bits has begun again some times. */
    bool far_off = ahead < -second && age > -second / 5 && age < second;
    *whole = *whole || ahead > second / 5 || far_off;
    return *whole ? plain : ticks;
}
