/** @file
 * See announce.h. */
#include "layer/measure/announce.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "layer/measure/perf_device.h"

static void
write_version(char *text, size_t size, uint32_t version)
{
    snprintf(text, size, "%u.%u.%u", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
             VK_API_VERSION_PATCH(version));
}

/* Write driver and version: the name if the driver reports one, else the raw number. */
static void
write_driver(struct pp_vk_device *dev, char *text, size_t size)
{
    if (dev->gpu.driver.driverName[0] != '\0')
        snprintf(text, size, "%s %s", dev->gpu.driver.driverName, dev->gpu.driver.driverInfo);
    else
        snprintf(text, size, "driver version 0x%x", dev->gpu.props.driverVersion);
}

/* Report why requested events are missing. */
static void
report_missing_events(struct pp_vk_device *dev, struct pp_builtin_sources *sources)
{
    struct pp_event event;
    char name[96];
    uint32_t asked = pp_session_config(dev->session)->pipeline_mask;
    for (uint32_t i = 0; pp_source_time.event(sources, i, &event) == 0; i++)
        if (event.reason)
            pp_device_missing(dev->core, "time", event.reason);
    for (uint32_t i = 0; pp_source_pipeline.event(sources, i, &event) == 0; i++)
        if (event.reason && (asked & (1U << i))) {
            snprintf(name, sizeof(name), "%s:%s", pp_source_pipeline.name, event.name);
            pp_device_missing(dev->core, name, event.reason);
        }
}

/* Report what is measured only in some places. */
static void
report_missing(struct pp_vk_device *dev)
{
    for (uint32_t i = 0; i < dev->gpu.families; i++)
        if (dev->gpu.family[i].queues > 0 && dev->gpu.family[i].reason) {
            char event[32];
            snprintf(event, sizeof(event), PP_EVENT_VK_FAMILY_BITS, i);
            pp_device_missing(dev->core, event, dev->gpu.family[i].reason);
        }
    if (pp_session_config(dev->session)->level == PP_LEVEL_DRAW && dev->quirk.no_draw_times)
        pp_device_missing(dev->core, PP_EVENT_VK_DRAW_TIMES, dev->quirk.no_draw_times);
    for (uint32_t i = 0; i < dev->missing.count; i++)
        pp_device_missing(dev->core, dev->missing.list[i].event, dev->missing.list[i].reason);
    if (pp_session_config(dev->session)->level == PP_LEVEL_FRAME && dev->measured.statistics != 0)
        pp_device_missing(dev->core, "pipeline", PP_TEXT_VK_FRAME_STATISTICS);
}

static struct pp_device *
announce(struct pp_vk_device *dev, struct pp_builtin_sources *sources)
{
    char version[32], driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 8];
    const uint32_t timestamp = 0;
    struct pp_device_source source[2];
    struct pp_source_absent absent[2];
    struct pp_device *core = NULL;
    uint32_t bits = 0;
    sources->time_unit = PP_UNIT_TICKS;
    write_version(version, sizeof(version), dev->gpu.props.apiVersion);
    write_driver(dev, driver, sizeof(driver));
    for (uint32_t i = 0; i < dev->gpu.families; i++)
        if (dev->gpu.family[i].inject && (bits == 0 || dev->gpu.family[i].timestamp_bits < bits))
            bits = dev->gpu.family[i].timestamp_bits;
    struct pp_device_info info = {
        .api = "vulkan",
        .api_version = version,
        .name = dev->gpu.props.deviceName,
        .driver = driver,
        .vendor = dev->gpu.props.vendorID,
        .gpu = dev->gpu.props.deviceID,
        .tick_ns = (double)dev->gpu.props.limits.timestampPeriod,
        .timestamp_bits = bits,
        .brackets_submissions = true,
        .reads_idle = true,
        .records = true,
        .source = source,
    };
    if (bits == 0) {
        sources->no_time = PP_TEXT_VK_NO_BITS;
        pp_builtin_no_statistics(sources, PP_TEXT_VK_NO_COPY);
    }
    if (dev->measured.statistics == 0 && bits != 0)
        pp_builtin_no_statistics(sources, PP_TEXT_VK_NO_STATISTICS);
    /* `time` is the first source even if no queue has timestamps, so that statistics keep their place. */
    source[0] = (struct pp_device_source){"time", pp_source_time.layout(sources, &timestamp, 1)};
    source[1] = (struct pp_device_source){"pipeline",
                                          pp_builtin_statistics_layout(sources, dev->measured.statistics)};
    info.sources = !source[0].layout ? 0 : !source[1].layout ? 1 : 2;
    pp_perf_announce(dev, &info, absent);
    if (pp_device_create(dev->session, &info, &core) != 0)
        return NULL;
    dev->core = core;
    pp_perf_planned(dev);
    report_missing_events(dev, sources);
    return core;
}

int
pp_vk_announce(struct pp_vk_device *dev)
{
    /* Core borrows the layouts until the process ends. */
    struct pp_builtin_sources *sources = calloc(1, sizeof(*sources));
    if (!sources || !announce(dev, sources)) {
        if (sources)
            pp_builtin_finish(sources);
        free(sources);
        atomic_store(&dev->stopped, true);
        return -ENOMEM;
    }
    report_missing(dev);
    bool serializes = pp_device_note_unused_options(dev->core, true);
    if (dev->measured.serialize && serializes)
        pp_note_once(dev->core, PP_MSG_VK_SERIALIZE);
    else if (!dev->measured.serialize && pp_session_config(dev->session)->serialize)
        pp_note_once(dev->core, PP_MSG_VK_SERIALIZE_ABSENT);
    if (dev->measured.indirect)
        pp_note_once(dev->core, PP_MSG_VK_INDIRECT);
    return 0;
}
