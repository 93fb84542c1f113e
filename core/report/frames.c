/** @file
 * frames.csv: one row for each frame; the columns of docs/formats/session.md. The user counters come last,
 * because the application may add them at any time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report/csv_file.h"
#include "core/session/timeline_private.h"
#include "core/util/process.h"
#include "counters/util/array_size.h"

#define APP_PREFIX "app:"
#define APP_BYTES  256

struct frames {
    struct pp_csv csv;
    const struct pp_writer_place *place;
    struct pp_session *session;
    char app[APP_BYTES];         /**< name of the application; "": not known */
    uint32_t user_counter_count; /**< the application's counters that have a column */
};

static void
frames_end(void *self)
{
    struct frames *frames = self;
    if (!frames)
        return;
    pp_csv_file_end(frames->place, &frames->csv);
    free(frames);
}

/* Give columns to the application's counters up to number `user_counter_count`. */
static int
widen(struct frames *frames, uint32_t user_counter_count)
{
    char text[PP_USER_COUNTERS_MAX][sizeof(APP_PREFIX) + PP_USER_COUNTER_NAME];
    const char *column[PP_USER_COUNTERS_MAX];
    uint32_t more = user_counter_count - frames->user_counter_count;
    for (uint32_t i = 0; i < more; i++) {
        snprintf(text[i], sizeof(text[i]), APP_PREFIX "%s",
                 pp_user_counters_name(&frames->session->user_counters, frames->user_counter_count + i));
        column[i] = text[i];
    }
    int rc = pp_csv_widen(&frames->csv, column, more);
    frames->user_counter_count = rc ? frames->user_counter_count : user_counter_count;
    return rc;
}

static void
app_cells(const struct frames *frames, struct pp_csv *csv, const struct pp_frame_row *row)
{
    for (uint32_t i = 0; i < frames->user_counter_count; i++) {
        if (i < row->user_counter_count && pp_value_is_real(row->user_counters[i]))
            pp_csv_f64(csv, row->user_counters[i]);
        else
            pp_csv_empty(csv, PP_WHY_APP);
    }
}

static int
frames_begin(const struct pp_writer_place *place, void **ret_self)
{
    static const char *const column[] = {
        "frame",
        "api",
        "device",
        "surface",
        "level",
        "cpu_start_ns",
        "frame_time_ns",
        "cpu_busy_ns",
        "cpu_wait_ns",
        "gpu_start_ns",
        "gpu_latency_ns",
        "gpu_time_ns",
        "gpu_busy_ns",
        "gpu_wait_ns",
        "bound_by",
        "passes",
        "draws",
        "dispatches",
        "copies",
        "pipelines_created",
        "pipeline_create_ns",
        "cpu_sync_ns",
        "cpu_acquire_ns",
        "stack",
    };
    static const struct pp_csv_header header = {
        .name = "frames.csv",
        .spare = "frames.csv.new",
        .column = column,
        .columns = PP_ARRAY_SIZE(column),
        .last = {"app", "pid", "cpu_start_realtime_ns"},
        .metrics = true,
        .sums = true,
        .names_rows = true,
    };
    struct frames *frames = calloc(1, sizeof(*frames));
    if (!frames)
        return -ENOMEM;
    frames->place = place;
    frames->session = place->session;
    pp_command_line_name(frames->app, sizeof(frames->app));
    int rc = pp_csv_file_begin(place, &header, &frames->csv);
    if (rc) {
        frames_end(frames);
        return rc;
    }
    *ret_self = frames;
    return 0;
}

static void
write_count(struct pp_csv *csv, const struct pp_frame_row *row, uint64_t count)
{
    if (row->incomplete)
        pp_csv_empty(csv, PP_WHY_INCOMPLETE);
    else
        pp_csv_u64(csv, count);
}

/* Why a GPU time of the frame is empty. */
static enum pp_why
why_no_time(const struct pp_frame_row *row, struct pp_value value)
{
    if (row->incomplete)
        return PP_WHY_INCOMPLETE;
    if (value.status != PP_DISABLED)
        return (enum pp_why)value.status;
    /* the span is known, the union of the brackets is not the time in which the GPU was busy */
    return pp_status_has_value(row->gpu_time_ns.status) ? PP_WHY_ONE_BRACKET : PP_WHY_NO_ACTION;
}

static void
write_gpu_time(struct pp_csv *csv, const struct pp_frame_row *row, struct pp_value value)
{
    if (pp_status_has_value(value.status))
        pp_csv_u64(csv, value.value);
    else
        pp_csv_empty(csv, why_no_time(row, value));
}

/* Latency from the frame's begin to its first action on the GPU. Empty if the GPU seems to begin before the
 * frame. */
static void
write_latency(struct pp_csv *csv, const struct pp_frame_row *row)
{
    if (pp_status_has_value(row->gpu_start_ns.status) && !pp_status_has_value(row->gpu_latency_ns.status))
        pp_csv_empty(csv, PP_WHY_CLOCKS);
    else
        write_gpu_time(csv, row, row->gpu_latency_ns);
}

static void
write_bound(struct pp_csv *csv, const struct pp_frame_row *row)
{
    bool busy = pp_status_has_value(row->gpu_busy_ns.status);
    pp_csv_text_or(csv, row->bound_by, busy ? PP_WHY_NO_TIME : why_no_time(row, row->gpu_busy_ns));
}

static int
frames_frame(void *self, const struct pp_frame_row *row)
{
    struct frames *frames = self;
    struct pp_csv *csv = &frames->csv;
    if (!row->is_frame)
        return 0;
    int rc =
        row->user_counter_count > frames->user_counter_count ? widen(frames, row->user_counter_count) : 0;
    if (rc)
        return rc;
    pp_csv_u64(csv, row->frame);
    pp_csv_text(csv, row->timeline->device->api);
    pp_csv_u64(csv, row->timeline->device->number);
    pp_csv_u64(csv, row->timeline->number);
    pp_csv_text(csv, pp_level_name((enum pp_level)row->level));
    pp_csv_value(csv, row->cpu_start_ns);
    pp_csv_value(csv, row->frame_time_ns);
    pp_csv_value(csv, row->cpu_busy_ns);
    pp_csv_value(csv, row->cpu_wait_ns);
    write_gpu_time(csv, row, row->gpu_start_ns);
    write_latency(csv, row);
    write_gpu_time(csv, row, row->gpu_time_ns);
    write_gpu_time(csv, row, row->gpu_busy_ns);
    write_gpu_time(csv, row, row->gpu_wait_ns);
    write_bound(csv, row);
    /* At level frame, passes are not distinguished, so their number was not measured. */
    if (row->level == PP_LEVEL_FRAME)
        pp_csv_empty(csv, PP_WHY_FRAME_LEVEL);
    else
        write_count(csv, row, row->passes);
    write_count(csv, row, row->draws);
    write_count(csv, row, row->dispatches);
    write_count(csv, row, row->copies);
    pp_csv_u64(csv, row->pipelines_created);
    pp_csv_u64(csv, row->pipeline_create_ns);
    pp_csv_u64(csv, row->cpu_sync_ns);
    pp_csv_u64(csv, row->cpu_acquire_ns);
    pp_csv_number_or(csv, row->stack, PP_WHY_STACK);
    pp_csv_counters(csv, frames->session, row->counter);
    pp_csv_metrics(csv, frames->session, row->counter);
    pp_csv_text_or(csv, frames->app, PP_WHY_NO_NAME);
    pp_csv_u64(csv, (uint64_t)frames->session->pid);
    struct pp_value start = row->cpu_start_ns;
    start.value += frames->session->to_realtime_ns;
    pp_csv_value(csv, start);
    app_cells(frames, csv, row);
    return pp_csv_row(csv);
}

static int
frames_flush(void *self)
{
    return pp_csv_flush(&((struct frames *)self)->csv);
}

static uint64_t
frames_size(const void *self)
{
    return pp_csv_size(&((const struct frames *)self)->csv);
}

const struct pp_writer_ops pp_writer_frames = {
    .takes_drafts = true,
    .of_frames = true,
    .begin = frames_begin,
    .frame = frames_frame,
    .flush = frames_flush,
    .size = frames_size,
    .end = frames_end,
};
