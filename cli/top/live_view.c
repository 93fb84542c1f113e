/** @file
 * See live_view.h. */
#include "cli/top/live_view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "pp_texts.h"

/* The surface with the most frames in the window. */
static size_t
busiest_surface(const struct pp_live_frames *frames, size_t *ret_surfaces)
{
    size_t count[PP_LIVE_SURFACES_MAX] = {0};
    size_t best = 0;
    *ret_surfaces = 0;
    for (size_t i = 0; i < frames->len; i++)
        *ret_surfaces += count[frames->frame[i].surface]++ == 0;
    for (size_t i = 1; i < PP_LIVE_SURFACES_MAX; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

/* Which verdict the most frames have. @param count Frames by verdict. */
static void
find_bound(struct pp_live_view *view, const size_t count[PP_VERDICT_NONE])
{
    size_t best = 0;
    for (size_t i = 1; i < PP_VERDICT_NONE; i++)
        if (count[i] > count[best])
            best = i;
    view->bound_by = count[best] ? (enum pp_verdict)best : PP_VERDICT_NONE;
    view->bound_percent = count[best] ? 100 * (double)count[best] / (double)view->frames : (double)NAN;
}

/* List the frames of a surface whose rows are grouped, ascending: those at the level of the newest frame that
 * has rows, because finer brackets change times. Shader programs have rows at level draw only.
 * @param number As large as all frames. @return How many there are. */
static size_t
list_rows_frames(const struct pp_live_frames *frames, size_t surface, enum pp_live_by by, double *number)
{
    size_t level = PP_SAVED_FRAME, len = 0;
    double newest = -INFINITY;
    for (size_t i = 0; i < frames->len; i++) {
        const struct pp_live_frame *frame = &frames->frame[i];
        if (frame->surface != surface || frame->level == PP_SAVED_FRAME || !(frame->start_ns > newest))
            continue;
        newest = frame->start_ns;
        level = frame->level;
    }
    for (size_t i = 0; i < frames->len; i++)
        if (frames->frame[i].surface == surface &&
            (frames->frame[i].level == level || by == PP_LIVE_BY_PROGRAM))
            number[len++] = frames->frame[i].number;
    pp_stats_sort(number, len);
    return len;
}

/* The figures of the frames of a surface. @param time As large as all frames; overwritten. */
static void
view_frames(struct pp_live_view *view, const struct pp_live_frames *frames, size_t surface, double *time)
{
    const double slot = PP_LIVE_WINDOW_NS / PP_LIVE_SLOTS;
    const double last_slot = floor(frames->newest_ns / slot);
    size_t count[PP_VERDICT_NONE] = {0};
    double begin = INFINITY, newest = -INFINITY;
    for (size_t i = 0; i < PP_LIVE_SLOTS; i++)
        view->slot_ns[i] = (double)NAN;
    for (size_t i = 0; i < frames->len; i++) {
        const struct pp_live_frame *frame = &frames->frame[i];
        if (frame->surface != surface)
            continue;
        double end = frame->start_ns + frame->time_ns;
        double age = last_slot - floor(end / slot);
        if (age >= 0 && age < PP_LIVE_SLOTS) {
            double *longest = &view->slot_ns[PP_LIVE_SLOTS - 1 - (size_t)age];
            *longest = fmax(*longest, frame->time_ns);
        }
        view->has_level[frame->level] = true;
        if (end > newest)
            view->level = frame->level;
        newest = fmax(newest, end);
        begin = fmin(begin, frame->start_ns);
        if (frame->bound_by < PP_VERDICT_NONE)
            count[frame->bound_by]++;
        time[view->frames++] = frame->time_ns;
    }
    view->window_ns = view->frames ? newest - begin : 0;
    view->fps = pp_average_fps(time, view->frames, 1e9);
    pp_stats_sort(time, view->frames);
    view->p99_ns = pp_quantile7(time, view->frames, 0.99);
    view->max_ns = view->frames ? time[view->frames - 1] : (double)NAN;
    find_bound(view, count);
}

/* The place of a frame's number; SIZE_MAX: the frame is not in the window. */
static size_t
place_of(const double *number, size_t n, double wanted)
{
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (number[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && number[low] <= wanted ? low : SIZE_MAX;
}

/* Memory of view_rows(). */
struct grouping {
    size_t *begin; /* [names + 1]: where the rows of a name begin in row */
    size_t *row;   /* indexes of rows of known frames, by name */
    bool *seen;    /* [frames]: has the frame a row? */
    double *sum;   /* GPU time of a name in each frame that has it */
};

/* Are all rows of the row's frame there? */
static bool
is_whole(const struct pp_live_rows *rows, const struct pp_live_row *row)
{
    bool torn = row->frame >= rows->torn_frame && row->frame <= rows->torn_frame;
    return !torn && !(row->frame <= rows->dropped);
}

/* Sort the rows of frames in the window by name; rows of one name keep their order. @return their number.
 * Then g->begin[name + 1] is where the rows of the name begin. */
static size_t
sort_by_name(const struct pp_live_rows *rows, const double *number, size_t frames, struct grouping *g,
             size_t *ret_frames)
{
    for (size_t i = 0; i < rows->len; i++) {
        size_t place =
            is_whole(rows, &rows->row[i]) ? place_of(number, frames, rows->row[i].frame) : SIZE_MAX;
        if (place == SIZE_MAX)
            continue;
        *ret_frames += !g->seen[place];
        g->seen[place] = true;
        g->begin[rows->row[i].name + 1]++;
    }
    for (size_t i = 0; i < rows->names; i++)
        g->begin[i + 1] += g->begin[i];
    const size_t known = g->begin[rows->names];
    for (size_t i = rows->len; i-- > 0;) {
        const struct pp_live_row *row = &rows->row[i];
        if (is_whole(rows, row) && place_of(number, frames, row->frame) != SIZE_MAX)
            g->row[--g->begin[row->name + 1]] = i;
    }
    return known;
}

/* The figures of the rows @p first to @p end of g->row, which have one name. */
static struct pp_live_group
group_of(const struct pp_live_rows *rows, const struct grouping *g, size_t first, size_t end, size_t frames)
{
    double total = 0, draws = 0, last = (double)NAN;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        const struct pp_live_row *row = &rows->row[g->row[i]];
        draws += (double)row->draws;
        if (isnan(row->gpu_ns))
            continue;
        total += row->gpu_ns;
        if (n && row->frame >= last && row->frame <= last)
            g->sum[n - 1] += row->gpu_ns;
        else
            g->sum[n++] = row->gpu_ns;
        last = row->frame;
    }
    pp_stats_sort(g->sum, n);
    const struct pp_live_name *name = &rows->name[rows->row[g->row[first]].name];
    return (struct pp_live_group){.title = strdup(name->title),
                                  .place = name->place,
                                  .key = name->key,
                                  .frame_ns = n ? total / (double)frames : (double)NAN,
                                  .p95_ns = pp_quantile7(g->sum, n, 0.95),
                                  .draws = draws / (double)frames};
}

/* Order of two figures, the larger one first; what was not measured comes last. */
static int
larger_first(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}

static int
compare_groups(const void *a, const void *b, void *data)
{
    const struct pp_live_group *x = a, *y = b;
    int order = 0;
    switch (*(const enum pp_live_sort *)data) {
    case PP_LIVE_SORT_P95:
        order = larger_first(x->p95_ns, y->p95_ns);
        break;
    case PP_LIVE_SORT_DRAWS:
        order = larger_first(x->draws, y->draws);
        break;
    case PP_LIVE_SORT_TIME:
        order = larger_first(x->frame_ns, y->frame_ns);
        break;
    case PP_LIVE_SORT_NAME:
    case PP_LIVE_SORTS:
        break;
    }
    order = order ? order : strcmp(x->title, y->title);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

void
pp_live_view_sort(struct pp_live_view *view, enum pp_live_sort sort)
{
    if (view->groups)
        qsort_r(view->group, view->groups, sizeof(*view->group), compare_groups, &sort);
}

/* Distinguish groups of the same title: passes by their place, and by their id where the place is the same,
 * too; label regions by their path as the file has it. @retval 0, -ENOMEM. */
static int
tell_apart(struct pp_live_view *view, enum pp_live_by by)
{
    pp_live_view_sort(view, PP_LIVE_SORT_NAME);
    for (size_t i = 0, end = 0; i < view->groups; i = end) {
        const struct pp_live_group *first = &view->group[i];
        for (end = i + 1; end < view->groups && strcmp(view->group[end].title, first->title) == 0;)
            end++;
        for (size_t k = i; k < end && end - i > 1 && by == PP_LIVE_BY_PASS; k++) {
            struct pp_live_group *group = &view->group[k];
            const uint64_t place = group->place;
            bool same = (k > i && view->group[k - 1].place == place) ||
                        (k + 1 < end && view->group[k + 1].place == place);
            snprintf(group->which, sizeof(group->which), PP_FORMAT_TOP_WHICH, (unsigned long long)place,
                     same ? ", id " : "", same ? group->key : "");
        }
        for (size_t k = i; k < end && end - i > 1 && by != PP_LIVE_BY_PASS; k++) {
            char *key = strdup(view->group[k].key);
            if (!key)
                return -ENOMEM;
            free(view->group[k].title);
            view->group[k].title = key;
        }
    }
    for (size_t i = 0; i < view->groups; i++)
        view->group[i].key = NULL;
    return 0;
}

/* Make the groups of sorted rows. @retval 0, -ENOMEM. */
static int
make_groups(struct pp_live_view *view, const struct pp_live_rows *rows, const struct grouping *g,
            size_t known)
{
    double total = 0;
    for (size_t i = 0; i < rows->names; i++) {
        size_t end = i + 1 < rows->names ? g->begin[i + 2] : known;
        if (g->begin[i + 1] == end)
            continue;
        view->group[view->groups] = group_of(rows, g, g->begin[i + 1], end, view->grouped_frames);
        double ns = view->group[view->groups].frame_ns;
        total += isnan(ns) ? 0 : ns;
        if (!view->group[view->groups++].title)
            return -ENOMEM;
    }
    for (size_t i = 0; i < view->groups; i++)
        view->group[i].share_percent = total > 0 ? 100 * view->group[i].frame_ns / total : (double)NAN;
    return 0;
}

/* Group the rows of frames. @param number Of these frames, ascending. @retval 0, -ENOMEM. */
static int
view_rows(struct pp_live_view *view, const struct pp_live_rows *rows, const double *number, size_t frames,
          enum pp_live_sort sort)
{
    struct grouping g = {.begin = calloc(rows->names + 2, sizeof(*g.begin)),
                         .row = calloc(rows->len + 1, sizeof(*g.row)),
                         .seen = calloc(frames + 1, sizeof(*g.seen)),
                         .sum = calloc(rows->len + 1, sizeof(*g.sum))};
    view->group = calloc(rows->names + 1, sizeof(*view->group));
    int rc = g.begin && g.row && g.seen && g.sum && view->group ? 0 : -ENOMEM;
    if (rc == 0) {
        size_t known = sort_by_name(rows, number, frames, &g, &view->grouped_frames);
        rc = make_groups(view, rows, &g, known);
    }
    rc = rc ? rc : tell_apart(view, rows->by);
    if (rc == 0)
        pp_live_view_sort(view, sort);
    free(g.begin);
    free(g.row);
    free(g.seen);
    free(g.sum);
    return rc;
}

int
pp_live_view_make(const struct pp_live_frames *frames, const struct pp_live_rows *rows,
                  enum pp_live_sort sort, struct pp_live_view *ret)
{
    struct pp_live_view view = {.frames = 0};
    double *time = calloc(2 * frames->len + 1, sizeof(*time));
    int rc = time ? 0 : -ENOMEM;
    if (rc == 0) {
        double *number = time + frames->len;
        size_t surface = busiest_surface(frames, &view.surfaces);
        view_frames(&view, frames, surface, time);
        size_t len = list_rows_frames(frames, surface, rows->by, number);
        rc = view_rows(&view, rows, number, len, sort);
    }
    free(time);
    if (rc)
        pp_live_view_finish(&view);
    else
        *ret = view;
    return rc;
}

void
pp_live_view_finish(struct pp_live_view *view)
{
    for (size_t i = 0; i < view->groups; i++)
        free(view->group[i].title);
    free(view->group);
    *view = (struct pp_live_view){.frames = 0};
}
