/** @file
 * See passes_read.h. Frames have been read before, and draws before passes: each draw gets its pass here. */
#include "cli/session/passes_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

struct pp_draw_work_columns
pp_draw_work_find(const struct pp_cell *cell, size_t cells)
{
    static const char *const shader[PP_DRAW_SHADERS] = {
        "pipeline:vertex_shader_invocations", "pipeline:tessellation_evaluation_shader_invocations",
        "pipeline:geometry_shader_invocations", "pipeline:fragment_shader_invocations",
        "pipeline:compute_shader_invocations"};
    struct pp_draw_work_columns ret;
    pp_columns_find(cell, cells, shader, PP_DRAW_SHADERS, ret.at);
    return ret;
}

double
pp_draw_work_invocations(const struct pp_draw_work_columns *columns, const struct pp_cell *cell)
{
    double sum = (double)NAN, value = 0;
    for (size_t s = 0; s < PP_DRAW_SHADERS; s++)
        if (columns->at[s] != SIZE_MAX && pp_cell_number(&cell[columns->at[s]], &value))
            sum = isnan(sum) ? value : sum + value;
    return sum;
}

double
pp_draw_work_vertices(const struct pp_row_reader *reader, const struct pp_cell *cell, double *ret_instances)
{
    double vertices = pp_row_reader_number(reader, cell, COL_VERTICES);
    *ret_instances = isnan(vertices) ? (double)NAN : pp_row_reader_number(reader, cell, COL_INSTANCES);
    return vertices;
}

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
