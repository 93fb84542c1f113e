/** @file
 * See registry.h. The table of counter sources; To add a source of the kernel, add a row here, its file and
 * its header.
 *
 * Opening the sources of the kernel; */
#include "counters/sources/registry.h"

#include <errno.h>
#include <string.h>

#include "counters/sources/kernel/drm.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "counters/util/array_size.h"

static const struct pp_source_row rows[] = {
    {
        .name = PP_SOURCE_TIME,
        .measures = "GPU time",
        .scope = "frames, passes and draws",
        .cost = "two timestamps for each bracket",
        .without_e = "always measured",
        .origin = PP_SOURCE_BUILTIN,
    },
    {
        .name = PP_SOURCE_PIPELINE,
        .measures = "pipeline statistics: vertices, primitives, shader invocations",
        .scope = "frames, passes and draws",
        .cost = "two queries for each bracket",
        .without_e = "measured where the driver has them",
        .origin = PP_SOURCE_BUILTIN,
    },
    {
        .name = PP_SOURCE_KHR,
        .measures = "VK_KHR_performance_query",
        .scope = "frames, passes or draws, one bracket at a time",
        .cost = "the profiling lock may pin the clocks; drivers wait for idle at each bracket",
        .without_e = "the driver's default set; with Mesa's drivers, none",
        .origin = PP_SOURCE_API,
    },
    {
        .name = "intel",
        .measures = "GL_INTEL_performance_query",
        .scope = "frames, passes or draws, one group and one bracket at a time",
        .without_e = "the driver's default set; from Mesa 24.1 on, none",
        .cost = "the GPU drains its pipeline at each bracket",
        .origin = PP_SOURCE_API,
    },
    {
        .name = "amd",
        .measures = "GL_AMD_performance_monitor",
        .scope = "frames, passes or draws, one bracket at a time",
        .without_e = "the driver's default set",
        .cost = "some drivers flush (v3d, vc4) or compute (nouveau) at each bracket",
        .origin = PP_SOURCE_API,
    },
    {
        .name = "cpu",
        .measures = "what a thread of the application did on the CPU",
        .scope = "frames: the presenting thread; passes and draws: the thread that calls",
        .cost = "one system call for each reading, or none where the CPU's counters can be read directly",
        .without_e = "frames: time that the thread ran, page faults, context switches",
        .origin = PP_SOURCE_KERNEL,
        .of_frames = true,
        .short_name = {"cycles", "instructions", "cache-references", "cache-misses", "branches",
                       "branch-misses", "task-clock", "page-faults", "context-switches", "cpu-migrations"},
        .open = pp_cpu_source_open,
    },
    {
        .name = "drm",
        .measures = "what the kernel's graphics drivers count for this process",
        .scope = "frames of this process",
        .cost = "about 10 us for each open graphics device at the end of a frame",
        .without_e = "not measured",
        .origin = PP_SOURCE_KERNEL,
        .of_frames = true,
        .open = pp_drm_source_open,
    },
    {
        .name = "hwmon",
        .measures = "clocks, temperatures and power of the machine's GPUs",
        .scope = "the whole GPU, ten times a second",
        .cost = "nothing on the application's threads",
        .without_e = "not measured",
        .origin = PP_SOURCE_KERNEL,
        .of_frames = true,
        .open = pp_hwmon_source_open,
    },
    {
        .name = PP_SOURCE_OA,
        .measures = "Intel's metric sets",
        .scope = "passes and draws; exact with --serialize, otherwise divided by time where passes overlap",
        .cost =
            "the GPU writes a report of 256 bytes 6000 times a second and does not sleep; no other program "
            "can use its OA unit",
        .without_e = "RenderBasic, where the graphics driver has no default set",
        .origin = PP_SOURCE_KERNEL,
        .vendor = PP_VENDOR_INTEL,
        .catalogue = "intel",
        .open = pp_oa_source_open,
    },
    {
        .name = "mali",
        .measures = "Arm's counters and metrics",
        .scope = "passes and draws; counts the whole GPU, so only with --serialize",
        .cost = "the GPU waits for idle and writes its caches back at each bracket",
        .without_e = "with --serialize: utilizations, and the counters that show which unit bounded a pass",
        .origin = PP_SOURCE_KERNEL,
        .vendor = PP_VENDOR_ARM,
        .catalogue = "mali",
        .renamed = {{"Hardware", "counters"}, {"Derived", "metrics"}},
        .open = pp_mali_source_open,
    },
    {
        .name = "app",
        .measures = "counters that the application counts itself",
        .scope = "frames of this process",
        .cost = "",
        .without_e = "all of them",
        .origin = PP_SOURCE_APP,
        .of_frames = true,
    },
};

const struct pp_source_row *
pp_source_row(size_t i)
{
    return i < PP_ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

const struct pp_source_row *
pp_source_row_find(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

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
