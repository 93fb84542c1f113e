/** @file
 * Events and their parts; see part_table.h. */
#include "counters/plausibility/part_table.h"

#include <stddef.h>

#include "counters/util/array_size.h"

/* Names: Mesa's OA metrics (counters/gpus/intel), by symbol in `oa`, by name in the others. */
static const struct {
    const char *source, *event;
    enum pp_part part;
} table[] = {
    {"oa", "GpuCoreClocks", PP_PART_CLOCKS},
    {"oa", "GpuTime", PP_PART_TIME_NS},
    {"oa", "GpuBusy", PP_PART_BUSY},
    {"oa", "VsThreads", PP_PART_VS_THREADS},
    {"oa", "HsThreads", PP_PART_HS_THREADS},
    {"oa", "DsThreads", PP_PART_DS_THREADS},
    {"oa", "GsThreads", PP_PART_GS_THREADS},
    {"khr", "GPU Core Clocks", PP_PART_CLOCKS},
    {"khr", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"khr", "GPU Busy", PP_PART_BUSY},
    {"khr", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"khr", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"khr", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"khr", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"intel", "GPU Core Clocks", PP_PART_CLOCKS},
    {"intel", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"intel", "GPU Busy", PP_PART_BUSY},
    {"intel", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"intel", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"intel", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"intel", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"amd", "GPU Core Clocks", PP_PART_CLOCKS},
    {"amd", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"amd", "GPU Busy", PP_PART_BUSY},
    {"amd", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"amd", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"amd", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"amd", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"pipeline", "vertex_shader_invocations", PP_PART_VS_INVOCATIONS},
    {"pipeline", "tessellation_control_shader_patches", PP_PART_HS_PATCHES},
    {"pipeline", "tessellation_evaluation_shader_invocations", PP_PART_DS_INVOCATIONS},
    {"pipeline", "geometry_shader_invocations", PP_PART_GS_INVOCATIONS},
};

bool
pp_part_at(uint32_t i, const char **ret_source, const char **ret_event, enum pp_part *ret_part)
{
    if (i >= PP_ARRAY_SIZE(table))
        return false;
    *ret_source = table[i].source;
    *ret_event = table[i].event;
    *ret_part = table[i].part;
    return true;
}
