/** @file
 * Reads passes.csv back; see saved_session.h. Frames and draws have been read before. Each draw gets its
 * pass here. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"

#include "counters/util/grow_array.h"

#define MAX_PASSES 65536U
#define MAX_SUMS   (4U << 20) /* of metrics, over all passes */

struct passes_reading {
    struct pp_row_reader r;
    struct pp_row_index places;
    uint32_t *by_place; /* draws by a row's frame and pass, for passes to find */
    size_t by_places;
    double kept_frame; /* with keep_ns: the frame of the last row; rows of a frame follow each other */
};

/* Is this a column of a metric, or of a counter? */
static bool
is_value(const struct pp_cell *name, bool metric)
{
    if (strncmp(name->text, "metric:", strlen("metric:")) == 0)
        return metric;
    return !metric && strchr(name->text, ':') && strncmp(name->text, "id:", strlen("id:")) != 0 &&
           strncmp(name->text, "estimate:", strlen("estimate:")) != 0;
}

/* Find the columns of metrics, or those of counters. */
static int
find_values(const struct pp_cell *cell, size_t cells, bool metric, char ***ret_name, size_t *ret_len,
            size_t **ret_at)
{
    size_t len = 0;
    for (size_t i = 0; i < cells; i++)
        len += is_value(&cell[i], metric);
    char **name = *ret_name = calloc(len + 1, sizeof(*name));
    size_t *at = *ret_at = calloc(len + 1, sizeof(*at));
    if (!name || !at)
        return -ENOMEM;
    for (size_t i = 0; i < cells; i++) {
        if (!is_value(&cell[i], metric))
            continue;
        name[*ret_len] = strdup(cell[i].text);
        if (!name[*ret_len])
            return -ENOMEM;
        at[(*ret_len)++] = i;
    }
    return 0;
}

static bool
passes_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct passes_reading *p = data;
    struct pp_saved_session *rec = p->r.rec;
    pp_row_reader_columns(&p->r, cell, cells);
    if (p->r.at[COL_PASS_ID] == SIZE_MAX || p->r.at[COL_NAME] == SIZE_MAX) {
        p->r.error = -EINVAL;
        return false;
    }
    p->r.error = find_values(cell, cells, true, &rec->pass_metric, &rec->pass_metrics, &rec->pass_metric_at);
    if (p->r.error == 0)
        p->r.error =
            find_values(cell, cells, false, &rec->pass_counter, &rec->pass_counters, &rec->pass_counter_at);
    return p->r.error == 0;
}

static struct pp_saved_key
pass_key(const void *array, size_t i)
{
    const struct pp_saved_pass *pass = array;
    return (struct pp_saved_key){pass[i].pass_id, pass[i].name, pass[i].surface};
}

/* Make the sums of a pass, unless there would be too many of them. */
static int
make_sums(size_t passes, size_t sums, struct pp_saved_sum **ret)
{
    if (!sums || passes * sums > MAX_SUMS)
        return 0;
    *ret = calloc(sums, sizeof(**ret));
    return *ret ? 0 : -ENOMEM;
}

static int
pass_fill(struct passes_reading *p, struct pp_saved_pass *pass, const struct pp_cell *cell)
{
    const struct pp_saved_session *rec = p->r.rec;
    pass->pass_id = strdup(pp_row_reader_cell(&p->r, cell, COL_PASS_ID)->text);
    pass->name = strdup(pp_row_reader_cell(&p->r, cell, COL_NAME)->text);
    pass->label = strdup(pp_row_reader_cell(&p->r, cell, COL_LABEL)->text);
    pass->kind = strdup(pp_row_reader_cell(&p->r, cell, COL_KIND)->text);
    pass->queue = strdup(pp_row_reader_cell(&p->r, cell, COL_QUEUE)->text);
    pass->attachments = strdup(pp_row_reader_cell(&p->r, cell, COL_ATTACHMENTS)->text);
    if (!pass->pass_id || !pass->name || !pass->label || !pass->kind || !pass->queue || !pass->attachments)
        return -ENOMEM;
    int rc = make_sums(rec->passes, rec->pass_metrics, &pass->metric);
    return rc ? rc : make_sums(rec->passes, rec->pass_counters, &pass->count);
}

/* The pass of a row, made if it is new. @return NULL: an error, or too many. */
static struct pp_saved_pass *
pass_of(struct passes_reading *p, const struct pp_cell *cell, size_t surface)
{
    struct pp_saved_session *rec = p->r.rec;
    struct pp_saved_key key = {pp_row_reader_cell(&p->r, cell, COL_PASS_ID)->text,
                               pp_row_reader_cell(&p->r, cell, COL_NAME)->text, surface};
    p->r.error = pp_row_index_reserve(&p->places, rec->pass, rec->passes);
    if (p->r.error)
        return NULL;
    uint32_t *place = pp_row_index_find(&p->places, rec->pass, key);
    if (*place)
        return &rec->pass[*place - 1];
    if (rec->passes == MAX_PASSES) {
        rec->passes_left_out++;
        return NULL;
    }
    p->r.error = pp_grow_array(&rec->pass, &rec->pass_cap, rec->passes + 1, sizeof(*rec->pass));
    if (p->r.error)
        return NULL;
    struct pp_saved_pass *pass = &rec->pass[rec->passes];
    pass->surface = surface;
    p->r.error = pass_fill(p, pass, cell);
    if (p->r.error) {
        pp_saved_pass_finish(pass); /* an unfinished pass is not kept */
        return NULL;
    }
    rec->passes++;
    *place = (uint32_t)rec->passes;
    return pass;
}

static void
add_bound(struct pp_saved_pass *pass, const struct pp_cell *cell)
{
    if (!cell->len || cell->len >= sizeof(pass->bound[0].unit))
        return;
    for (size_t i = 0; i < PP_SAVED_BOUNDS; i++) {
        struct pp_saved_bound *bound = &pass->bound[i];
        if (bound->rows && !pp_cell_is(cell, bound->unit))
            continue;
        memcpy(bound->unit, cell->text, cell->len);
        bound->unit[cell->len] = '\0';
        bound->rows++;
        return;
    }
}

/* Compare the place of a draw's row with the place of a row of passes.csv. */
static int
compare_place(const struct pp_saved_draw *draw, double frame, double pass)
{
    if (draw->frame < frame || draw->frame > frame)
        return draw->frame < frame ? -1 : 1;
    return (draw->pass > pass) - (draw->pass < pass);
}

/* Give this pass to the draws whose first row is in it. */
static int
tell_draws(const struct passes_reading *p, double frame, const struct pp_cell *place, const char *pass_id)
{
    const struct pp_saved_session *rec = p->r.rec;
    double pass = 0;
    if (!pp_cell_number(place, &pass))
        return 0;
    size_t low = 0, high = p->by_places;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_place(&rec->draw[p->by_place[middle]], frame, pass) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->by_places; low++) {
        struct pp_saved_draw *draw = &rec->draw[p->by_place[low]];
        if (compare_place(draw, frame, pass) != 0)
            break;
        if (draw->pass_id)
            continue;
        draw->pass_id = strdup(pass_id);
        if (!draw->pass_id)
            return -ENOMEM;
    }
    return 0;
}

/* Width or height of a render target; 0: not known. */
static uint32_t
size_of(const struct pp_cell *cell)
{
    double size = 0;
    return pp_cell_number(cell, &size) && size > 0 && size < 1e6 ? (uint32_t)size : 0;
}

/* With --keep-slower-than: count the frames with rows, and keep what a pass takes in frames that are not
 * slow.
 */
static int
note_kept(struct passes_reading *p, struct pp_saved_pass *pass, double frame, double time)
{
    struct pp_saved_session *rec = p->r.rec;
    if (!(rec->keep_ns > 0) || pass->surface == PP_SAVED_NO_SURFACE)
        return 0;
    rec->surface[pass->surface].measured += frame < p->kept_frame || frame > p->kept_frame;
    p->kept_frame = frame;
    return pp_saved_is_slower(rec, frame) ? 0 : pp_series_add(&pass->usual_time, time, frame);
}

/* Add what a row counted. */
static void
add_counts(const struct passes_reading *p, struct pp_saved_pass *pass, const struct pp_cell *cell)
{
    const struct pp_saved_session *rec = p->r.rec;
    const struct pp_cell *draws = pp_row_reader_cell(&p->r, cell, COL_DRAWS);
    double number = 0;
    pp_saved_sum_add(&pass->draws, draws);
    if (pp_cell_number(draws, &number))
        pp_saved_usual_add(&pass->usual_draws, number);
    pp_saved_sum_add(&pass->dispatches, pp_row_reader_cell(&p->r, cell, COL_DISPATCHES));
    pp_saved_sum_add(&pass->copies, pp_row_reader_cell(&p->r, cell, COL_COPIES));
    for (size_t i = 0; pass->metric && i < rec->pass_metrics; i++)
        pp_saved_sum_add(&pass->metric[i], &cell[rec->pass_metric_at[i]]);
    for (size_t i = 0; pass->count && i < rec->pass_counters; i++)
        pp_saved_sum_add(&pass->count[i], &cell[rec->pass_counter_at[i]]);
}

static bool
passes_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct passes_reading *p = data;
    struct pp_saved_session *rec = p->r.rec;
    double frame = -1;
    double time = (double)NAN;
    pp_row_reader_check(&p->r, cell, cells);
    if (!pp_row_reader_frame(&p->r, cell, &frame))
        return true;
    struct pp_saved_pass *pass = pass_of(p, cell, p->r.last_surface);
    rec->pass_rows++;
    if (!pass)
        return p->r.error == 0;
    pass->rows++;
    pass->place = pp_row_place(pp_row_reader_cell(&p->r, cell, COL_PASS));
    pass->width = size_of(pp_row_reader_cell(&p->r, cell, COL_WIDTH));
    pass->height = size_of(pp_row_reader_cell(&p->r, cell, COL_HEIGHT));
    pass->layers = size_of(pp_row_reader_cell(&p->r, cell, COL_LAYERS));
    pass->samples = size_of(pp_row_reader_cell(&p->r, cell, COL_SAMPLES));
    pass->by_place = pass->by_place || pp_cell_is(pp_row_reader_cell(&p->r, cell, COL_BY_PLACE), "1");
    add_bound(pass, pp_row_reader_cell(&p->r, cell, COL_BOUND_BY));
    p->r.error = tell_draws(p, frame, pp_row_reader_cell(&p->r, cell, COL_PASS), pass->pass_id);
    if (p->r.error || p->r.last_first)
        return p->r.error == 0;
    if (pp_row_reader_other_level(&p->r)) {
        pass->other_level++;
        return true;
    }
    pass->frames += !pass->kept++ || frame < pass->last_frame || frame > pass->last_frame;
    pass->last_frame = frame;
    pp_saved_add_stack(&pass->calls, pp_row_reader_cell(&p->r, cell, COL_STACK));
    add_counts(p, pass, cell);
    if (pp_cell_number(pp_row_reader_cell(&p->r, cell, COL_GPU_TIME), &time)) {
        pass->total_ns += time;
        p->r.error = pp_series_add(&pass->gpu_time, time, frame);
    }
    p->r.error = p->r.error ? p->r.error : note_kept(p, pass, frame, time);
    return p->r.error == 0;
}

static int
by_place(const void *a, const void *b, void *draws)
{
    const struct pp_saved_draw *draw = draws;
    const struct pp_saved_draw *x = &draw[*(const uint32_t *)a];
    const struct pp_saved_draw *y = &draw[*(const uint32_t *)b];
    return compare_place(x, y->frame, y->pass);
}

/* Passes that a reader of the tables could not distinguish are neighbours in this order. */
static int
by_title(const void *a, const void *b, void *passes)
{
    const struct pp_saved_pass *pass = passes;
    const struct pp_saved_pass *x = &pass[*(const uint32_t *)a];
    const struct pp_saved_pass *y = &pass[*(const uint32_t *)b];
    int order = strcmp(x->label, y->label);
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->kind, y->kind);
    order = order ? order : (x->kept > 0) - (y->kept > 0);
    return order ? order : (x->surface > y->surface) - (x->surface < y->surface);
}

static int
by_title_and_place(const void *a, const void *b, void *passes)
{
    const struct pp_saved_pass *pass = passes;
    const struct pp_saved_pass *x = &pass[*(const uint32_t *)a];
    const struct pp_saved_pass *y = &pass[*(const uint32_t *)b];
    int order = by_title(a, b, passes);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int
mark_twins(struct pp_saved_session *rec)
{
    uint32_t *order = calloc(rec->passes + 1, sizeof(*order));
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < rec->passes; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, rec->passes, sizeof(*order), by_title_and_place, rec->pass);
    for (size_t i = 1; i < rec->passes; i++) {
        struct pp_saved_pass *pass = &rec->pass[order[i]];
        struct pp_saved_pass *before = &rec->pass[order[i - 1]];
        if (by_title(&order[i - 1], &order[i], rec->pass) != 0)
            continue;
        pass->twin = before->twin = true;
        if (pass->place == before->place)
            pass->same_place = before->same_place = true;
    }
    free(order);
    return 0;
}

int
pp_saved_read_passes(struct pp_saved_session *rec, const char *name, const char *text, size_t len)
{
    struct passes_reading p = {.r = {.rec = rec, .rows = &rec->passes_rows, .file = "passes.csv"},
                               .places.key = pass_key,
                               .by_places = rec->draws,
                               .kept_frame = -1};
    const struct pp_csv_reader reader = {.header = passes_header,
                                         .row = passes_row,
                                         .data = &p,
                                         .damaged = &rec->damaged_rows,
                                         .rows = &rec->passes_rows,
                                         .place = &rec->pass_blocks.row};
    p.r.blocks = name && !rec->in_use ? &rec->pass_blocks : NULL;
    for (size_t i = 0; rec->keep_ns > 0 && i < rec->surfaces; i++)
        rec->surface[i].measured = 0;
    p.by_place = calloc(rec->draws + 1, sizeof(*p.by_place));
    if (!p.by_place)
        return -ENOMEM;
    for (size_t i = 0; i < rec->draws; i++)
        p.by_place[i] = (uint32_t)i;
    qsort_r(p.by_place, rec->draws, sizeof(*p.by_place), by_place, rec->draw);
    int rc = pp_saved_rows(rec, name, text, len, &reader);
    free(p.by_place);
    free(p.places.at);
    rec->framed_passes = p.r.framed;
    rec->shown = PP_SAVED_NO_SURFACE;
    int twins = mark_twins(rec);
    rc = rc ? rc : p.r.error;
    return rc ? rc : twins;
}
