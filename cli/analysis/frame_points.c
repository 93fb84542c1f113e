/** @file
 * See frame_points.h. */
#include "cli/analysis/frame_points.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/frames_read.h"
#include "counters/stats/stats.h"
#include "counters/util/grow_array.h"

#define SHORTEST_NS     1000.0 /* of the histogram */
#define BINS_A_DOUBLING 8.0

/* The frames with the largest values of one kind. */
struct longest {
    struct pp_frame_point point[PP_POINTS_LONGEST];
    double value[PP_POINTS_LONGEST];
    size_t len, least; /* least: index of the smallest value, where the array is full */
};

/* A surface whose rows are being read. */
struct gathering {
    struct pp_surface_points *points;
    struct pp_frame_point *least, *most; /* of each bucket; frame is NaN: none yet */
    struct longest time, pipelines;
    struct pp_frame_point *wanted; /* frames that were asked for */
    size_t wanted_len, wanted_cap;
    bool begun; /* the first frame of the surface was read */
};

struct points_reading {
    const struct pp_saved_session *rec;
    const struct pp_points_wanted *wanted;
    struct gathering *of; /* wanted->surfaces */
    uint32_t *rank;       /* of each of rec->frame: its place in its surface, without first frames */
    size_t counters;
};

/* Keep a frame if it is one of those with the largest values. */
static void
keep_longest(struct longest *of, const struct pp_frame_point *point, double value)
{
    size_t at = of->len;
    if (!(value > 0))
        return;
    if (of->len == PP_POINTS_LONGEST) {
        if (value <= of->value[of->least])
            return;
        at = of->least;
    } else {
        of->len++;
    }
    of->point[at] = *point;
    of->value[at] = value;
    if (of->len < PP_POINTS_LONGEST)
        return;
    of->least = 0;
    for (size_t i = 1; i < of->len; i++)
        of->least = of->value[i] < of->value[of->least] ? i : of->least;
}

/* Keep a frame that was asked for. */
static int
keep_wanted(const struct points_reading *p, struct gathering *of, const struct pp_frame_point *point)
{
    if (!p->wanted->frames || !bsearch(&point->frame, p->wanted->frame, p->wanted->frames,
                                       sizeof(*p->wanted->frame), pp_compare_numbers))
        return 0;
    int rc = pp_grow_array(&of->wanted, &of->wanted_cap, of->wanted_len + 1, sizeof(*of->wanted));
    if (rc == 0)
        of->wanted[of->wanted_len++] = *point;
    return rc;
}

/* Add the counters of a row to the band that it is in. */
static void
add_counters(const struct points_reading *p, struct pp_surface_points *points, size_t rank,
             const struct pp_frame_point *point, const double *counter)
{
    size_t at = rank * points->bands / points->frames;
    if (isnan(points->begin[at].frame) || point->frame < points->begin[at].frame)
        points->begin[at] = *point;
    for (size_t c = 0; c < p->counters; c++) {
        double value = counter[c];
        struct pp_counter_band *band = &points->band[c * points->bands + at];
        if (isnan(value))
            continue;
        band->least = band->rows ? fmin(band->least, value) : value;
        band->most = band->rows ? fmax(band->most, value) : value;
        band->sum += value;
        band->rows++;
    }
}

/* The surface that is read, of a frame; NULL: the frame is no point. */
static struct gathering *
gathering_of(const struct points_reading *p, double frame, size_t *ret_rank)
{
    size_t place = pp_saved_place_of(p->rec, frame);
    if (place == p->rec->frames || p->rec->frame[place].number > frame || p->rank[place] == UINT32_MAX)
        return NULL;
    *ret_rank = p->rank[place];
    for (size_t i = 0; i < p->wanted->surfaces; i++)
        if (p->wanted->surface[i] == p->rec->frame[place].surface)
            return &p->of[i];
    return NULL;
}

/* A row as a point. */
static struct pp_frame_point
point_of(const struct pp_saved_row *row)
{
    return (struct pp_frame_point){
        .frame = row->frame,
        .start_ns = row->start_ns,
        .frame_time_ns = row->frame_time,
        .cpu_busy_ns = row->cpu_busy,
        .gpu_busy_ns = row->gpu_busy,
        .pipelines = row->pipelines,
        .pipeline_ns = row->pipeline_ns,
        .passes = row->passes,
        .actions = fmax(row->draws, 0) + fmax(row->dispatches, 0) + fmax(row->copies, 0),
        .verdict = row->verdict,
    };
}

/* The time by which points are extreme: that of the frame or, without one, of the GPU. */
static double
time_of(const struct pp_frame_point *point)
{
    return isnan(point->frame_time_ns) ? point->gpu_busy_ns : point->frame_time_ns;
}

/* Count a frame in the histogram. */
static void
count_time(struct pp_surface_points *points, double ns)
{
    if (!(ns >= 0))
        return;
    double bin = floor(BINS_A_DOUBLING * log2(fmax(ns, SHORTEST_NS) / SHORTEST_NS));
    points->bin[bin < PP_POINT_BINS ? (size_t)bin : PP_POINT_BINS - 1]++;
}

/* Keep when a surface's first frame began. That frame may be outside of the window, or no point. */
static void
keep_begin(struct points_reading *p, const struct pp_saved_row *row)
{
    size_t surface = pp_saved_surface_of(p->rec, row->frame);
    for (size_t i = 0; i < p->wanted->surfaces; i++)
        if (p->wanted->surface[i] == surface && !p->of[i].begun) {
            p->of[i].begun = true;
            p->of[i].points->begin_ns = row->start_ns;
        }
}

/* pp_frames_sink.row */
static int
take_row(void *data, const struct pp_saved_row *row, const double *counter)
{
    struct points_reading *p = data;
    size_t rank = 0;
    struct gathering *of = gathering_of(p, row->frame, &rank);
    keep_begin(p, row);
    if (!of)
        return 0;
    const struct pp_frame_point point = point_of(row);
    struct pp_surface_points *points = of->points;
    size_t bucket = rank * points->buckets / points->frames;
    if (isnan(of->least[bucket].frame) || time_of(&point) < time_of(&of->least[bucket]))
        of->least[bucket] = point;
    if (isnan(of->most[bucket].frame) || time_of(&point) > time_of(&of->most[bucket]))
        of->most[bucket] = point;
    keep_longest(&of->time, &point, time_of(&point));
    keep_longest(&of->pipelines, &point, point.pipelines > 0 ? fmax(point.pipeline_ns, 1) : 0);
    points->pipeline_frames += point.pipelines > 0;
    count_time(points, point.frame_time_ns);
    add_counters(p, points, rank, &point, counter);
    return keep_wanted(p, of, &point);
}

/* Give each frame its place among those of its surface, and count these. @retval 0, -ENOMEM. */
static int
rank_frames(struct points_reading *p)
{
    const struct pp_saved_session *rec = p->rec;
    uint32_t *next = calloc(rec->surfaces + 1, sizeof(*next));
    p->rank = calloc(rec->frames + 1, sizeof(*p->rank));
    if (!next || !p->rank) {
        free(next);
        return -ENOMEM;
    }
    for (size_t i = 0; i < rec->frames; i++) {
        const struct pp_saved_frame *frame = &rec->frame[i];
        bool taken = !frame->outside && frame->surface < rec->surfaces &&
                     !(rec->surface[frame->surface].first.frames > 0 &&
                       frame->number <= rec->surface[frame->surface].first.frame);
        p->rank[i] = taken ? next[frame->surface]++ : UINT32_MAX;
    }
    for (size_t i = 0; i < p->wanted->surfaces; i++)
        p->of[i].points->frames = next[p->wanted->surface[i]];
    free(next);
    return 0;
}

static struct pp_frame_point *
make_points(size_t len)
{
    struct pp_frame_point *ret = calloc(len + 1, sizeof(*ret));
    for (size_t i = 0; ret && i < len; i++)
        ret[i].frame = (double)NAN;
    return ret;
}

/* Make the buckets and bands of a surface. @retval 0, -ENOMEM. */
static int
make_buckets(struct gathering *of, size_t most, size_t bands, size_t counters)
{
    struct pp_surface_points *points = of->points;
    points->begin_ns = (double)NAN;
    points->buckets = points->frames <= most ? points->frames : most / 2;
    points->bands = points->frames < bands ? points->frames : bands;
    of->least = make_points(points->buckets);
    of->most = make_points(points->buckets);
    points->begin = make_points(points->bands);
    points->band = calloc(counters * points->bands + 1, sizeof(*points->band));
    return of->least && of->most && points->begin && points->band ? 0 : -ENOMEM;
}

static int
compare_points(const void *a, const void *b)
{
    const struct pp_frame_point *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static size_t
append(struct pp_frame_point *out, size_t len, const struct pp_frame_point *in, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(in[i].frame))
            out[len++] = in[i];
    return len;
}

/* Join all frames that were kept, each once, by number. @retval 0, -ENOMEM. */
static int
join_points(struct gathering *of)
{
    struct pp_surface_points *points = of->points;
    size_t most = 2 * points->buckets + of->time.len + of->pipelines.len + of->wanted_len, len = 0;
    struct pp_frame_point *all = make_points(most);
    if (!all)
        return -ENOMEM;
    len = append(all, len, of->least, points->buckets);
    len = append(all, len, of->most, points->buckets);
    len = append(all, len, of->time.point, of->time.len);
    len = append(all, len, of->pipelines.point, of->pipelines.len);
    len = append(all, len, of->wanted, of->wanted_len);
    qsort(all, len, sizeof(*all), compare_points);
    points->point = all;
    for (size_t i = 0; i < len; i++)
        if (!points->len || all[i].frame > all[points->len - 1].frame)
            all[points->len++] = all[i];
    return 0;
}

static void
finish_gathering(struct gathering *of)
{
    free(of->least);
    free(of->most);
    free(of->wanted);
}

/* Read the rows after all memory was made. */
static int
read_rows(struct points_reading *p)
{
    int rc = pp_saved_frame_rows(p->rec, &(struct pp_frames_sink){.row = take_row, .data = p});
    for (size_t i = 0; rc == 0 && i < p->wanted->surfaces; i++)
        rc = join_points(&p->of[i]);
    return rc;
}

int
pp_frame_points_read(const struct pp_saved_session *rec, const struct pp_points_wanted *wanted,
                     struct pp_frame_points *ret)
{
    size_t most = (wanted->most ? wanted->most : PP_POINTS_MOST) / (wanted->surfaces + !wanted->surfaces);
    struct points_reading p = {.rec = rec, .wanted = wanted};
    ret->counters = p.counters = rec->counters < PP_POINT_COUNTERS ? rec->counters : PP_POINT_COUNTERS;
    ret->of = calloc(wanted->surfaces + 1, sizeof(*ret->of));
    p.of = calloc(wanted->surfaces + 1, sizeof(*p.of));
    int rc = ret->of && p.of ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < wanted->surfaces; i++) {
        ret->of[i].surface = wanted->surface[i];
        p.of[i].points = &ret->of[i];
    }
    if (rc == 0) {
        ret->len = wanted->surfaces;
        rc = rank_frames(&p);
    }
    for (size_t i = 0; rc == 0 && i < wanted->surfaces; i++)
        rc = make_buckets(&p.of[i], most, PP_POINT_BANDS / wanted->surfaces, p.counters);
    rc = rc ? rc : read_rows(&p);
    for (size_t i = 0; p.of && i < wanted->surfaces; i++)
        finish_gathering(&p.of[i]);
    free(p.of);
    free(p.rank);
    return rc;
}

double
pp_point_bin_begin(size_t bin)
{
    return SHORTEST_NS * exp2((double)bin / BINS_A_DOUBLING);
}

void
pp_frame_points_finish(struct pp_frame_points *points)
{
    for (size_t i = 0; i < points->len; i++) {
        free(points->of[i].point);
        free(points->of[i].begin);
        free(points->of[i].band);
    }
    free(points->of);
    *points = (struct pp_frame_points){.len = 0};
}

#define LONGEST 10U

struct choosing {
    const struct pp_surface_points *points;
    const struct pp_chosen_budget *budget;
    struct pp_chosen_frames *ret;
    bool *taken; /* of each point */
};

/* Choose a point, unless it was chosen, or its passes have no place. */
static int
take(struct choosing *c, size_t i, enum pp_chosen_why why)
{
    const struct pp_frame_point *point = &c->points->point[i];
    double passes = fmax(point->passes, 1), draws = fmax(point->actions, 0);
    struct pp_chosen_frames *ret = c->ret;
    if (c->taken[i] || ret->passes + passes > c->budget->passes)
        return 0;
    int rc = pp_grow_array(&ret->frame, &ret->cap, ret->len + 1, sizeof(*ret->frame));
    if (rc)
        return rc;
    bool fits = ret->draws + draws <= c->budget->draws;
    ret->frame[ret->len++] = (struct pp_chosen_frame){.frame = point->frame, .why = why, .draws = fits};
    ret->passes += passes;
    ret->draws += fits ? draws : 0;
    c->taken[i] = true;
    return 0;
}

/* The point of a frame; SIZE_MAX: the frame is none. */
static size_t
place_of(const struct pp_surface_points *points, double frame)
{
    size_t low = 0, high = points->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (points->point[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < points->len && points->point[low].frame <= frame ? low : SIZE_MAX;
}

/* Choose the point whose frame time is nearest. */
static int
take_nearest(struct choosing *c, double time_ns, enum pp_chosen_why why)
{
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < c->points->len && !isnan(time_ns); i++) {
        double distance = fabs(c->points->point[i].frame_time_ns - time_ns);
        if (distance < least && !c->taken[i]) {
            least = distance;
            best = i;
        }
    }
    return best == SIZE_MAX ? 0 : take(c, best, why);
}

/* Choose the longest of the points that were not chosen yet. */
static int
take_longest(struct choosing *c)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < c->points->len; i++)
        if (!c->taken[i] && c->points->point[i].frame_time_ns >= 0 &&
            (best == SIZE_MAX || c->points->point[i].frame_time_ns > c->points->point[best].frame_time_ns))
            best = i;
    return best == SIZE_MAX ? 0 : take(c, best, PP_CHOSEN_LONGEST);
}

/* Choose points evenly: each round halves the distance, until every point was tried or the budget is spent.
 */
static int
take_spread(struct choosing *c)
{
    size_t step = 1;
    int rc = 0;
    while (step < c->points->len)
        step *= 2;
    for (; rc == 0 && step > 0 && c->ret->passes + 1 <= c->budget->passes; step /= 2)
        for (size_t i = step - 1; rc == 0 && i < c->points->len; i += step)
            rc = take(c, i, PP_CHOSEN_SPREAD);
    return rc;
}

int
pp_chosen_frames_add(const struct pp_surface_points *points, const double *wanted, size_t wanted_len,
                     const double time[3], const struct pp_chosen_budget *budget,
                     struct pp_chosen_frames *ret)
{
    static const enum pp_chosen_why why[3] = {PP_CHOSEN_MEDIAN, PP_CHOSEN_P95, PP_CHOSEN_P99};
    struct choosing c = {points, budget, ret, calloc(points->len + 1, sizeof(bool))};
    int rc = c.taken ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < wanted_len; i++) {
        size_t at = place_of(points, wanted[i]);
        rc = at == SIZE_MAX ? 0 : take(&c, at, PP_CHOSEN_SLOW);
    }
    for (size_t i = 0; rc == 0 && i < 3; i++)
        rc = take_nearest(&c, time[i], why[i]);
    for (size_t i = 0; rc == 0 && i < LONGEST; i++)
        rc = take_longest(&c);
    rc = rc ? rc : take_spread(&c);
    free(c.taken);
    return rc;
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_chosen_frame *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

void
pp_chosen_frames_sort(struct pp_chosen_frames *chosen)
{
    if (chosen->len)
        qsort(chosen->frame, chosen->len, sizeof(*chosen->frame), by_frame);
}

void
pp_chosen_frames_finish(struct pp_chosen_frames *chosen)
{
    free(chosen->frame);
    *chosen = (struct pp_chosen_frames){.len = 0};
}
