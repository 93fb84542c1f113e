/** @file
 * See export_viewer.h. */
#include "cli/export/export_viewer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "cli/session/row_reader.h"
#include "cli/session/session_json.h"
#include "cli/session/session_shown.h"
#include "counters/util/grow_array.h"

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
