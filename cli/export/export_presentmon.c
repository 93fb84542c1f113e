/** @file
 * Frames as PresentMon's CSV file has them. docs/formats/export.md says which column is what. The
 * columns up to FrameId are those of PresentMon 1, in its order, because CapFrameX wants them; the others
 * have their names since PresentMon 2.3.1. Source: PresentMon's documentation and its
 * PresentMon/CsvOutput.cpp, versions 1.9.2 and 2.3.1. */
#include <string.h>

#include "cli/export/export_choice.h"
#include "cli/export/export_viewer.h"
#include "cli/export/export_viewer_cells.h"

/* What PresentMon writes where it has no value. */
#define NONE "NA"

/* PresentMon knows DXGI and D3D9, and says "Other" for other APIs. */
static const char *
runtime_of(const char *api)
{
    if (strcmp(api, "gl") == 0)
        return "OpenGL";
    if (strcmp(api, "gles") == 0)
        return "OpenGL ES";
    return strcmp(api, "vulkan") == 0 ? "Vulkan" : "Other";
}

static void
put_ms(FILE *out, int64_t ns)
{
    fputs(",", out);
    pp_viewer_put_millionths(out, ns, NONE);
}

static void
write_frame(const struct pp_viewer_log *log, const struct pp_viewer_frame *frame, FILE *out)
{
    const int64_t *ns = frame->ns;
    int64_t present = pp_viewer_sum(ns[PP_VIEWER_CPU_START], ns[PP_VIEWER_CPU_BUSY]);
    int64_t gpu_end = pp_viewer_sum(ns[PP_VIEWER_GPU_START], ns[PP_VIEWER_GPU_TIME]);
    pp_viewer_put_text(out, log->app, "<unknown>");
    fputs(",", out);
    pp_viewer_put_number(out, log->pid, NONE);
    fputs(",", out);
    pp_viewer_put_address(out, (uint64_t)frame->surface_number);
    fputs(",", out);
    pp_viewer_put_text(out, runtime_of(log->rec->surface[frame->surface].api), NONE);
    /* PresentMon never writes NA for SyncInterval, PresentFlags, Dropped and AllowsTearing: where it knows
     * nothing, -1, 0, 0 and 0. Source: PresentEvent::PresentEvent() */
    fputs(",-1,0,0,", out);
    pp_viewer_put_billionths(out, pp_viewer_difference(present, log->begin_ns), NONE);
    put_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_ms(out, ns[PP_VIEWER_FRAME_TIME]);
    fputs(",0,Other", out);
    put_ms(out, pp_viewer_difference(gpu_end, present));
    fputs("," NONE "," NONE "," NONE, out); /* when the display showed the frame is not measured */
    put_ms(out, pp_viewer_difference(ns[PP_VIEWER_GPU_START], present));
    put_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    fputs(",", out);
    pp_viewer_put_number(out, frame->number, NONE);
    put_ms(out, ns[PP_VIEWER_CPU_BUSY]);
    put_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_ms(out, ns[PP_VIEWER_GPU_LATENCY]);
    put_ms(out, ns[PP_VIEWER_GPU_TIME]);
    put_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    put_ms(out, ns[PP_VIEWER_GPU_WAIT]);
    fputs("\n", out);
}

static void
write_file(const struct pp_viewer_log *log, FILE *out)
{
    fputs("Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,"
          "msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,"
          "msBetweenDisplayChange,msFlipDelay,msUntilRenderStart,msGPUActive,FrameId,"
          "MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,MsGPUBusy,MsGPUWait\n",
          out);
    for (size_t i = 0; i < log->frames; i++)
        write_frame(log, &log->frame[i], out);
}

static const struct pp_viewer_format format = {.write = write_file};

const struct pp_export_choice pp_export_as_presentmon = {.ending = "presentmon.csv", .viewer = &format};
