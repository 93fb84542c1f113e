/** @file
 * Frames as MangoHud's CSV file has them. docs/formats/export.md says which column is what.
 * MangoHud's columns come first, in its order: some viewers read them by place. Source: src/logging.cpp of
 * MangoHud 0.8. */
#include "cli/export/export_choice.h"
#include "cli/export/export_viewer.h"
#include "cli/export/export_viewer_cells.h"
#include "cli/session/row_reader.h"

static void
put_member(FILE *out, const json_t *object, const char *name)
{
    pp_viewer_put_text(out, json_string_value(json_object_get(object, name)), "");
    fputs(",", out);
}

/* Write the two lines about the machine. The memory is in KiB, as in /proc/meminfo. passprobe does not know
 * the governor of the processor's clock ("cpuscheduler"). */
static void
write_system(const struct pp_viewer_log *log, FILE *out)
{
    const json_t *host = pp_saved_json(log->rec, "host");
    const json_t *memory = json_object_get(host, "memory_bytes");
    const struct pp_saved_surface *surface = &log->rec->surface[log->frame[0].surface];
    fputs("os,cpu,gpu,ram,kernel,driver,cpuscheduler\n", out);
    put_member(out, host, "os");
    put_member(out, host, "cpu");
    pp_viewer_put_text(out, surface->device, "");
    fputs(",", out);
    int64_t bytes = json_is_integer(memory) ? json_integer_value(memory) : 0;
    pp_viewer_put_number(out, bytes > 0 ? bytes / 1024 : PP_VIEWER_NONE, "");
    fputs(",", out);
    put_member(out, host, "kernel");
    put_member(out, pp_saved_device(log->rec, surface), "driver");
    fputs("\n", out);
}

static void
put_ms(FILE *out, int64_t ns)
{
    fputs(",", out);
    pp_viewer_put_millionths(out, ns, "");
}

/* Frames per second with six decimals. */
static void
put_fps(FILE *out, int64_t frame_ns)
{
    uint64_t ns = (uint64_t)frame_ns;
    pp_viewer_put_millionths(out, (int64_t)((UINT64_C(1000000000000000) + ns / 2) / ns), "");
}

/* The share of the frame in which the GPU was busy with it, in percent. A frame's work may last longer than
 * the frame. */
static int64_t
gpu_load(const int64_t *ns)
{
    if (ns[PP_VIEWER_GPU_BUSY] == PP_VIEWER_NONE)
        return PP_VIEWER_NONE;
    double percent = 100.0 * (double)ns[PP_VIEWER_GPU_BUSY] / (double)ns[PP_VIEWER_FRAME_TIME];
    return percent < 100 ? (int64_t)(percent + 0.5) : 100;
}

static void
write_frame(const struct pp_viewer_log *log, const struct pp_viewer_frame *frame, FILE *out)
{
    const int64_t *ns = frame->ns;
    int64_t end = pp_viewer_sum(ns[PP_VIEWER_CPU_START], ns[PP_VIEWER_FRAME_TIME]);
    put_fps(out, ns[PP_VIEWER_FRAME_TIME]);
    put_ms(out, ns[PP_VIEWER_FRAME_TIME]);
    fputs(",,,", out);
    pp_viewer_put_number(out, gpu_load(ns), "");
    fputs(",,,,,,,,,,,", out);
    pp_viewer_put_number(out, pp_viewer_difference(end, log->begin_ns), "");
    fputs(",", out);
    pp_viewer_put_number(out, frame->number, "");
    put_ms(out, ns[PP_VIEWER_CPU_BUSY]);
    put_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_ms(out, ns[PP_VIEWER_GPU_LATENCY]);
    put_ms(out, ns[PP_VIEWER_GPU_TIME]);
    put_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    put_ms(out, ns[PP_VIEWER_GPU_WAIT]);
    fputs(",", out);
    bool known = frame->verdict != PP_VERDICT_NONE;
    pp_viewer_put_text(out, known ? pp_saved_verdict_name(frame->verdict) : "", "");
    fputs("\n", out);
}

static void
write_file(const struct pp_viewer_log *log, FILE *out)
{
    write_system(log, out);
    fputs("fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,"
          "gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed,"
          "frame,cpu_busy_ms,cpu_wait_ms,gpu_latency_ms,gpu_time_ms,gpu_busy_ms,gpu_wait_ms,bound_by\n",
          out);
    for (size_t i = 0; i < log->frames; i++)
        write_frame(log, &log->frame[i], out);
}

static const struct pp_viewer_format format = {.write = write_file, .one_surface = true};

const struct pp_export_choice pp_export_as_mangohud = {.ending = "mangohud.csv", .viewer = &format};
