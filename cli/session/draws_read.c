/** @file
 * draws.csv read back; see saved_session.h. Frames have been read before. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/draw_work.h"
#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

#define MAX_DRAWS 262144U
#define MAX_TIMES (8U << 20) /* of draws: 64 MiB */

struct draws_reading {
    struct pp_row_reader r;
    struct pp_row_index places;
    struct pp_draw_work_columns work;
    size_t times; /* kept of all draws */
    double frame; /* of the last row that counts; rows of a frame follow each other */
};

static struct pp_saved_key
draw_key(const void *array, size_t i)
{
    const struct pp_saved_draw *draw = array;
    return (struct pp_saved_key){draw[i].draw_id, NULL, draw[i].surface};
}

static bool
draws_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct draws_reading *d = data;
    pp_row_reader_columns(&d->r, cell, cells);
    d->work = pp_draw_work_find(cell, cells);
    if (d->r.at[COL_DRAW_ID] == SIZE_MAX)
        d->r.error = -EINVAL;
    return d->r.error == 0;
}

static int
draw_fill(const struct pp_row_reader *r, struct pp_saved_draw *draw, const struct pp_cell *cell, double frame)
{
    draw->draw_id = strdup(pp_row_reader_cell(r, cell, COL_DRAW_ID)->text);
    draw->call = strdup(pp_row_reader_cell(r, cell, COL_CALL)->text);
    draw->label = strdup(pp_row_reader_cell(r, cell, COL_LABEL)->text);
    draw->pipeline = strdup(pp_row_reader_cell(r, cell, COL_PIPELINE)->text);
    draw->frame = frame;
    draw->pass = -1;
    (void)!pp_cell_number(pp_row_reader_cell(r, cell, COL_PASS), &draw->pass);
    return draw->draw_id && draw->call && draw->label && draw->pipeline ? 0 : -ENOMEM;
}

/* The draw of a row, made if it is new. @return NULL: an error, or too many. */
static struct pp_saved_draw *
draw_of(struct draws_reading *d, const struct pp_cell *cell, double frame)
{
    struct pp_saved_session *rec = d->r.rec;
    struct pp_saved_key key = {pp_row_reader_cell(&d->r, cell, COL_DRAW_ID)->text, NULL, d->r.last_surface};
    d->r.error = pp_row_index_reserve(&d->places, rec->draw, rec->draws);
    if (d->r.error)
        return NULL;
    uint32_t *place = pp_row_index_find(&d->places, rec->draw, key);
    if (*place)
        return &rec->draw[*place - 1];
    if (rec->draws == MAX_DRAWS) {
        rec->draws_left_out++;
        return NULL;
    }
    d->r.error = pp_grow_array(&rec->draw, &rec->draw_cap, rec->draws + 1, sizeof(*rec->draw));
    if (d->r.error)
        return NULL;
    struct pp_saved_draw *draw = &rec->draw[rec->draws];
    draw->surface = key.number;
    d->r.error = draw_fill(&d->r, draw, cell, frame);
    if (d->r.error) {
        pp_saved_draw_finish(draw); /* an unfinished draw is not kept */
        return NULL;
    }
    rec->draws++;
    *place = (uint32_t)rec->draws;
    return draw;
}

static void
add_action(const struct draws_reading *d, struct pp_saved_draw *draw, const struct pp_cell *cell)
{
    double instances = (double)NAN, vertices = pp_draw_work_vertices(&d->r, cell, &instances);
    double invocations = pp_draw_work_invocations(&d->work, cell);
    if (!isnan(vertices)) {
        draw->vertices.sum += vertices;
        draw->vertices.rows++;
        draw->vertex_runs += isnan(instances) ? vertices : vertices * instances;
    }
    if (!isnan(instances)) {
        draw->instances.sum += instances;
        draw->instances.rows++;
    }
    if (!isnan(invocations)) {
        draw->invocations.sum += invocations;
        draw->invocations.rows++;
    }
}

/* Choose pseudo-randomly which of two times is kept, so that work of every other frame keeps its share.
 * Source: MurmurHash3's fmix64 by Appleby. */
static bool
is_second(uint64_t pair, unsigned round)
{
    pair = (pair ^ (pair >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    pair = (pair ^ (pair >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return ((pair ^ (pair >> 33)) >> round % 64) & 1;
}

/* Is the time with this number kept, if one of @p every times is kept? @p every is a power of two. */
static bool
is_kept(uint64_t number, uint64_t every)
{
    for (unsigned round = 0; every > 1; round++, every /= 2, number /= 2)
        if (number % 2 != is_second(number / 2, round))
            return false;
    return true;
}

/* Times of a draw that are thinned. */
struct thinning {
    uint64_t every;  /* one of this many times was kept so far */
    uint64_t number; /* of the next time, in all that there were */
};

/* Is a kept time still kept if half as many are? */
static bool
stays(void *data, size_t i)
{
    struct thinning *thinning = data;
    (void)i;
    while (!is_kept(thinning->number, thinning->every))
        thinning->number++;
    return is_kept(thinning->number++, 2 * thinning->every);
}

/* Store a time for percentiles. If there are too many, drop every second one of each draw, and every second
 * one of those to come. */
static int
keep_time(struct draws_reading *d, struct pp_saved_draw *draw, double time, double frame)
{
    struct pp_saved_session *rec = d->r.rec;
    int rc = pp_series_add(&draw->gpu_time, time, frame);
    if (rc || ++d->times < (rec->draw_times_most ? rec->draw_times_most : MAX_TIMES))
        return rc;
    d->times = 0;
    for (size_t i = 0; i < rec->draws; i++) {
        struct thinning thinning = {.every = rec->draw_times_every};
        pp_series_filter(&rec->draw[i].gpu_time, stays, &thinning);
        d->times += rec->draw[i].gpu_time.len;
    }
    rec->draw_times_every *= 2;
    return 0;
}

static bool
draws_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct draws_reading *d = data;
    double frame = -1;
    double time = 0;
    pp_row_reader_check(&d->r, cell, cells);
    if (!pp_row_reader_frame(&d->r, cell, &frame) || d->r.last_first)
        return true;
    if (d->r.last_surface < d->r.rec->surfaces) {
        struct pp_saved_surface *s = &d->r.rec->surface[d->r.last_surface];
        s->action_rows++;
        s->draws_measured += s->draws_by_rows && (frame < d->frame || frame > d->frame);
        d->frame = frame;
    }
    struct pp_saved_draw *draw = draw_of(d, cell, frame);
    if (!draw)
        return d->r.error == 0;
    draw->rows++;
    double by_place = 0;
    if (pp_cell_number(pp_row_reader_cell(&d->r, cell, COL_BY_PLACE), &by_place) && by_place > 0)
        draw->by_place++;
    draw->place = pp_row_place(pp_row_reader_cell(&d->r, cell, COL_DRAW));
    pp_saved_add_stack(&draw->calls, pp_row_reader_cell(&d->r, cell, COL_STACK));
    add_action(d, draw, cell);
    if (pp_cell_number(pp_row_reader_cell(&d->r, cell, COL_GPU_TIME), &time)) {
        draw->total_ns += time;
        if (is_kept(draw->timed++, d->r.rec->draw_times_every))
            d->r.error = keep_time(d, draw, time, frame);
    }
    return d->r.error == 0;
}

int
pp_saved_read_draws(struct pp_saved_session *rec, const char *name, const char *text, size_t len)
{
    struct draws_reading d = {.r = {.rec = rec, .rows = &rec->draws_rows, .file = "draws.csv"},
                              .places.key = draw_key,
                              .frame = -1};
    d.r.blocks = name && !rec->in_use ? &rec->draw_blocks : NULL;
    rec->draw_times_every = 1;
    const struct pp_csv_reader reader = {.header = draws_header,
                                         .row = draws_row,
                                         .data = &d,
                                         .damaged = &rec->damaged_rows,
                                         .rows = &rec->draws_rows,
                                         .place = &rec->draw_blocks.row};
    int rc = pp_saved_rows(rec, name, text, len, &reader);
    free(d.places.at);
    rec->framed_actions = d.r.framed;
    return rc ? rc : d.r.error;
}
