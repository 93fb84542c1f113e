/** @file
 * See near_rows.h. */
#include "cli/analysis/near_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/frames_read.h"
#include "cli/session/row_reader.h"
#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

/* Frames before and after a frame in which its passes are looked for. */
#define AROUND 16U
/* Frames of any level among which these are looked for. */
#define AROUND_SEEN ((size_t)16 * AROUND)
/* The median of fewer frames means nothing. */
#define FEW_AROUND 5U
/* Most rows of the frames around. If there are more, each pass is compared with its median in the session. */
#define AROUND_MOST ((size_t)1 << 20)

/* A row of a frame around. */
struct time_around {
    double frame;
    double time_ns; /* NaN: not measured */
    uint32_t at;    /* index of the session's pass */
    uint8_t level;
};

/* Numbers of frames, ascending. */
struct numbers {
    double *value;
    size_t len, cap;
};

struct near_reading {
    struct pp_row_reader r;
    struct pp_near_passes *near;
    const double *frame; /* wanted, ascending */
    size_t frames;
    struct numbers read; /* these, and the frames around */
    struct time_around *around;
    size_t arounds, around_cap;
    bool too_many;
    struct pp_row_index places;
};

static struct pp_saved_key
near_key(const void *array, size_t i)
{
    const struct pp_saved_pass *pass = array;
    return (struct pp_saved_key){pass[i].pass_id, pass[i].name, pass[i].surface};
}

/* Index the passes of the session. */
static int
index_passes(struct near_reading *n)
{
    const struct pp_saved_session *rec = n->r.rec;
    int rc = pp_row_index_reserve(&n->places, rec->pass, 0);
    for (size_t i = 0; rc == 0 && i < rec->passes; i++) {
        rc = pp_row_index_reserve(&n->places, rec->pass, i);
        if (rc == 0)
            *pp_row_index_find(&n->places, rec->pass, near_key(rec->pass, i)) = (uint32_t)i + 1;
    }
    return rc;
}

static bool
near_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct near_reading *n = data;
    pp_row_reader_columns(&n->r, cell, cells);
    return true;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The pass of the session that a row belongs to; NULL: there were too many. */
static const struct pp_saved_pass *
pass_of(const struct near_reading *n, const struct pp_cell *cell, size_t surface)
{
    const struct pp_saved_session *rec = n->r.rec;
    const struct pp_cell *id = pp_row_reader_cell(&n->r, cell, COL_PASS_ID);
    const struct pp_cell *name = pp_row_reader_cell(&n->r, cell, COL_NAME);
    uint32_t place =
        *pp_row_index_find(&n->places, rec->pass, (struct pp_saved_key){id->text, name->text, surface});
    return place ? &rec->pass[place - 1] : NULL;
}

/* Keep the time of a row for the passes of the frames around it. */
static void
add_around(struct near_reading *n, double frame, size_t at, double time_ns, uint8_t level)
{
    if (n->arounds == AROUND_MOST)
        n->too_many = true;
    if (n->too_many)
        return;
    n->r.error = pp_grow_array(&n->around, &n->around_cap, n->arounds + 1, sizeof(*n->around));
    if (n->r.error == 0)
        n->around[n->arounds++] = (struct time_around){frame, time_ns, (uint32_t)at, level};
}

static bool
near_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct near_reading *n = data;
    struct pp_near_passes *near = n->near;
    double frame = pp_row_reader_number(&n->r, cell, COL_FRAME);
    double time_ns = pp_row_reader_number(&n->r, cell, COL_GPU_TIME);
    (void)cells;
    if (isnan(frame) || !bsearch(&frame, n->read.value, n->read.len, sizeof(frame), compare))
        return true;
    const struct pp_saved_pass *pass = pass_of(n, cell, pp_saved_surface_of(n->r.rec, frame));
    if (!pass)
        return true;
    size_t place = pp_saved_place_of(n->r.rec, frame);
    uint8_t level = place < n->r.rec->frames ? n->r.rec->frame[place].level : PP_SAVED_FRAME;
    add_around(n, frame, (size_t)(pass - n->r.rec->pass), time_ns, level);
    if (n->r.error || !bsearch(&frame, n->frame, n->frames, sizeof(frame), compare))
        return n->r.error == 0;
    n->too_many = n->too_many || near->len == PP_NEAR_PASSES_MOST; /* frames that are not read lack no pass */
    if (near->len == PP_NEAR_PASSES_MOST)
        return false;
    n->r.error = pp_grow_array(&near->pass, &near->cap, near->len + 1, sizeof(*near->pass));
    if (n->r.error)
        return false;
    struct pp_near_pass *ret = &near->pass[near->len++];
    *ret = (struct pp_near_pass){.frame = frame,
                                 .pass_id = pass->pass_id,
                                 .name = pass->name,
                                 .label = pass->label,
                                 .kind = pass->kind,
                                 .at = (size_t)(pass - n->r.rec->pass),
                                 .surface = pass->surface,
                                 .pass = pp_row_reader_number(&n->r, cell, COL_PASS),
                                 .start_ns = pp_row_reader_number(&n->r, cell, COL_GPU_START),
                                 .time_ns = time_ns,
                                 .actions = pp_row_reader_number(&n->r, cell, COL_DRAWS) +
                                            pp_row_reader_number(&n->r, cell, COL_DISPATCHES) +
                                            pp_row_reader_number(&n->r, cell, COL_COPIES),
                                 .usual_ns = (double)NAN,
                                 .level = level};
    return true;
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_near_pass *x = a;
    const struct pp_near_pass *y = b;
    int order = (x->frame > y->frame) - (x->frame < y->frame);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

static int
by_pass_and_frame(const void *a, const void *b)
{
    const struct time_around *x = a;
    const struct time_around *y = b;
    int order = (x->at > y->at) - (x->at < y->at);
    return order ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Is a frame of the surface and at the level of another one, and in the window? */
static bool
is_alike(const struct pp_saved_frame *a, const struct pp_saved_frame *b)
{
    return a->surface == b->surface && a->level == b->level && !a->outside;
}

/* List a frame and then the frames around it: AROUND before it and AROUND after it, of its surface and level,
 * without first frames. @param ret 2 * AROUND + 1 numbers. */
static size_t
list_around(const struct pp_saved_session *rec, double frame, double *ret)
{
    size_t at = pp_saved_place_of(rec, frame), found = 0, len = 0;
    if (at == rec->frames)
        return 0;
    const struct pp_saved_frame *row = &rec->frame[at];
    ret[len++] = frame;
    for (size_t i = at; i-- > 0 && found < AROUND && at - i <= AROUND_SEEN;)
        if (is_alike(&rec->frame[i], row) && ++found && !pp_saved_is_first(rec, rec->frame[i].number))
            ret[len++] = rec->frame[i].number;
    found = 0;
    for (size_t i = at + 1; i < rec->frames && found < AROUND && i - at <= AROUND_SEEN; i++)
        if (is_alike(&rec->frame[i], row) && ++found)
            ret[len++] = rec->frame[i].number;
    return len;
}

/* Collect the frames to read: those that are wanted, and the frames around. */
static int
collect_frames(struct near_reading *n)
{
    double around[2 * AROUND + 1];
    size_t kept = 0;
    for (size_t i = 0; i < n->frames; i++) {
        size_t len = list_around(n->r.rec, n->frame[i], around);
        int rc = pp_grow_array(&n->read.value, &n->read.cap, n->read.len + len + 1, sizeof(*around));
        if (rc)
            return rc;
        n->read.value[n->read.len++] = n->frame[i];
        memcpy(n->read.value + n->read.len, around, len * sizeof(*around));
        n->read.len += len;
    }
    if (n->read.len)
        qsort(n->read.value, n->read.len, sizeof(*n->read.value), compare);
    for (size_t i = 0; i < n->read.len; i++)
        if (!kept || compare(&n->read.value[i], &n->read.value[kept - 1]))
            n->read.value[kept++] = n->read.value[i];
    n->read.len = kept;
    return 0;
}

/* Were the passes of all frames of a surface measured? Then a frame without rows has no passes. */
static bool
is_complete(const struct pp_saved_session *rec, size_t surface)
{
    return surface < rec->surfaces && !(rec->keep_ns > 0) &&
           !rec->surface[surface].by_level[PP_SAVED_FRAME] && !rec->early_rows;
}

/* The frames that have rows of a level, ascending: of the frames around. */
static int
frames_with_rows(const struct near_reading *n, uint8_t level, struct numbers *ret)
{
    size_t kept = 0;
    int rc = pp_grow_array(&ret->value, &ret->cap, n->arounds + 1, sizeof(*ret->value));
    if (rc || !ret->value)
        return rc;
    for (size_t i = 0; i < n->arounds; i++)
        if (n->around[i].level == level)
            ret->value[ret->len++] = n->around[i].frame;
    qsort(ret->value, ret->len, sizeof(*ret->value), compare);
    for (size_t i = 0; i < ret->len; i++)
        if (!kept || compare(&ret->value[i], &ret->value[kept - 1]))
            ret->value[kept++] = ret->value[i];
    ret->len = kept;
    return 0;
}

/* The first row of a pass in a frame; NULL: the frame lacks the pass. */
static const struct time_around *
row_of(const struct near_reading *n, size_t at, double frame, uint8_t level)
{
    const struct time_around key = {.frame = frame, .at = (uint32_t)at};
    size_t low = 0, high = n->arounds;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_pass_and_frame(&n->around[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < n->arounds && by_pass_and_frame(&n->around[low], &key) == 0;
    return found && n->around[low].level == level ? &n->around[low] : NULL;
}

/* What a pass takes in the session; NaN: not known. Where frames around are unknown. */
static int
usual_in_session(const struct pp_saved_session *rec, const struct pp_near_pass *near, double *ret)
{
    const struct pp_saved_pass *pass = &rec->pass[near->at];
    const struct pp_series *times = rec->keep_ns > 0 ? &pass->usual_time : &pass->gpu_time;
    struct pp_series sorted = {.len = 0};
    *ret = (double)NAN;
    if (times->len < 2 ||
        (near->surface < rec->surfaces && near->level != rec->surface[near->surface].pass_level))
        return 0; /* the session's times are of another level */
    int rc = pp_series_append(&sorted, times);
    if (rc == 0) {
        pp_series_order(&sorted);
        *ret = pp_series_quantile7(&sorted, 0.5);
    }
    pp_series_finish(&sorted);
    return rc;
}

/* Find what a pass usually takes. @param with The frames that have rows of its level. */
static int
add_usual(const struct near_reading *n, const struct numbers *with, struct pp_near_pass *near)
{
    const struct pp_saved_session *rec = n->r.rec;
    double around[2 * AROUND + 1], time[2 * AROUND + 1];
    size_t len = n->too_many ? 0 : list_around(rec, near->frame, around), frames = 0, have = 0, times = 0;
    bool complete = is_complete(rec, near->surface);
    for (size_t i = 1; i < len; i++) {
        if (pp_saved_is_slower(rec, around[i]) ||
            (!complete && !bsearch(&around[i], with->value, with->len, sizeof(*around), compare)))
            continue;
        const struct time_around *row = row_of(n, near->at, around[i], near->level);
        frames++;
        have += row != NULL;
        if (row && !isnan(row->time_ns))
            time[times++] = row->time_ns;
    }
    if (frames < FEW_AROUND)
        return usual_in_session(rec, near, &near->usual_ns);
    pp_stats_sort(time, times);
    near->usual_ns = (double)have < PP_NEAR_COMMON * (double)frames ? 0
                     : times                                        ? pp_median(time, times)
                                                                    : (double)NAN;
    return 0;
}

/* Find what each pass usually takes. */
static int
add_all_usual(struct near_reading *n)
{
    struct numbers with[PP_SAVED_LEVELS] = {{.len = 0}};
    struct pp_near_passes *near = n->near;
    int rc = 0;
    if (n->arounds)
        qsort(n->around, n->arounds, sizeof(*n->around), by_pass_and_frame);
    for (uint8_t level = 0; rc == 0 && level < PP_SAVED_LEVELS; level++)
        rc = frames_with_rows(n, level, &with[level]);
    for (size_t i = 0; rc == 0 && i < near->len; i++)
        rc = add_usual(n, &with[near->pass[i].level], &near->pass[i]);
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++)
        free(with[level].value);
    if (near->len)
        qsort(near->pass, near->len, sizeof(*near->pass), by_frame);
    return rc;
}

int
pp_near_passes_read(const struct pp_saved_session *rec, const double *frame, size_t frames,
                    struct pp_near_passes *ret)
{
    /* the reader's functions for rows only look at the session */
    struct near_reading n = {.r.rec = (struct pp_saved_session *)(uintptr_t)rec,
                             .near = ret,
                             .frame = frame,
                             .frames = frames,
                             .places.key = near_key};
    const struct pp_csv_reader reader = {.header = near_header, .row = near_row, .data = &n};
    int rc = frames ? index_passes(&n) : 0;
    rc = rc ? rc : collect_frames(&n);
    if (rc == 0 && frames)
        rc = pp_row_blocks_read(&rec->pass_blocks, rec->dir_fd, "passes.csv", n.read.value, n.read.len,
                                &reader);
    rc = rc == -ENOENT ? 0 : rc;
    rc = rc ? rc : n.r.error;
    rc = rc ? rc : add_all_usual(&n);
    free(n.places.at);
    free(n.read.value);
    free(n.around);
    return rc;
}

const struct pp_near_pass *
pp_near_passes_of(const struct pp_near_passes *near, double frame, size_t *ret_count)
{
    size_t low = 0, high = near->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (near->pass[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    size_t count = 0;
    while (low + count < near->len && near->pass[low + count].frame <= frame)
        count++;
    *ret_count = count;
    return count ? &near->pass[low] : NULL;
}

void
pp_near_passes_finish(struct pp_near_passes *near)
{
    free(near->pass);
    *near = (struct pp_near_passes){.len = 0};
}

struct draws_reading {
    struct pp_row_reader r;
    struct pp_near_draws *near;
    const double *frame; /* wanted, ascending */
    size_t frames;
};

static bool
draws_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct draws_reading *d = data;
    pp_row_reader_columns(&d->r, cell, cells);
    return true;
}

static const char *
text_of(struct draws_reading *d, const struct pp_cell *cell)
{
    const char *ret = pp_text_pool_add(&d->near->texts, cell->text, cell->len);
    d->r.error = ret ? d->r.error : -ENOMEM;
    return ret;
}

static bool
draws_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct draws_reading *d = data;
    struct pp_near_draws *near = d->near;
    double frame = pp_row_reader_number(&d->r, cell, COL_FRAME);
    (void)cells;
    if (isnan(frame) || !bsearch(&frame, d->frame, d->frames, sizeof(*d->frame), pp_compare_numbers))
        return true;
    near->too_many = near->len == PP_NEAR_DRAWS_MOST;
    if (near->too_many)
        return false;
    d->r.error = pp_grow_array(&near->draw, &near->cap, near->len + 1, sizeof(*near->draw));
    if (d->r.error)
        return false;
    near->draw[near->len++] = (struct pp_near_draw){
        .frame = frame,
        .pass = pp_row_reader_number(&d->r, cell, COL_PASS),
        .draw = pp_row_reader_number(&d->r, cell, COL_DRAW),
        .call = text_of(d, pp_row_reader_cell(&d->r, cell, COL_CALL)),
        .pipeline = text_of(d, pp_row_reader_cell(&d->r, cell, COL_PIPELINE)),
        .start_ns = pp_row_reader_number(&d->r, cell, COL_GPU_START),
        .time_ns = pp_row_reader_number(&d->r, cell, COL_GPU_TIME),
        .vertices = pp_row_reader_number(&d->r, cell, COL_VERTICES),
    };
    return !d->r.error;
}

static int
by_draw(const void *a, const void *b)
{
    const struct pp_near_draw *x = a, *y = b;
    int order = (x->frame > y->frame) - (x->frame < y->frame);
    order = order ? order : (x->pass > y->pass) - (x->pass < y->pass);
    return order ? order : (x->draw > y->draw) - (x->draw < y->draw);
}

int
pp_near_draws_read(const struct pp_saved_session *rec, const double *frame, size_t frames,
                   struct pp_near_draws *ret)
{
    /* the reader's functions for rows only look at the session */
    struct draws_reading d = {
        .r.rec = (struct pp_saved_session *)(uintptr_t)rec, .near = ret, .frame = frame, .frames = frames};
    const struct pp_csv_reader reader = {.header = draws_header, .row = draws_row, .data = &d};
    int rc =
        frames ? pp_row_blocks_read(&rec->draw_blocks, rec->dir_fd, "draws.csv", frame, frames, &reader) : 0;
    rc = rc == -ENOENT ? 0 : rc;
    if (ret->len)
        qsort(ret->draw, ret->len, sizeof(*ret->draw), by_draw);
    return rc ? rc : d.r.error;
}

const struct pp_near_draw *
pp_near_draws_of(const struct pp_near_draws *near, double frame, size_t *ret_count)
{
    size_t low = 0, high = near->len, count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (near->draw[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < near->len && near->draw[low + count].frame <= frame)
        count++;
    *ret_count = count;
    return count ? &near->draw[low] : NULL;
}

void
pp_near_draws_finish(struct pp_near_draws *near)
{
    free(near->draw);
    pp_text_pool_finish(&near->texts);
    *near = (struct pp_near_draws){.len = 0};
}
