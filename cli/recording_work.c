/** @file
 * passes.csv, draws.csv and labels.csv read back; see recording.h. Frames have been read before; draws are
 * read before passes, which then tell each draw whose it is. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording_private.h"

#define MAX_PASSES 65536U
#define MAX_DRAWS  262144U
#define MAX_LABELS 65536U
#define MAX_TIMES  (8U << 20) /* of draws: 64 MiB */
#define MAX_SUMS   (4U << 20) /* of metrics, over all passes */

/* What tells an element of an array from the others. */
struct key {
    const char *text;
    size_t number;
};

/* Places in an array by key: open addressing, at most half full. */
struct places {
    struct key (*key)(const void *array, size_t i);
    uint32_t *at; /* index + 1; 0: free */
    size_t slots;
};

static size_t
hash_of(struct key key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key.number; /* FNV-1a */
    for (const char *text = key.text; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot of a key: its index + 1, or 0 where it belongs. */
static uint32_t *
places_find(const struct places *places, const void *array, struct key wanted)
{
    for (size_t slot = hash_of(wanted) % places->slots;; slot = (slot + 1) % places->slots) {
        if (!places->at[slot])
            return &places->at[slot];
        struct key key = places->key(array, places->at[slot] - 1);
        if (key.number == wanted.number && strcmp(key.text, wanted.text) == 0)
            return &places->at[slot];
    }
}

/* Room for one more of @p len elements: at times twice the slots, with what is in them. */
static int
places_reserve(struct places *places, const void *array, size_t len)
{
    struct places grown = {.key = places->key, .slots = places->slots ? 2 * places->slots : 256};
    if (2 * len < places->slots)
        return 0;
    grown.at = calloc(grown.slots, sizeof(*grown.at));
    if (!grown.at)
        return -ENOMEM;
    for (size_t i = 0; i < len; i++)
        *places_find(&grown, array, places->key(array, i)) = (uint32_t)i + 1;
    free(places->at);
    *places = grown;
    return 0;
}

void
pp_reading_frame(struct pp_reading *r, double frame)
{
    if (r->begun && r->last >= frame && r->last <= frame)
        return;
    r->begun = true;
    r->last = frame;
    r->last_surface = pp_recording_surface_of(r->rec, frame);
    r->last_first = pp_recording_is_first(r->rec, frame);
}

/* The frame of a row: -1 where it has none, as work that no frame claimed; r->last_surface and r->last_first
 * tell of it. @return false: no row of ours, or of a frame that frames.csv does not have, as after a kill:
 * each file has its own buffer. */
static bool
frame_of(struct pp_reading *r, const struct pp_cell *cell, double *ret_frame)
{
    struct pp_recording *rec = r->rec;
    *ret_frame = -1;
    const struct pp_cell *frame = pp_reading_cell(r, cell, COL_FRAME);
    if (frame->present && !pp_cell_number(frame, ret_frame)) {
        rec->bad_rows++;
        return false;
    }
    pp_reading_frame(r, *ret_frame);
    if (!frame->present || !rec->frames || r->last_surface != PP_REC_NO_SURFACE)
        return true;
    rec->early_rows++;
    return false;
}

static uint64_t
place_of(const struct pp_cell *cell)
{
    double place = 0;
    return pp_cell_number(cell, &place) && place >= 0 && place < 1e15 ? (uint64_t)place : 0;
}

/* passes.csv */

struct passes_reading {
    struct pp_reading r;
    size_t last;        /* where the last row's pass was */
    size_t *metric_at;  /* column of rec->pass_metric[i] */
    uint32_t *by_place; /* draws by a row's frame and pass, for passes to find */
    size_t by_places;
};

static bool
passes_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct passes_reading *p = data;
    struct pp_recording *rec = p->r.rec;
    pp_reading_columns(&p->r, cell, cells);
    if (p->r.at[COL_PASS_ID] == SIZE_MAX && p->r.at[COL_NAME] == SIZE_MAX) {
        p->r.error = -EINVAL;
        return false;
    }
    size_t metrics = 0;
    for (size_t i = 0; i < cells; i++)
        metrics += strncmp(cell[i].text, "metric:", strlen("metric:")) == 0;
    rec->pass_metric = calloc(metrics + 1, sizeof(*rec->pass_metric));
    p->metric_at = calloc(metrics + 1, sizeof(*p->metric_at));
    if (!rec->pass_metric || !p->metric_at) {
        p->r.error = -ENOMEM;
        return false;
    }
    for (size_t i = 0; i < cells; i++) {
        if (strncmp(cell[i].text, "metric:", strlen("metric:")) != 0)
            continue;
        rec->pass_metric[rec->pass_metrics] = strdup(cell[i].text);
        if (!rec->pass_metric[rec->pass_metrics]) {
            p->r.error = -ENOMEM;
            return false;
        }
        p->metric_at[rec->pass_metrics++] = i;
    }
    return true;
}

static bool
same_pass(const struct pp_rec_pass *pass, size_t surface, const char *pass_id, const char *name)
{
    return pass->surface == surface && strcmp(pass->pass_id, pass_id) == 0 && strcmp(pass->name, name) == 0;
}

static int
pass_fill(struct passes_reading *p, struct pp_rec_pass *pass, const struct pp_cell *cell)
{
    const struct pp_recording *rec = p->r.rec;
    pass->pass_id = strdup(pp_reading_cell(&p->r, cell, COL_PASS_ID)->text);
    pass->name = strdup(pp_reading_cell(&p->r, cell, COL_NAME)->text);
    pass->label = strdup(pp_reading_cell(&p->r, cell, COL_LABEL)->text);
    pass->kind = strdup(pp_reading_cell(&p->r, cell, COL_KIND)->text);
    if (!pass->pass_id || !pass->name || !pass->label || !pass->kind)
        return -ENOMEM;
    if (!rec->pass_metrics || rec->passes * rec->pass_metrics > MAX_SUMS)
        return 0;
    pass->metric = calloc(rec->pass_metrics, sizeof(*pass->metric));
    return pass->metric ? 0 : -ENOMEM;
}

/* The pass of a row, made if it is new. The search begins behind the last hit: rows come in the same order
 * frame by frame. */
static struct pp_rec_pass *
pass_of(struct passes_reading *p, const struct pp_cell *cell, size_t surface)
{
    struct pp_recording *rec = p->r.rec;
    const char *pass_id = pp_reading_cell(&p->r, cell, COL_PASS_ID)->text;
    const char *name = pp_reading_cell(&p->r, cell, COL_NAME)->text;
    for (size_t i = 0; i < rec->passes; i++) {
        size_t at = (p->last + 1 + i) % rec->passes;
        if (same_pass(&rec->pass[at], surface, pass_id, name)) {
            p->last = at;
            return &rec->pass[at];
        }
    }
    p->r.error = rec->passes == MAX_PASSES
                     ? -EFBIG
                     : pp_rec_grow(&rec->pass, rec->passes, &rec->pass_cap, sizeof(*rec->pass));
    if (p->r.error)
        return NULL;
    p->last = rec->passes;
    struct pp_rec_pass *pass = &rec->pass[rec->passes++];
    pass->surface = surface;
    p->r.error = pass_fill(p, pass, cell);
    return p->r.error ? NULL : pass;
}

static void
add_bound(struct pp_rec_pass *pass, const struct pp_cell *cell)
{
    if (!cell->len || cell->len >= sizeof(pass->bound[0].unit))
        return;
    for (size_t i = 0; i < PP_REC_BOUNDS; i++) {
        struct pp_rec_bound *bound = &pass->bound[i];
        if (bound->rows && !pp_cell_is(cell, bound->unit))
            continue;
        memcpy(bound->unit, cell->text, cell->len);
        bound->unit[cell->len] = '\0';
        bound->rows++;
        return;
    }
}

/* How a draw's row stands to one of passes.csv. */
static int
compare_place(const struct pp_rec_draw *draw, double frame, double pass)
{
    if (draw->frame < frame || draw->frame > frame)
        return draw->frame < frame ? -1 : 1;
    return (draw->pass > pass) - (draw->pass < pass);
}

/* The draws whose first row lies in this one. */
static int
tell_draws(const struct passes_reading *p, double frame, const struct pp_cell *place, const char *pass_id)
{
    const struct pp_recording *rec = p->r.rec;
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
        struct pp_rec_draw *draw = &rec->draw[p->by_place[low]];
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

static bool
passes_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct passes_reading *p = data;
    struct pp_recording *rec = p->r.rec;
    double frame = -1;
    double time = 0;
    (void)cells;
    if (!frame_of(&p->r, cell, &frame))
        return true;
    struct pp_rec_pass *pass = pass_of(p, cell, p->r.last_surface);
    if (!pass)
        return false;
    pass->rows++;
    rec->pass_rows++;
    pass->place = place_of(pp_reading_cell(&p->r, cell, COL_PASS));
    add_bound(pass, pp_reading_cell(&p->r, cell, COL_BOUND_BY));
    p->r.error = tell_draws(p, frame, pp_reading_cell(&p->r, cell, COL_PASS), pass->pass_id);
    if (p->r.error || p->r.last_first)
        return p->r.error == 0;
    pass->kept++;
    for (size_t i = 0; pass->metric && i < rec->pass_metrics; i++)
        pp_rec_sum_add(&pass->metric[i], &cell[p->metric_at[i]]);
    if (pp_cell_number(pp_reading_cell(&p->r, cell, COL_GPU_TIME), &time)) {
        pass->total_ns += time;
        p->r.error = pp_rec_series_add(&pass->gpu_time, pp_reading_cell(&p->r, cell, COL_GPU_TIME));
    }
    return p->r.error == 0;
}

/* Are rows of this surface in the tables? */
static bool
is_shown(const struct pp_recording *rec, size_t surface)
{
    return rec->shown == PP_REC_NO_SURFACE || surface == PP_REC_NO_SURFACE || surface == rec->shown;
}

static int
by_total_descending(const void *a, const void *b, void *rec)
{
    const struct pp_rec_pass *x = a;
    const struct pp_rec_pass *y = b;
    int shown = is_shown(rec, y->surface) - is_shown(rec, x->surface);
    if (shown)
        return shown;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->pass_id, y->pass_id);
}

static int
by_place(const void *a, const void *b, void *draws)
{
    const struct pp_rec_draw *draw = draws;
    const struct pp_rec_draw *x = &draw[*(const uint32_t *)a];
    const struct pp_rec_draw *y = &draw[*(const uint32_t *)b];
    return compare_place(x, y->frame, y->pass);
}

/* Passes that a reader of the tables could not tell apart are neighbours in this order. */
static int
by_title(const void *a, const void *b, void *passes)
{
    const struct pp_rec_pass *pass = passes;
    const struct pp_rec_pass *x = &pass[*(const uint32_t *)a];
    const struct pp_rec_pass *y = &pass[*(const uint32_t *)b];
    int order = strcmp(x->label, y->label);
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->kind, y->kind);
    order = order ? order : (x->kept > 0) - (y->kept > 0);
    return order ? order : (x->surface > y->surface) - (x->surface < y->surface);
}

static int
by_title_and_place(const void *a, const void *b, void *passes)
{
    const struct pp_rec_pass *pass = passes;
    const struct pp_rec_pass *x = &pass[*(const uint32_t *)a];
    const struct pp_rec_pass *y = &pass[*(const uint32_t *)b];
    int order = by_title(a, b, passes);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int
mark_twins(struct pp_recording *rec)
{
    uint32_t *order = calloc(rec->passes + 1, sizeof(*order));
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < rec->passes; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, rec->passes, sizeof(*order), by_title_and_place, rec->pass);
    for (size_t i = 1; i < rec->passes; i++) {
        struct pp_rec_pass *pass = &rec->pass[order[i]];
        struct pp_rec_pass *before = &rec->pass[order[i - 1]];
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
pp_recording_read_passes(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct passes_reading p = {.r.rec = rec, .by_places = rec->draws};
    const struct pp_csv_reader reader = {.header = passes_header, .row = passes_row, .data = &p};
    p.by_place = calloc(rec->draws + 1, sizeof(*p.by_place));
    if (!p.by_place)
        return -ENOMEM;
    for (size_t i = 0; i < rec->draws; i++)
        p.by_place[i] = (uint32_t)i;
    qsort_r(p.by_place, rec->draws, sizeof(*p.by_place), by_place, rec->draw);
    int rc = pp_rec_rows(path, text, len, &reader);
    free(p.metric_at);
    free(p.by_place);
    rec->shown = PP_REC_NO_SURFACE;
    if (rec->passes)
        qsort_r(rec->pass, rec->passes, sizeof(*rec->pass), by_total_descending, rec);
    int twins = mark_twins(rec);
    rc = rc ? rc : p.r.error;
    return rc ? rc : twins;
}

static int
by_shown(const void *a, const void *b, void *rec)
{
    const struct pp_rec_draw *x = a;
    const struct pp_rec_draw *y = b;
    int shown = is_shown(rec, y->surface) - is_shown(rec, x->surface);
    return shown ? shown : strcmp(x->draw_id, y->draw_id);
}

void
pp_recording_show(struct pp_recording *rec, size_t surface)
{
    rec->shown = surface;
    if (rec->passes)
        qsort_r(rec->pass, rec->passes, sizeof(*rec->pass), by_total_descending, rec);
    if (rec->draws)
        qsort_r(rec->draw, rec->draws, sizeof(*rec->draw), by_shown, rec);
    rec->shown_passes = rec->shown_draws = 0;
    while (rec->shown_passes < rec->passes && is_shown(rec, rec->pass[rec->shown_passes].surface))
        rec->shown_passes++;
    while (rec->shown_draws < rec->draws && is_shown(rec, rec->draw[rec->shown_draws].surface))
        rec->shown_draws++;
    rec->measured_frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++)
        rec->measured_frames += is_shown(rec, i) ? rec->surface[i].measured : 0;
}

/* draws.csv */

/* Columns that count runs of a shader. Source: docs/session-files.md, pipeline statistics. */
#define SHADERS 5U

struct draws_reading {
    struct pp_reading r;
    struct places places;
    size_t shader_at[SHADERS]; /* SIZE_MAX: the file has none */
    size_t times;              /* kept of all draws */
};

static struct key
draw_key(const void *array, size_t i)
{
    const struct pp_rec_draw *draw = array;
    return (struct key){draw[i].draw_id, draw[i].surface};
}

static bool
draws_header(void *data, const struct pp_cell *cell, size_t cells)
{
    static const char *const shader[SHADERS] = {
        "pipeline:vertex_shader_invocations", "pipeline:tessellation_evaluation_shader_invocations",
        "pipeline:geometry_shader_invocations", "pipeline:fragment_shader_invocations",
        "pipeline:compute_shader_invocations"};
    struct draws_reading *d = data;
    pp_reading_columns(&d->r, cell, cells);
    for (size_t s = 0; s < SHADERS; s++) {
        d->shader_at[s] = SIZE_MAX;
        for (size_t i = 0; i < cells; i++)
            if (pp_cell_is(&cell[i], shader[s]))
                d->shader_at[s] = i;
    }
    if (d->r.at[COL_DRAW_ID] == SIZE_MAX)
        d->r.error = -EINVAL;
    return d->r.error == 0;
}

static int
draw_fill(const struct pp_reading *r, struct pp_rec_draw *draw, const struct pp_cell *cell, double frame)
{
    draw->draw_id = strdup(pp_reading_cell(r, cell, COL_DRAW_ID)->text);
    draw->call = strdup(pp_reading_cell(r, cell, COL_CALL)->text);
    draw->label = strdup(pp_reading_cell(r, cell, COL_LABEL)->text);
    draw->pipeline = strdup(pp_reading_cell(r, cell, COL_PIPELINE)->text);
    draw->frame = frame;
    draw->pass = -1;
    (void)!pp_cell_number(pp_reading_cell(r, cell, COL_PASS), &draw->pass);
    return draw->draw_id && draw->call && draw->label && draw->pipeline ? 0 : -ENOMEM;
}

/* The draw of a row, made if it is new. @return NULL: an error, or too many. */
static struct pp_rec_draw *
draw_of(struct draws_reading *d, const struct pp_cell *cell, double frame)
{
    struct pp_recording *rec = d->r.rec;
    struct key key = {pp_reading_cell(&d->r, cell, COL_DRAW_ID)->text, d->r.last_surface};
    d->r.error = places_reserve(&d->places, rec->draw, rec->draws);
    if (d->r.error)
        return NULL;
    uint32_t *place = places_find(&d->places, rec->draw, key);
    if (*place)
        return &rec->draw[*place - 1];
    if (rec->draws == MAX_DRAWS) {
        rec->draws_left_out++;
        return NULL;
    }
    d->r.error = pp_rec_grow(&rec->draw, rec->draws, &rec->draw_cap, sizeof(*rec->draw));
    if (d->r.error)
        return NULL;
    struct pp_rec_draw *draw = &rec->draw[rec->draws];
    draw->surface = key.number;
    d->r.error = draw_fill(&d->r, draw, cell, frame);
    rec->draws++; /* half of one is freed with the others */
    *place = (uint32_t)rec->draws;
    return d->r.error ? NULL : draw;
}

static void
add_work(const struct draws_reading *d, struct pp_rec_draw *draw, const struct pp_cell *cell)
{
    double vertices = 0, instances = 1, value = 0;
    if (pp_cell_number(pp_reading_cell(&d->r, cell, COL_VERTICES), &vertices)) {
        if (pp_cell_number(pp_reading_cell(&d->r, cell, COL_INSTANCES), &instances)) {
            draw->instances.sum += instances;
            draw->instances.rows++;
        }
        draw->vertices.sum += vertices;
        draw->vertices.rows++;
        draw->vertex_runs += vertices * instances;
    }
    bool any = false;
    for (size_t s = 0; s < SHADERS; s++) {
        if (d->shader_at[s] == SIZE_MAX || !pp_cell_number(&cell[d->shader_at[s]], &value))
            continue;
        draw->invocations.sum += value;
        any = true;
    }
    draw->invocations.rows += any;
}

/* One more of the times that percentiles are made of. Beyond as many as memory should hold, every second one
 * of each draw is let go, and of those to come as many. */
static int
keep_time(struct draws_reading *d, struct pp_rec_draw *draw, const struct pp_cell *cell)
{
    struct pp_recording *rec = d->r.rec;
    int rc = pp_rec_series_add(&draw->gpu_time, cell);
    if (rc || ++d->times < (rec->draw_times_most ? rec->draw_times_most : MAX_TIMES))
        return rc;
    d->times = 0;
    rec->draw_times_every *= 2;
    for (size_t i = 0; i < rec->draws; i++) {
        struct pp_series *series = &rec->draw[i].gpu_time;
        series->len = (series->len + 1) / 2;
        for (size_t k = 1; k < series->len; k++)
            series->value[k] = series->value[2 * k];
        d->times += series->len;
    }
    return 0;
}

static bool
draws_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct draws_reading *d = data;
    double frame = -1;
    double time = 0;
    (void)cells;
    if (!frame_of(&d->r, cell, &frame) || d->r.last_first)
        return true;
    if (d->r.last_surface < d->r.rec->surfaces)
        d->r.rec->surface[d->r.last_surface].work_rows++;
    struct pp_rec_draw *draw = draw_of(d, cell, frame);
    if (!draw)
        return d->r.error == 0;
    draw->rows++;
    draw->place = place_of(pp_reading_cell(&d->r, cell, COL_DRAW));
    add_work(d, draw, cell);
    if (pp_cell_number(pp_reading_cell(&d->r, cell, COL_GPU_TIME), &time)) {
        draw->total_ns += time;
        if (draw->timed++ % d->r.rec->draw_times_every == 0)
            d->r.error = keep_time(d, draw, pp_reading_cell(&d->r, cell, COL_GPU_TIME));
    }
    return d->r.error == 0;
}

int
pp_recording_read_draws(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct draws_reading d = {.r.rec = rec, .places.key = draw_key};
    rec->draw_times_every = 1;
    const struct pp_csv_reader reader = {.header = draws_header, .row = draws_row, .data = &d};
    int rc = pp_rec_rows(path, text, len, &reader);
    free(d.places.at);
    return rc ? rc : d.r.error;
}

/* labels.csv */

struct labels_reading {
    struct pp_reading r;
    struct places places;
};

static struct key
label_key(const void *array, size_t i)
{
    return (struct key){((const struct pp_rec_label *)array)[i].label, 0};
}

static bool
labels_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    pp_reading_columns(&l->r, cell, cells);
    if (l->r.at[COL_LABEL] == SIZE_MAX || l->r.at[COL_INCLUSIVE] == SIZE_MAX)
        l->r.error = -EINVAL;
    return l->r.error == 0;
}

static bool
labels_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    struct pp_recording *rec = l->r.rec;
    const char *text = pp_reading_cell(&l->r, cell, COL_LABEL)->text;
    double frame = -1;
    (void)cells;
    if (!frame_of(&l->r, cell, &frame) || l->r.last_first)
        return true;
    l->r.error = places_reserve(&l->places, rec->label, rec->labels);
    if (l->r.error)
        return false;
    uint32_t *place = places_find(&l->places, rec->label, (struct key){text, 0});
    if (!*place) {
        l->r.error = rec->labels == MAX_LABELS
                         ? -EFBIG
                         : pp_rec_grow(&rec->label, rec->labels, &rec->label_cap, sizeof(*rec->label));
        char *copy = l->r.error ? NULL : strdup(text);
        if (!copy) {
            l->r.error = l->r.error ? l->r.error : -ENOMEM;
            return false;
        }
        rec->label[rec->labels++].label = copy;
        *place = (uint32_t)rec->labels;
    }
    struct pp_rec_label *label = &rec->label[*place - 1];
    label->rows++;
    pp_rec_sum_add(&label->inclusive_ns, pp_reading_cell(&l->r, cell, COL_INCLUSIVE));
    pp_rec_sum_add(&label->exclusive_ns, pp_reading_cell(&l->r, cell, COL_EXCLUSIVE));
    pp_rec_sum_add(&label->draws, pp_reading_cell(&l->r, cell, COL_DRAWS));
    return true;
}

static int
by_inclusive_descending(const void *a, const void *b)
{
    const struct pp_rec_label *x = a;
    const struct pp_rec_label *y = b;
    if (x->inclusive_ns.sum != y->inclusive_ns.sum)
        return x->inclusive_ns.sum < y->inclusive_ns.sum ? 1 : -1;
    return strcmp(x->label, y->label);
}

int
pp_recording_read_labels(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct labels_reading l = {.r.rec = rec, .places.key = label_key};
    const struct pp_csv_reader reader = {.header = labels_header, .row = labels_row, .data = &l};
    int rc = pp_rec_rows(path, text, len, &reader);
    free(l.places.at);
    if (rec->labels)
        qsort(rec->label, rec->labels, sizeof(*rec->label), by_inclusive_descending);
    return rc ? rc : l.r.error;
}
