/** @file
 * See clock_sample.h. */
#include "layer/frame/clock_sample.h"

#include "core/engine/clock.h"

#define CALIBRATE_EVERY_NS 100000000U

void
pp_vk_sample_clock(struct pp_vk_device *dev)
{
    uint64_t now = pp_now_ns();
    if (!dev->measured.calibrated ||
        (dev->frames.calibrated_at_ns != 0 && now - dev->frames.calibrated_at_ns < CALIBRATE_EVERY_NS))
        return;
    const VkCalibratedTimestampInfoEXT info[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t at[2], deviation = 0;
    if (!dev->next.GetCalibratedTimestampsEXT ||
        dev->next.GetCalibratedTimestampsEXT(dev->handle, 2, info, at, &deviation) != VK_SUCCESS) {
        dev->measured.calibrated = false;
        return;
    }
    dev->frames.calibrated_at_ns = now;
    pp_clock_sample(pp_device_clock(dev->core), at[0], at[1] - deviation / 2, at[1] + deviation / 2);
}
