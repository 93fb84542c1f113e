/** @file
 * The list of kernel sources; see sources.h. */
#include "counters/sources/kernel_sources.h"

#include <errno.h>

#include "counters/sources/cpu/cpu.h"
#include "counters/sources/i915/oa.h"
#include "counters/sources/kernel/drm.h"
#include "counters/sources/kernel/hwmon.h"
#include "counters/sources/mali/mali_source.h"

static const char *
or_else(const char *path, const char *usual)
{
    return path ? path : usual;
}

static struct pp_kernel_paths
usual_paths(const struct pp_kernel_paths *paths)
{
    static const struct pp_kernel_paths none = {.sys = NULL};
    paths = paths ? paths : &none;
    return (struct pp_kernel_paths){.sys = or_else(paths->sys, "/sys"),
                                    .proc = or_else(paths->proc, "/proc"),
                                    .dev = or_else(paths->dev, "/dev")};
}

size_t
pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret, size_t room)
{
    static const uint32_t vendor[] = {PP_VENDOR_INTEL, PP_VENDOR_ARM};
    const struct pp_kernel_paths at = usual_paths(paths);
    int saved = errno;
    size_t count = 0;
    if (count < room && pp_cpu_source_open(at.proc, &ret[count]) == 0)
        count++;
    if (count < room && pp_drm_source_open(at.proc, at.dev, at.sys, &ret[count]) == 0)
        count++;
    if (count < room && pp_hwmon_source_open(at.sys, &ret[count]) == 0)
        count++;
    for (size_t i = 0; i < sizeof(vendor) / sizeof(vendor[0]); i++)
        if (count < room && pp_kernel_gpu_source_open(&at, vendor[i], &ret[count]) == 0)
            count++;
    errno = saved;
    return count;
}

int
pp_kernel_gpu_source_open(const struct pp_kernel_paths *paths, uint32_t vendor, struct pp_event_source *ret)
{
    const struct pp_kernel_paths at = usual_paths(paths);
    const struct pp_i915_paths intel = {.sys = at.sys, .proc = at.proc, .dev = at.dev};
    int saved = errno;
    int rc = vendor == PP_VENDOR_INTEL ? pp_oa_source_open(&intel, ret)
             : vendor == PP_VENDOR_ARM ? pp_mali_source_open(at.sys, at.dev, ret)
                                       : -ENOENT;
    errno = saved;
    return rc;
}
