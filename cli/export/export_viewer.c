/** @file
 * See export_viewer.h. Viewers split lines at commas and line breaks, and do not know quotes. */
#include "cli/export/export_viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "cli/export/export_format.h"
#include "cli/session/row_reader.h"
#include "cli/session/session_json.h"
#include "cli/session/session_shown.h"
#include "counters/util/grow_array.h"
#include "counters/util/printable.h"

/* Times are shorter, so that the sum of three of them is a number. */
#define PP_VIEWER_LONGEST_NS (INT64_C(1) << 61)

/* Write a text without commas, double quotes and characters that are not printable: a blank represents
 * consecutive ones of them. No blanks are at the begin and at the end.
 *
 * @param text    NULL: none.
 * @param instead Written as it is if nothing is left of the text. */
static void
viewer_put_text(FILE *out, const char *text, const char *instead)
{
    bool any = false, blank = false;
    while (text && *text) {
        bool printable = false;
        size_t len = pp_printable_next(text, &printable);
        bool wanted = printable && *text != ',' && *text != '"' && *text != ' ';
        if (wanted && blank && any)
            fputc(' ', out);
        if (wanted)
            fwrite(text, 1, len, out);
        blank = !wanted;
        any |= wanted;
        text += len;
    }
    if (!any)
        fputs(instead, out);
}

/* Write a whole number. @param value PP_VIEWER_NONE: @p none is written. */
static void
viewer_put_number(FILE *out, int64_t value, const char *none)
{
    if (value == PP_VIEWER_NONE)
        fputs(none, out);
    else
        fprintf(out, "%" PRId64, value);
}

static void
put_decimal(FILE *out, int64_t value, uint64_t unit, int decimals, const char *none)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value == PP_VIEWER_NONE)
        fputs(none, out);
    else
        fprintf(out, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", size / unit, decimals, size % unit);
}

/* Write a number with six decimals, so that nanoseconds become milliseconds. @param millionths As for
 * pp_viewer_put_number(). */
static void
viewer_put_millionths(FILE *out, int64_t millionths, const char *none)
{
    put_decimal(out, millionths, 1000000U, 6, none);
}

/* Write a number with nine decimals, so that nanoseconds become seconds. @param billionths As for
 * pp_viewer_put_number(). */
static void
viewer_put_billionths(FILE *out, int64_t billionths, const char *none)
{
    put_decimal(out, billionths, 1000000000U, 9, none);
}

/* Write a number as an address: "0x" and 16 digits. */
static void
viewer_put_address(FILE *out, uint64_t value)
{
    fprintf(out, "0x%016" PRIX64, value);
}

/* The sum of two times. @return PP_VIEWER_NONE if one of them is. */
static int64_t
viewer_sum(int64_t a, int64_t b)
{
    return a == PP_VIEWER_NONE || b == PP_VIEWER_NONE ? PP_VIEWER_NONE : a + b;
}

/* The difference of two times. @return PP_VIEWER_NONE if one of them is. */
static int64_t
viewer_difference(int64_t a, int64_t b)
{
    return a == PP_VIEWER_NONE || b == PP_VIEWER_NONE ? PP_VIEWER_NONE : a - b;
}

/* PresentMon's CSV file. docs/formats/export.md says which column is what. The columns up to FrameId are
 * those of PresentMon 1, in its order, because CapFrameX wants them; the others have their names since
 * PresentMon 2.3.1. Source: PresentMon's documentation and its PresentMon/CsvOutput.cpp, versions 1.9.2
 * and 2.3.1. */

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
put_presentmon_ms(FILE *out, int64_t ns)
{
    fputs(",", out);
    viewer_put_millionths(out, ns, NONE);
}

static void
write_presentmon_frame(const struct pp_viewer_log *log, const struct pp_viewer_frame *frame, FILE *out)
{
    const int64_t *ns = frame->ns;
    int64_t present = viewer_sum(ns[PP_VIEWER_CPU_START], ns[PP_VIEWER_CPU_BUSY]);
    int64_t gpu_end = viewer_sum(ns[PP_VIEWER_GPU_START], ns[PP_VIEWER_GPU_TIME]);
    viewer_put_text(out, log->app, "<unknown>");
    fputs(",", out);
    viewer_put_number(out, log->pid, NONE);
    fputs(",", out);
    viewer_put_address(out, (uint64_t)frame->surface_number);
    fputs(",", out);
    viewer_put_text(out, runtime_of(log->rec->surface[frame->surface].api), NONE);
    /* PresentMon never writes NA for SyncInterval, PresentFlags, Dropped and AllowsTearing: where it knows
     * nothing, -1, 0, 0 and 0. Source: PresentEvent::PresentEvent() */
    fputs(",-1,0,0,", out);
    viewer_put_billionths(out, viewer_difference(present, log->begin_ns), NONE);
    put_presentmon_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_presentmon_ms(out, ns[PP_VIEWER_FRAME_TIME]);
    fputs(",0,Other", out);
    put_presentmon_ms(out, viewer_difference(gpu_end, present));
    fputs("," NONE "," NONE "," NONE, out); /* when the display showed the frame is not measured */
    put_presentmon_ms(out, viewer_difference(ns[PP_VIEWER_GPU_START], present));
    put_presentmon_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    fputs(",", out);
    viewer_put_number(out, frame->number, NONE);
    put_presentmon_ms(out, ns[PP_VIEWER_CPU_BUSY]);
    put_presentmon_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_presentmon_ms(out, ns[PP_VIEWER_GPU_LATENCY]);
    put_presentmon_ms(out, ns[PP_VIEWER_GPU_TIME]);
    put_presentmon_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    put_presentmon_ms(out, ns[PP_VIEWER_GPU_WAIT]);
    fputs("\n", out);
}

static void
write_presentmon(const struct pp_viewer_log *log, FILE *out)
{
    fputs("Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,"
          "msInPresentAPI,msBetweenPresents,AllowsTearing,PresentMode,msUntilRenderComplete,msUntilDisplayed,"
          "msBetweenDisplayChange,msFlipDelay,msUntilRenderStart,msGPUActive,FrameId,"
          "MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,MsGPUBusy,MsGPUWait\n",
          out);
    for (size_t i = 0; i < log->frames; i++)
        write_presentmon_frame(log, &log->frame[i], out);
}

static const struct pp_viewer_format presentmon = {.write = write_presentmon};

const struct pp_export_choice pp_export_as_presentmon = {.ending = "presentmon.csv", .viewer = &presentmon};

/* MangoHud's CSV file. docs/formats/export.md says which column is what. MangoHud's columns come first, in
 * its order: some viewers read them by place. Source: src/logging.cpp of MangoHud 0.8. */

static void
put_member(FILE *out, const json_t *object, const char *name)
{
    viewer_put_text(out, json_string_value(json_object_get(object, name)), "");
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
    viewer_put_text(out, surface->device, "");
    fputs(",", out);
    int64_t bytes = json_is_integer(memory) ? json_integer_value(memory) : 0;
    viewer_put_number(out, bytes > 0 ? bytes / 1024 : PP_VIEWER_NONE, "");
    fputs(",", out);
    put_member(out, host, "kernel");
    put_member(out, pp_saved_device(log->rec, surface), "driver");
    fputs("\n", out);
}

static void
put_mangohud_ms(FILE *out, int64_t ns)
{
    fputs(",", out);
    viewer_put_millionths(out, ns, "");
}

/* Frames per second with six decimals. */
static void
put_fps(FILE *out, int64_t frame_ns)
{
    uint64_t ns = (uint64_t)frame_ns;
    viewer_put_millionths(out, (int64_t)((UINT64_C(1000000000000000) + ns / 2) / ns), "");
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
write_mangohud_frame(const struct pp_viewer_log *log, const struct pp_viewer_frame *frame, FILE *out)
{
    const int64_t *ns = frame->ns;
    int64_t end = viewer_sum(ns[PP_VIEWER_CPU_START], ns[PP_VIEWER_FRAME_TIME]);
    put_fps(out, ns[PP_VIEWER_FRAME_TIME]);
    put_mangohud_ms(out, ns[PP_VIEWER_FRAME_TIME]);
    fputs(",,,", out);
    viewer_put_number(out, gpu_load(ns), "");
    fputs(",,,,,,,,,,,", out);
    viewer_put_number(out, viewer_difference(end, log->begin_ns), "");
    fputs(",", out);
    viewer_put_number(out, frame->number, "");
    put_mangohud_ms(out, ns[PP_VIEWER_CPU_BUSY]);
    put_mangohud_ms(out, ns[PP_VIEWER_CPU_WAIT]);
    put_mangohud_ms(out, ns[PP_VIEWER_GPU_LATENCY]);
    put_mangohud_ms(out, ns[PP_VIEWER_GPU_TIME]);
    put_mangohud_ms(out, ns[PP_VIEWER_GPU_BUSY]);
    put_mangohud_ms(out, ns[PP_VIEWER_GPU_WAIT]);
    fputs(",", out);
    bool known = frame->verdict != PP_VERDICT_NONE;
    viewer_put_text(out, known ? pp_saved_verdict_name(frame->verdict) : "", "");
    fputs("\n", out);
}

static void
write_mangohud(const struct pp_viewer_log *log, FILE *out)
{
    write_system(log, out);
    fputs("fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,"
          "gpu_vram_used,gpu_power,ram_used,swap_used,process_rss,cpu_mhz,elapsed,"
          "frame,cpu_busy_ms,cpu_wait_ms,gpu_latency_ms,gpu_time_ms,gpu_busy_ms,gpu_wait_ms,bound_by\n",
          out);
    for (size_t i = 0; i < log->frames; i++)
        write_mangohud_frame(log, &log->frame[i], out);
}

static const struct pp_viewer_format mangohud = {.write = write_mangohud, .one_surface = true};

const struct pp_export_choice pp_export_as_mangohud = {.ending = "mangohud.csv", .viewer = &mangohud};

static const char *const time_name[PP_VIEWER_TIMES] = {
    [PP_VIEWER_CPU_START] = "cpu_start_ns",     [PP_VIEWER_FRAME_TIME] = "frame_time_ns",
    [PP_VIEWER_CPU_BUSY] = "cpu_busy_ns",       [PP_VIEWER_CPU_WAIT] = "cpu_wait_ns",
    [PP_VIEWER_GPU_START] = "gpu_start_ns",     [PP_VIEWER_GPU_TIME] = "gpu_time_ns",
    [PP_VIEWER_GPU_LATENCY] = "gpu_latency_ns", [PP_VIEWER_GPU_BUSY] = "gpu_busy_ns",
    [PP_VIEWER_GPU_WAIT] = "gpu_wait_ns",
};

/* frames.csv that is being read. */
struct reading {
    struct pp_row_reader r;
    struct pp_export *e;
    struct pp_viewer_log *log;
    struct pp_viewer_left_out *left_out;
    size_t at[PP_VIEWER_TIMES]; /* column of the file; SIZE_MAX: it has none */
    size_t app_at, pid_at;      /* likewise */
};

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *f = data;
    pp_row_reader_columns(&f->r, cell, cells);
    pp_columns_find(cell, cells, time_name, PP_VIEWER_TIMES, f->at);
    pp_columns_find(cell, cells, (const char *const[]){"app"}, 1, &f->app_at);
    f->pid_at = f->r.at[COL_PID];
    return true;
}

/* A number that is not negative. */
static int64_t
whole_or_none(struct pp_export *e, const struct pp_cell *cell)
{
    struct pp_export_value value;
    if (!cell->present || !cell->len)
        return PP_VIEWER_NONE;
    if (pp_export_value_of(cell, PP_EXPORT_INTEGER, &value) && value.kind == PP_EXPORT_IS_INTEGER &&
        value.integer >= 0 && value.integer < PP_VIEWER_LONGEST_NS)
        return value.integer;
    e->bad_cells++;
    return PP_VIEWER_NONE;
}

/* Is this a frame whose times `stat` shows? If not, it is counted. */
static bool
is_shown(struct reading *f, const struct pp_cell *cell, double number, size_t surface)
{
    const struct pp_saved_session *rec = &f->e->rec;
    size_t level = pp_saved_level_of(pp_row_reader_cell(&f->r, cell, COL_LEVEL));
    bool outside = surface == PP_SAVED_NO_SURFACE;
    bool only = !outside && rec->surface[surface].rows == 1; /* it holds the application's start, too */
    bool first = !outside && (only || pp_saved_is_first(rec, number));
    bool other = !outside && !first && level != pp_levels_cpu(&rec->surface[surface]);
    f->left_out->outside += outside;
    f->left_out->first += first;
    f->left_out->level += other;
    return !outside && !first && !other;
}

/* The name and the number of the process are in each row. */
static int
read_process(struct reading *f, const struct pp_cell *cell)
{
    struct pp_viewer_log *log = f->log;
    if (!log->app && f->app_at != SIZE_MAX && cell[f->app_at].len) {
        log->app = strdup(cell[f->app_at].text);
        if (!log->app)
            return -ENOMEM;
    }
    if (log->pid == PP_VIEWER_NONE && f->pid_at != SIZE_MAX)
        log->pid = whole_or_none(f->e, &cell[f->pid_at]);
    return 0;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *f = data;
    struct pp_viewer_log *log = f->log;
    struct pp_viewer_frame frame = {.number = 0};
    double number = 0;
    (void)cells;
    if (!pp_cell_number(pp_row_reader_cell(&f->r, cell, COL_FRAME), &number) || !(fabs(number) < 9e15))
        return true; /* e->rec.bad_rows counts it */
    frame.number = (int64_t)number;
    frame.surface = pp_saved_surface_of(&f->e->rec, number);
    if (!is_shown(f, cell, number, frame.surface))
        return true;
    for (size_t i = 0; i < PP_VIEWER_TIMES; i++)
        frame.ns[i] = f->at[i] == SIZE_MAX ? PP_VIEWER_NONE : whole_or_none(f->e, &cell[f->at[i]]);
    if (frame.ns[PP_VIEWER_FRAME_TIME] <= 0) { /* this includes PP_VIEWER_NONE */
        f->left_out->untimed++;
        return true;
    }
    frame.verdict = pp_saved_verdict_of(pp_row_reader_cell(&f->r, cell, COL_BOUND_BY));
    double place = 0;
    bool numbered = pp_export_place_type(f->e) != PP_EXPORT_TEXT &&
                    pp_cell_number(pp_row_reader_cell(&f->r, cell, COL_SURFACE), &place) && place >= 0 &&
                    place < 1e9;
    frame.surface_number = numbered ? (int64_t)place : (int64_t)frame.surface;
    f->r.error = pp_grow_array(&log->frame, &log->cap, log->frames + 1, sizeof(*log->frame));
    if (f->r.error == 0)
        log->frame[log->frames++] = frame;
    f->r.error = f->r.error ? f->r.error : read_process(f, cell);
    return f->r.error == 0;
}

static int
by_number(const void *a, const void *b)
{
    const struct pp_viewer_frame *x = a;
    const struct pp_viewer_frame *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Keep only the frames of the surface with the most of them. @retval 0, -ENOMEM. */
static int
keep_one_surface(struct pp_viewer_log *log, struct pp_viewer_left_out *left_out)
{
    size_t *count = calloc(log->rec->surfaces + 1, sizeof(*count));
    size_t most = 0, kept = 0;
    if (!count)
        return -ENOMEM;
    for (size_t i = 0; i < log->frames; i++)
        count[log->frame[i].surface]++;
    for (size_t i = 1; i < log->rec->surfaces; i++)
        most = count[i] > count[most] ? i : most;
    free(count);
    for (size_t i = 0; i < log->frames; i++)
        if (log->frame[i].surface == most)
            log->frame[kept++] = log->frame[i];
    left_out->surface = log->frames - kept;
    log->frames = kept;
    return 0;
}

/* What session.json knows of the process. The rows' name comes first: under Wine, the executable is Wine. */
static int
read_program(struct pp_viewer_log *log)
{
    const char *executable = json_string_value(pp_saved_json(log->rec, "program.executable"));
    const json_t *begin = pp_saved_json(log->rec, "program.start_monotonic_ns");
    json_int_t pid = json_integer_value(pp_saved_json(log->rec, "program.pid"));
    if (!log->app && executable) {
        const char *slash = strrchr(executable, '/');
        log->app = strdup(slash ? slash + 1 : executable);
        if (!log->app)
            return -ENOMEM;
    }
    if (log->pid == PP_VIEWER_NONE && pid > 0)
        log->pid = pid;
    log->begin_ns = log->frame[0].ns[PP_VIEWER_CPU_START];
    if (json_is_integer(begin) && json_integer_value(begin) >= 0 &&
        json_integer_value(begin) < PP_VIEWER_LONGEST_NS)
        log->begin_ns = json_integer_value(begin);
    return 0;
}

/* Read what the session says of its frames. @retval 0, -ENOENT, -ENOMEM. */
static int
read_session(struct pp_export *e, int dir_fd)
{
    struct pp_saved_session *rec = &e->rec;
    pp_saved_begin(rec, dir_fd);
    rec->passes_unread = true;
    rec->window = pp_frame_window_recorded(pp_saved_json(rec, "window"));
    rec->frames_error = pp_saved_read_frames(rec, pp_saved_frames_file(dir_fd), NULL, 0);
    if (rec->frames_error == -ENOMEM)
        return -ENOMEM;
    return rec->json_missing && rec->frames_error == -ENOENT ? -ENOENT : 0;
}

static int
write_log(struct pp_export *e, const struct pp_viewer_format *format, struct pp_viewer_log *log, FILE *out,
          struct pp_viewer_left_out *left_out)
{
    qsort(log->frame, log->frames, sizeof(*log->frame), by_number);
    int rc = format->one_surface ? keep_one_surface(log, left_out) : 0;
    rc = rc ? rc : read_program(log);
    if (rc)
        return rc;
    format->write(log, out);
    e->rows = log->frames;
    errno = EIO;
    e->error = fflush(out) || ferror(out) ? -errno : 0;
    return e->error;
}

int
pp_viewer_export(struct pp_export *e, int dir_fd, const struct pp_viewer_format *format, FILE *out,
                 struct pp_viewer_left_out *ret)
{
    struct pp_viewer_left_out left_out = {.first = 0};
    struct pp_viewer_log log = {.rec = &e->rec, .pid = PP_VIEWER_NONE};
    struct reading f = {.r.rec = &e->rec, .e = e, .log = &log, .left_out = &left_out};
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = &f};
    int rc = read_session(e, dir_fd);
    if (rc)
        return rc;
    int read = e->rec.frames_error ? 0 : pp_csv_read(dir_fd, pp_saved_frames_file(dir_fd), &reader);
    rc = f.r.error ? f.r.error : read == -ENOMEM ? read : 0;
    if (rc == 0 && log.frames)
        rc = write_log(e, format, &log, out, &left_out);
    free(log.frame);
    free(log.app);
    *ret = left_out;
    return rc;
}
