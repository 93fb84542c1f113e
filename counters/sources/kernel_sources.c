/** @file
 * Opening the sources of the kernel; see kernel_sources.h. */
#include "counters/sources/kernel_sources.h"

#include <errno.h>

static struct pp_kernel_paths
complete_paths(const struct pp_kernel_paths *paths)
{
    struct pp_kernel_paths at = {.sys = "/sys", .proc = "/proc", .dev = "/dev"};
    if (paths && paths->sys)
        at.sys = paths->sys;
    if (paths && paths->proc)
        at.proc = paths->proc;
    if (paths && paths->dev)
        at.dev = paths->dev;
    return at;
}

size_t
pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret, size_t capacity)
{
    const struct pp_kernel_paths at = complete_paths(paths);
    const struct pp_source_row *row;
    int saved = errno;
    size_t count = 0;
    for (size_t i = 0; (row = pp_source_row(i)) && count < capacity; i++)
        if (row->origin == PP_SOURCE_KERNEL && row->open(&at, &ret[count]) == 0)
            count++;
    errno = saved;
    return count;
}

int
pp_kernel_gpu_source_open(const struct pp_kernel_paths *paths, uint32_t vendor, struct pp_event_source *ret)
{
    const struct pp_kernel_paths at = complete_paths(paths);
    const struct pp_source_row *row;
    int saved = errno;
    int rc = -ENOENT;
    for (size_t i = 0; (row = pp_source_row(i)) && rc == -ENOENT; i++)
        if (row->origin == PP_SOURCE_KERNEL && row->vendor && row->vendor == vendor)
            rc = row->open(&at, ret);
    errno = saved;
    return rc;
}
