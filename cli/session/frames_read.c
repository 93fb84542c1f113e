/** @file
 * See frames_read.h. */
#include "cli/session/frames_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

#define SERIES 6U

static struct pp_series *
series_of(struct pp_saved_times *times, size_t i)
{
    struct pp_series *const series[SERIES] = {&times->frame_time, &times->cpu_busy, &times->cpu_wait,
                                              &times->gpu_time,   &times->gpu_busy, &times->gpu_wait};
    return series[i];
}

static int
add_times(struct pp_saved_times *times, const struct pp_saved_row *row)
{
    const double value[SERIES] = {row->frame_time, row->cpu_busy, row->cpu_wait,
                                  row->gpu_time,   row->gpu_busy, row->gpu_wait};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SERIES; i++)
        rc = pp_series_add(series_of(times, i), value[i], row->frame);
    return rc;
}

/* Copy the series of all rows so far: none of them created anything. */
static int
copy_all(struct pp_saved_surface *s)
{
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++) {
        for (size_t i = 0; i < SERIES; i++) {
            const struct pp_series *from = series_of(&s->times[level], i);
            struct pp_series *to = series_of(&s->plain.level[level], i);
            int rc = pp_series_append(to, from);
            if (rc)
                return rc;
        }
    }
    return 0;
}

/* Add a row to its series of times, and to those without frames that create pipelines. The latter take memory
 * from the first such frame on.
 *
 * @param surface Its times and plain grow.
 * @retval 0, -ENOMEM. */
static int
plain_times_add(struct pp_saved_surface *surface, const struct pp_saved_row *row)
{
    struct pp_plain_times *plain = &surface->plain;
    bool creates = row->pipelines > 0;
    int rc = creates && !plain->creating ? copy_all(surface) : 0;
    if (rc == 0 && !creates && plain->creating)
        rc = add_times(&plain->level[row->level], row);
    plain->creating += creates;
    if (creates && isfinite(row->pipeline_ns))
        plain->create_ns += row->pipeline_ns;
    return rc ? rc : add_times(&surface->times[row->level], row);
}

void
pp_plain_times_finish(struct pp_saved_times *times)
{
    for (size_t i = 0; i < SERIES; i++)
        pp_series_finish(series_of(times, i));
}

#define MAX_SURFACES 1024U
#define NAMELESS     64         /* bytes of a name that is made from a number */
#define MAX_COUNTS   (1U << 20) /* counters times levels, over all surfaces */

/* frames.csv being read. */
struct frames_reading {
    struct pp_row_reader r;
    size_t *counter_at;                /* column of rec->counter[i]; SIZE_MAX: the file has none */
    double *value;                     /* of the row's counters, NaN where there is none */
    size_t coarsest;                   /* level at which command buffers may have been recorded */
    const struct pp_frames_sink *sink; /* where rows go when the file is read again */
};

/* The coarsest level that session.json names: the one of the begin, or a later one. */
static size_t
coarsest_of(const struct pp_saved_session *rec)
{
    static const char *const name[] = {"frame", "pass"};
    const json_t *changes = pp_saved_json(rec, "recording.changes"), *change = NULL;
    const char *begin = json_string_value(pp_saved_json(rec, "options.level"));
    for (size_t level = 0; level < PP_SAVED_DRAW; level++) {
        bool named = begin && strcmp(begin, name[level]) == 0;
        size_t i = 0;
        json_array_foreach(changes, i, change)
        {
            const char *to = json_string_value(json_object_get(change, "level"));
            named = named || (to && strcmp(to, name[level]) == 0);
        }
        if (named)
            return level;
    }
    return PP_SAVED_DRAW;
}

/* Is this the column of a counter? runs:differ of merged sessions says which rows were merged. */
static bool
is_counter(const char *name)
{
    return strchr(name, ':') && strncmp(name, "runs:", strlen("runs:")) != 0;
}

static bool
frames_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct frames_reading *f = data;
    struct pp_saved_session *rec = f->r.rec;
    pp_row_reader_columns(&f->r, cell, cells);
    size_t counters = 0;
    for (size_t i = 0; i < cells; i++)
        counters += is_counter(cell[i].text);
    if (f->r.at[COL_FRAME] == SIZE_MAX) {
        f->r.error = -EINVAL;
        return false;
    }
    rec->of_schema_2 = rec->of_schema_2 || f->r.at[COL_PID] != SIZE_MAX;
    rec->counter = calloc(counters + 1, sizeof(*rec->counter));
    f->counter_at = calloc(counters + 1, sizeof(*f->counter_at));
    f->value = calloc(counters + 1, sizeof(*f->value));
    if (!rec->counter || !f->counter_at || !f->value) {
        f->r.error = -ENOMEM;
        return false;
    }
    for (size_t i = 0; i < cells; i++) {
        if (!is_counter(cell[i].text))
            continue;
        rec->counter[rec->counters] = strdup(cell[i].text);
        if (!rec->counter[rec->counters]) {
            f->r.error = -ENOMEM;
            return false;
        }
        f->counter_at[rec->counters++] = i;
    }
    return true;
}

/* The name of a device or surface. From schema 2 on, the cell is a place in an array of session.json.
 * @return NULL: session.json does not have it; the place is in @p ret_place. */
static const char *
name_of(const struct pp_saved_session *rec, const struct pp_cell *cell, const char *array, double *ret_place)
{
    const json_t *schema = json_object_get(rec->json, "schema");
    bool is_name = schema && json_integer_value(schema) < 2;
    if (is_name || !pp_cell_number(cell, ret_place) || *ret_place < 0 || *ret_place > 1e9)
        return cell->text;
    const json_t *one = json_array_get(json_object_get(rec->json, array), (size_t)*ret_place);
    return json_string_value(json_object_get(one, "name"));
}

/* The surface of a row, made if it is new. */
static struct pp_saved_surface *
surface_of(struct pp_row_reader *r, const struct pp_cell *cell)
{
    struct pp_saved_session *rec = r->rec;
    const char *api = pp_row_reader_cell(r, cell, COL_API)->text;
    char nameless_device[NAMELESS], nameless_surface[NAMELESS];
    double place = 0;
    const char *device = name_of(rec, pp_row_reader_cell(r, cell, COL_DEVICE), "devices", &place);
    if (!device) {
        snprintf(nameless_device, NAMELESS, "device %.0f", place);
        device = nameless_device;
    }
    const char *surface = name_of(rec, pp_row_reader_cell(r, cell, COL_SURFACE), "surfaces", &place);
    if (!surface) {
        snprintf(nameless_surface, NAMELESS, "surface %.0f", place);
        surface = nameless_surface;
    }
    for (size_t i = 0; i < rec->surfaces; i++) {
        struct pp_saved_surface *s = &rec->surface[i];
        if (strcmp(s->surface, surface) == 0 && strcmp(s->device, device) == 0 && strcmp(s->api, api) == 0)
            return s;
    }
    if (rec->surfaces == MAX_SURFACES) {
        r->error = -EFBIG;
        return NULL;
    }
    r->error = pp_grow_array(&rec->surface, &rec->surface_cap, rec->surfaces + 1, sizeof(*rec->surface));
    if (r->error)
        return NULL;
    struct pp_saved_surface *s = &rec->surface[rec->surfaces++];
    size_t counts = rec->counters * PP_SAVED_LEVELS;
    s->api = strdup(api);
    s->device = strdup(device);
    s->surface = strdup(surface);
    if (rec->surfaces * counts <= MAX_COUNTS)
        s->count = calloc(counts + 1, sizeof(*s->count));
    if (!s->api || !s->device || !s->surface || (!s->count && rec->surfaces * counts <= MAX_COUNTS)) {
        r->error = -ENOMEM;
        return NULL;
    }
    return s;
}

static void
add_number(struct pp_saved_sum *sum, double value)
{
    if (isnan(value))
        return;
    sum->sum += value;
    sum->rows++;
}

/* The verdict of a row, and its numbers of actions. */
static void
add_counts(struct pp_saved_times *times, const struct pp_saved_row *row)
{
    times->verdict[row->verdict]++;
    times->no_work += row->verdict == PP_VERDICT_NONE && isnan(row->gpu_time) && row->draws <= 0 &&
                      row->dispatches <= 0 && row->copies <= 0;
    add_number(&times->draws, row->draws);
    pp_saved_usual_add(&times->usual_draws, row->draws);
    add_number(&times->dispatches, row->dispatches);
    add_number(&times->copies, row->copies);
}

/* Add a frame's counters. Of the counters that rotate, those with a value were measured. */
static void
add_counters(struct pp_saved_surface *s, size_t counters, const double *value_of, double time, size_t level)
{
    bool timed = time >= 0 && time < 1e18;
    pp_rotation_frames_add(&s->all[level], time);
    for (size_t i = 0; s->count && i < counters; i++) {
        struct pp_saved_count *count = &s->count[i * PP_SAVED_LEVELS + level];
        double value = value_of[i];
        if (isnan(value))
            continue;
        count->sum += value;
        count->rows++;
        count->other |= value < 0 || value > 0;
        pp_rotation_sample_add(&count->rotation, time, value);
        if (!timed)
            continue;
        count->weighted += value * time;
        count->weight += time;
    }
}

static int
remember_frame(struct pp_saved_session *rec, const struct pp_saved_row *row, const struct pp_saved_surface *s)
{
    int rc = pp_grow_large_array(&rec->frame, &rec->frame_cap, rec->frames + 1, sizeof(*rec->frame));
    if (rc)
        return rc;
    rec->frame[rec->frames++] =
        (struct pp_saved_frame){.number = row->frame,
                                .time_ns = row->frame_time,
                                .surface = (uint32_t)(s - rec->surface),
                                .level = row->level & 0xf,
                                .verdict = row->verdict & 0xf,
                                .outside = row->outside,
                                .slower = rec->keep_ns > 0 && row->frame_time > rec->keep_ns};
    return 0;
}

/* Read a row with its counters. */
static void
read_row(const struct frames_reading *f, const struct pp_cell *cell, double frame, struct pp_saved_row *ret)
{
    const struct pp_row_reader *r = &f->r;
    for (size_t i = 0; i < r->rec->counters; i++)
        f->value[i] = f->counter_at[i] == SIZE_MAX ? (double)NAN : pp_cell_value(&cell[f->counter_at[i]]);
    *ret = (struct pp_saved_row){
        .frame = frame,
        .start_ns = pp_row_reader_number(r, cell, COL_CPU_START),
        .level = pp_saved_level_of(pp_row_reader_cell(r, cell, COL_LEVEL)),
        .frame_time = pp_row_reader_number(r, cell, COL_FRAME_TIME),
        .cpu_busy = pp_row_reader_number(r, cell, COL_CPU_BUSY),
        .cpu_wait = pp_row_reader_number(r, cell, COL_CPU_WAIT),
        .gpu_time = pp_row_reader_number(r, cell, COL_GPU_TIME),
        .gpu_busy = pp_row_reader_number(r, cell, COL_GPU_BUSY),
        .gpu_wait = pp_row_reader_number(r, cell, COL_GPU_WAIT),
        .draws = pp_row_reader_number(r, cell, COL_DRAWS),
        .dispatches = pp_row_reader_number(r, cell, COL_DISPATCHES),
        .copies = pp_row_reader_number(r, cell, COL_COPIES),
        .passes = pp_row_reader_number(r, cell, COL_PASSES),
        .pipelines = pp_row_reader_number(r, cell, COL_PIPELINES),
        .pipeline_ns = pp_row_reader_number(r, cell, COL_PIPELINE_TIME),
        .verdict = pp_saved_verdict_of(pp_row_reader_cell(r, cell, COL_BOUND_BY)),
    };
}

/* Where rows of frames go that are not left out. */
struct frames_sink {
    struct pp_saved_surface *surface;
    size_t counters;
    bool only; /* it is the only frame of its surface: only its counters are shown */
};

/* Add a row that is not left out. */
static int
add_row(void *data, const struct pp_saved_row *row, const double *value)
{
    const struct frames_sink *sink = data;
    struct pp_saved_surface *s = sink->surface;
    if (row->outside)
        return 0;
    s->measured += row->level == PP_SAVED_PASS;
    s->draws_measured += row->level == PP_SAVED_DRAW;
    add_counters(s, sink->counters, value, row->gpu_time, row->level);
    if (sink->only)
        return 0;
    s->total_ns += isnan(row->frame_time) ? 0 : row->frame_time;
    add_counts(&s->times[row->level], row);
    return plain_times_add(s, row);
}

static int
take_row(struct frames_reading *f, struct pp_saved_surface *s, const struct pp_saved_row *row)
{
    struct frames_sink sink = {.surface = s, .counters = f->r.rec->counters};
    s->rows++;
    s->by_level[row->level] += !row->outside;
    s->frames += !row->outside;
    if (!row->outside) {
        add_number(&s->pipelines, row->pipelines);
        add_number(&s->pipeline_ns, row->pipeline_ns);
    }
    return pp_first_frames_add(&s->leading, row, f->value, sink.counters, add_row, &sink);
}

/* Do command buffers keep the level at which they were recorded? */
static bool
keeps_level(const struct pp_saved_surface *s)
{
    return s->api && strcmp(s->api, "vulkan") == 0;
}

/* Count the rows that a frame has in the other files. Clears are actions that no cell counts. A Vulkan
 * command buffer keeps the level at which it was recorded: after a change to a finer level, its actions have
 * no rows. */
static void
count_content(struct frames_reading *f, const struct pp_saved_surface *s, const struct pp_saved_row *row)
{
    f->coarsest = row->level < f->coarsest ? row->level : f->coarsest;
    if (row->passes > 0)
        f->r.rec->frames_passes += row->passes;
    if (row->level == PP_SAVED_DRAW && (!keeps_level(s) || f->coarsest == PP_SAVED_DRAW))
        f->r.rec->frames_actions += fmax(row->draws, 0) + fmax(row->dispatches, 0) + fmax(row->copies, 0);
}

static bool
frames_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct frames_reading *f = data;
    struct pp_row_reader *r = &f->r;
    struct pp_saved_row row;
    double frame = 0;
    pp_row_reader_check(r, cell, cells);
    if (!pp_row_frame(pp_row_reader_cell(r, cell, COL_FRAME), &frame)) {
        r->rec->bad_rows++;
        return true;
    }
    struct pp_saved_surface *s = surface_of(r, cell);
    if (!s)
        return false;
    if (r->blocks && pp_row_blocks_add(r->blocks, frame)) {
        pp_row_blocks_finish(r->blocks); /* no memory: rows will be searched for in the whole file */
        r->blocks = NULL;
    }
    read_row(f, cell, frame, &row);
    row.outside = r->rec->window.any && !pp_frame_window_holds(&r->rec->window, frame, row.start_ns);
    if (!row.outside)
        count_content(f, s, &row);
    r->error = remember_frame(r->rec, &row, s);
    r->error = r->error ? r->error : take_row(f, s, &row);
    return r->error == 0;
}

static int
by_number(const void *a, const void *b)
{
    const struct pp_saved_frame *x = a;
    const struct pp_saved_frame *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Sort the frames, which nearly always are in order. qsort() would take as much memory as they have. */
static void
sort_frames(struct pp_saved_session *rec)
{
    for (size_t i = 1; i < rec->frames; i++)
        if (by_number(&rec->frame[i - 1], &rec->frame[i]) > 0) {
            qsort(rec->frame, rec->frames, sizeof(*rec->frame), by_number);
            return;
        }
}

/* Choose the level whose frames give the figures of passes. s->measured has the frames at level pass so far.
 */
static void
choose_pass_level(struct pp_saved_surface *s)
{
    const size_t frames[PP_SAVED_LEVELS] = {
        [PP_SAVED_PASS] = s->measured, [PP_SAVED_DRAW] = s->draws_measured};
    bool draw = pp_levels_coarsest(frames) == PP_SAVED_DRAW;
    s->pass_level = draw ? PP_SAVED_DRAW : PP_SAVED_PASS;
    s->other_level = frames[draw ? PP_SAVED_PASS : PP_SAVED_DRAW];
    s->measured = frames[s->pass_level];
}

/* After all rows were read: decide which frames are left out, and count the measured ones among the others.
 */
static int
count_kept(const struct frames_reading *f)
{
    struct pp_saved_session *rec = f->r.rec;
    int rc = 0;
    for (size_t i = 0; i < rec->surfaces; i++) {
        struct pp_saved_surface *s = &rec->surface[i];
        struct frames_sink sink = {.surface = s, .counters = rec->counters, .only = s->rows == 1};
        int ended = pp_first_frames_end(&s->leading, add_row, &sink, &s->first);
        rc = rc ? rc : ended;
        choose_pass_level(s);
        s->draws_by_rows = rec->keep_ns > 0 || (keeps_level(s) && f->coarsest < PP_SAVED_DRAW);
        s->draws_measured = s->draws_by_rows ? 0 : s->draws_measured;
        pp_first_frames_finish(&s->leading);
    }
    sort_frames(rec);
    for (size_t i = 0; i < rec->surfaces; i++)
        rec->surface[i].first_inside =
            rec->surface[i].first.frames && !pp_saved_is_outside(rec, rec->surface[i].first.frame);
    return rc;
}

int
pp_saved_read_frames(struct pp_saved_session *rec, const char *name, const char *text, size_t len)
{
    uint64_t rows = 0;
    struct frames_reading f = {.r = {.rec = rec, .rows = &rows, .file = "frames.csv"}};
    const struct pp_csv_reader reader = {.header = frames_header,
                                         .row = frames_row,
                                         .data = &f,
                                         .damaged = &rec->damaged_rows,
                                         .rows = &rows,
                                         .place = &rec->frame_blocks.row};
    f.r.blocks = name && !rec->in_use ? &rec->frame_blocks : NULL;
    f.coarsest = coarsest_of(rec);
    int rc = pp_saved_rows(rec, name, text, len, &reader);
    int counted = count_kept(&f);
    free(f.counter_at);
    free(f.value);
    rc = rc ? rc : f.r.error;
    return rc ? rc : counted;
}

/* Find the columns of the counters again: the file of a running application may have been replaced by a wider
 * one. */
static bool
header_again(void *data, const struct pp_cell *cell, size_t cells)
{
    struct frames_reading *f = data;
    const struct pp_saved_session *rec = f->r.rec;
    pp_row_reader_columns(&f->r, cell, cells);
    pp_columns_find(cell, cells, (const char *const *)rec->counter, rec->counters, f->counter_at);
    return true;
}

static bool
row_again(void *data, const struct pp_cell *cell, size_t cells)
{
    struct frames_reading *f = data;
    struct pp_saved_row row;
    double frame = 0;
    (void)cells;
    if (!pp_row_frame(pp_row_reader_cell(&f->r, cell, COL_FRAME), &frame))
        return true;
    read_row(f, cell, frame, &row);
    f->r.error = f->sink->row(f->sink->data, &row, f->value);
    return f->r.error == 0;
}

int
pp_saved_frame_rows(const struct pp_saved_session *rec, const struct pp_frames_sink *sink)
{
    /* the functions for rows only look at the session */
    struct frames_reading f = {.r.rec = (struct pp_saved_session *)(uintptr_t)rec, .sink = sink};
    const struct pp_csv_reader reader = {.header = header_again, .row = row_again, .data = &f};
    f.counter_at = calloc(rec->counters + 1, sizeof(*f.counter_at));
    f.value = calloc(rec->counters + 1, sizeof(*f.value));
    int rc = f.counter_at && f.value ? 0 : -ENOMEM;
    rc = rc ? rc : pp_csv_read(rec->dir_fd, pp_saved_frames_file(rec->dir_fd), &reader);
    free(f.counter_at);
    free(f.value);
    return rc ? rc : f.r.error;
}

/* Keeps the earliest begin of a frame. */
struct first_start {
    struct pp_row_reader r;
    double start_ns;
};

static bool
start_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct first_start *first = data;
    pp_row_reader_columns(&first->r, cell, cells);
    return true;
}

static bool
start_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct first_start *first = data;
    (void)cells;
    double start = pp_row_reader_number(&first->r, cell, COL_CPU_START);
    if (!(start >= first->start_ns) && !isnan(start))
        first->start_ns = start;
    return true;
}

int
pp_saved_first_start(struct pp_saved_session *rec, double *ret_ns)
{
    struct first_start first = {.r.rec = rec, .start_ns = (double)NAN};
    const struct pp_csv_reader reader = {.header = start_header, .row = start_row, .data = &first};
    int rc = pp_saved_rows(rec, pp_saved_frames_file(rec->dir_fd), NULL, 0, &reader);
    if (rc == 0)
        *ret_ns = first.start_ns;
    return rc;
}

size_t
pp_saved_place_of(const struct pp_saved_session *rec, double frame)
{
    size_t low = 0, high = rec->frames;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rec->frame[middle].number < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct pp_saved_frame *
find_frame(const struct pp_saved_session *rec, double frame)
{
    size_t at = pp_saved_place_of(rec, frame);
    return at < rec->frames && rec->frame[at].number <= frame ? &rec->frame[at] : NULL;
}

size_t
pp_saved_surface_of(const struct pp_saved_session *rec, double frame)
{
    const struct pp_saved_frame *found = find_frame(rec, frame);
    return found && !found->outside ? found->surface : PP_SAVED_NO_SURFACE;
}

bool
pp_saved_is_outside(const struct pp_saved_session *rec, double frame)
{
    const struct pp_saved_frame *found = find_frame(rec, frame);
    return found && found->outside;
}

bool
pp_saved_is_slower(const struct pp_saved_session *rec, double frame)
{
    const struct pp_saved_frame *found = find_frame(rec, frame);
    return found && found->slower;
}

bool
pp_saved_is_first(const struct pp_saved_session *rec, double frame)
{
    size_t surface = pp_saved_surface_of(rec, frame);
    return surface != PP_SAVED_NO_SURFACE && rec->surface[surface].first.frames > 0 &&
           frame <= rec->surface[surface].first.frame;
}
