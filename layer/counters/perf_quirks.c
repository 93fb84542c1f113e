/** @file
 * See perf_quirks.h. Rows come from reading Mesa's sources (25.0 and the main branch of 2026), not from runs
 * on the hardware. Faults that ANV shares with Mesa's OpenGL driver are in counters/oa/oa_gpu.c. */
#include "layer/counters/perf_quirks.h"

#include "core/util/log.h"
#include "counters/oa/oa_gpu.h"
#include "counters/util/array_size.h"

#include <stddef.h>

#define ALWAYS 0, UINT32_MAX

/* A row: for driverVersion first..last. */
struct row {
    VkDriverId driver;
    uint32_t first, last;
    struct pp_perf_quirk quirk;
};

static const struct row table[] = {
    /* radv_perfcounter.c gives the three cache hit ratios the unit BYTES; they are percents. */
    {VK_DRIVER_ID_MESA_RADV, ALWAYS, {.ratios_are_bytes = true}},
    /* radv_query.c: the answer is VK_SUCCESS, whether a performance query is available or not. Seen in 22.3.6
     * on a simulated GPU that executes nothing. */
    {VK_DRIVER_ID_MESA_RADV, ALWAYS, {.zeros_if_lost = true}},
    /* radv_device_acquire_performance_counters() sets a stable power state; brackets wait until the GPU is
     * idle. */
    {VK_DRIVER_ID_MESA_RADV,
     ALWAYS,
     {.on_request = true, .note = PP_TEXT_RADV_NOTE, .refusal = PP_TEXT_RADV_REFUSAL}},
    /* v3dv_query.c: a query inside a subpass finishes the job and resumes it in another. */
    {VK_DRIVER_ID_MESA_V3DV, ALWAYS, {.jobs = true, .on_request = true, .note = PP_TEXT_V3DV_NOTE}},
    /* tu_query.cc up to 25.0: scope COMMAND_BUFFER, which the driver reports; needs TU_DEBUG=perfc. */
    {VK_DRIVER_ID_MESA_TURNIP,
     ALWAYS,
     {.on_request = true, .note = PP_TEXT_TURNIP_NOTE, .refusal = PP_TEXT_TURNIP_REFUSAL}},
    /* anv_AcquireProfilingLockKHR() gives VK_TIMEOUT for whatever i915 or xe refuses.
     * 22.3.6, as read: each submission with a query asks the kernel for the query's metric set, and the
     * device is lost if another program has removed it. Each symbol has only one read function, that of the
     * first set with the symbol. */
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA,
     ALWAYS,
     {.on_request = true, .note = PP_TEXT_ANV_NOTE, .refusal = PP_TEXT_ANV_REFUSAL}},
};

/* Add the faults of Mesa's Intel drivers. */
static void
find_mesa_faults(const VkPhysicalDeviceProperties *device, struct pp_perf_quirk *quirk)
{
    struct pp_oa_gpu gpu;
    uint32_t version = PP_MESA_VERSION(VK_API_VERSION_MAJOR(device->driverVersion),
                                       VK_API_VERSION_MINOR(device->driverVersion),
                                       VK_API_VERSION_PATCH(device->driverVersion));
    unsigned gen = pp_oa_gpu_by_pci(device->deviceID, &gpu) == 0 ? gpu.gen : 0;
    quirk->no_khr = pp_oa_mesa_fault(PP_OA_MESA_METRICS, version, gen);
    quirk->no_oa = pp_oa_mesa_fault(PP_OA_MESA_REPORTS, version, gen);
}

struct pp_perf_quirk
pp_perf_quirk_find(VkDriverId driver, const VkPhysicalDeviceProperties *device)
{
    struct pp_perf_quirk all = {.note = NULL};
    uint32_t version = device->driverVersion;
    if (driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA)
        find_mesa_faults(device, &all);
    for (size_t i = 0; i < PP_ARRAY_SIZE(table); i++) {
        const struct row *row = &table[i];
        if (row->driver != driver || version < row->first || version > row->last)
            continue;
        all.ratios_are_bytes = all.ratios_are_bytes || row->quirk.ratios_are_bytes;
        all.jobs = all.jobs || row->quirk.jobs;
        all.zeros_if_lost = all.zeros_if_lost || row->quirk.zeros_if_lost;
        all.on_request = all.on_request || row->quirk.on_request;
        all.note = row->quirk.note ? row->quirk.note : all.note;
        all.refusal = row->quirk.refusal ? row->quirk.refusal : all.refusal;
    }
    return all;
}
