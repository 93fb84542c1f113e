/** @file
 * See near_draws.h. */
#include "cli/analysis/near_draws.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

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

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
    if (isnan(frame) || !bsearch(&frame, d->frame, d->frames, sizeof(*d->frame), compare_numbers))
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
by_frame(const void *a, const void *b)
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
        qsort(ret->draw, ret->len, sizeof(*ret->draw), by_frame);
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
