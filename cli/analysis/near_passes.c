/** @file
 * See near_passes.h. */
#include "cli/analysis/near_passes.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

struct near_reading {
    struct pp_row_reader r;
    struct pp_near_passes *near;
    const double *frame; /* wanted, ascending */
    size_t frames;
    size_t start_at; /* column gpu_start_ns; SIZE_MAX: none */
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
    n->start_at = SIZE_MAX;
    for (size_t i = cells; i-- > 0;)
        n->start_at = pp_cell_is(&cell[i], "gpu_start_ns") ? i : n->start_at;
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

static bool
near_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct near_reading *n = data;
    struct pp_near_passes *near = n->near;
    double frame = 0;
    (void)cells;
    if (!pp_cell_number(pp_row_reader_cell(&n->r, cell, COL_FRAME), &frame) ||
        !bsearch(&frame, n->frame, n->frames, sizeof(*n->frame), compare))
        return true;
    const struct pp_saved_pass *pass = pass_of(n, cell, pp_saved_surface_of(n->r.rec, frame));
    if (!pass)
        return true;
    if (near->len == PP_NEAR_PASSES_MOST)
        return false;
    n->r.error = pp_grow_array(&near->pass, &near->cap, near->len + 1, sizeof(*near->pass));
    if (n->r.error)
        return false;
    struct pp_near_pass *ret = &near->pass[near->len++];
    *ret = (struct pp_near_pass){.frame = frame,
                                 .pass_id = pass->pass_id,
                                 .name = pass->name,
                                 .at = (size_t)(pass - n->r.rec->pass),
                                 .surface = pass->surface,
                                 .pass = (double)NAN,
                                 .start_ns = (double)NAN,
                                 .time_ns = (double)NAN,
                                 .usual_ns = (double)NAN,
                                 .rows = pass->gpu_time.len};
    double number = 0;
    if (pp_cell_number(pp_row_reader_cell(&n->r, cell, COL_PASS), &number))
        ret->pass = number;
    if (n->start_at != SIZE_MAX && pp_cell_number(&cell[n->start_at], &number))
        ret->start_ns = number;
    if (pp_cell_number(pp_row_reader_cell(&n->r, cell, COL_GPU_TIME), &number))
        ret->time_ns = number;
    return true;
}

static int
by_pass(const void *a, const void *b)
{
    const struct pp_near_pass *x = a;
    const struct pp_near_pass *y = b;
    uintptr_t p = (uintptr_t)x->pass_id;
    uintptr_t q = (uintptr_t)y->pass_id;
    return (p > q) - (p < q);
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_near_pass *x = a;
    const struct pp_near_pass *y = b;
    int order = (x->frame > y->frame) - (x->frame < y->frame);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

/* The median of a pass's times in the whole session; NaN: fewer than two. */
static int
median_of(const struct pp_series *times, double *ret)
{
    struct pp_series sorted = {.len = 0};
    *ret = (double)NAN;
    if (times->len < 2)
        return 0;
    int rc = pp_series_append(&sorted, times);
    if (rc == 0) {
        pp_series_order(&sorted);
        *ret = pp_series_quantile7(&sorted, 0.5);
    }
    pp_series_finish(&sorted);
    return rc;
}

/* Find what a pass usually takes: in all frames, or in those around slow ones if the others have no rows. */
static int
usual_of(const struct pp_saved_session *rec, struct pp_near_pass *near)
{
    const struct pp_saved_pass *pass = &rec->pass[near->at];
    return median_of(rec->keep_ns > 0 ? &pass->usual_time : &pass->gpu_time, &near->usual_ns);
}

/* Find what each pass usually takes, once for each pass. */
static int
add_usual(const struct pp_saved_session *rec, struct pp_near_passes *near)
{
    if (!near->len)
        return 0;
    qsort(near->pass, near->len, sizeof(*near->pass), by_pass);
    for (size_t i = 0; i < near->len; i++) {
        bool again = i > 0 && near->pass[i].pass_id == near->pass[i - 1].pass_id;
        int rc = again ? 0 : usual_of(rec, &near->pass[i]);
        if (rc)
            return rc;
        if (again)
            near->pass[i].usual_ns = near->pass[i - 1].usual_ns;
    }
    qsort(near->pass, near->len, sizeof(*near->pass), by_frame);
    return 0;
}

int
pp_near_passes_read(const struct pp_saved_session *rec, const struct pp_rows_from *from, const double *frame,
                    size_t frames, struct pp_near_passes *ret)
{
    /* the reader's functions for rows only look at the session */
    struct near_reading n = {.r.rec = (struct pp_saved_session *)(uintptr_t)rec,
                             .near = ret,
                             .frame = frame,
                             .frames = frames,
                             .places.key = near_key};
    const struct pp_csv_reader reader = {.header = near_header, .row = near_row, .data = &n};
    int rc = frames ? index_passes(&n) : 0;
    if (rc == 0 && frames)
        rc = from->text
                 ? pp_csv_read_text(from->text, from->len, &reader)
                 : pp_row_blocks_read(&rec->pass_blocks, from->dir_fd, "passes.csv", frame, frames, &reader);
    free(n.places.at);
    rc = rc == -ENOENT ? 0 : rc;
    rc = rc ? rc : n.r.error;
    return rc ? rc : add_usual(rec, ret);
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
