/** @file
 * The list of kernel sources; see sources.h. */
#include "counters/source/sources.h"

#include <errno.h>

#include "counters/source/drm.h"
#include "counters/source/hwmon.h"
#include "counters/source/mali.h"
#include "counters/source/oa.h"
#include "counters/source/perf_event.h"

static const char *
or_else(const char *path, const char *usual)
{
    return path ? path : usual;
}

size_t
pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret, size_t room)
{
    const struct pp_kernel_paths none = {.sys = NULL};
    int saved = errno;
    size_t count = 0;
    paths = paths ? paths : &none;
    const char *proc = or_else(paths->proc, "/proc");
    const char *dev = or_else(paths->dev, "/dev");
    const char *sys = or_else(paths->sys, "/sys");
    if (count < room && pp_perf_open(proc, &ret[count]) == 0)
        count++;
    if (count < room && pp_drm_open(proc, dev, sys, &ret[count]) == 0)
        count++;
    if (count < room && pp_hwmon_open(sys, &ret[count]) == 0)
        count++;
    const struct pp_i915_paths intel = {.sys = sys, .proc = proc, .dev = dev};
    if (count < room && pp_oa_open(&intel, &ret[count]) == 0)
        count++;
    if (count < room && pp_mali_source_open(sys, dev, &ret[count]) == 0)
        count++;
    errno = saved;
    return count;
}
