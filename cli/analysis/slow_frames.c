/** @file
 * See slow_frames.h. The causes are in slow_causes.c. */
#include "cli/analysis/slow_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/summary.h"

/* Frames before a slow one whose work is always looked at. */
#define FRAMES_BEFORE 3U
/* A frame is longer than usual from this share of the usual time on: less is noise. */
#define LONGER 1.05

/* The level that most frames of the surface have: brackets change times, so levels are not mixed. */
static size_t
common_level(const struct pp_saved_surface *s)
{
    size_t ret = 0;
    for (size_t i = 1; i < PP_SAVED_LEVELS; i++)
        if (s->by_level[i] > s->by_level[ret])
            ret = i;
    return ret;
}

/* Keep a slow frame, in place of the least slow one where the array is full. */
static void
keep(struct pp_slow_frames *slow, size_t most, const struct pp_slow_frame *frame)
{
    if (slow->len < most) {
        slow->frame[slow->len++] = *frame;
        return;
    }
    size_t least = 0;
    for (size_t i = 1; i < slow->len; i++)
        if (slow->frame[i].time_ns - slow->frame[i].usual_ns <
            slow->frame[least].time_ns - slow->frame[least].usual_ns)
            least = i;
    if (slow->frame[least].time_ns - slow->frame[least].usual_ns < frame->time_ns - frame->usual_ns)
        slow->frame[least] = *frame;
}

/* Find the frames that are slow or, for `worst`, longer than usual. */
static void
find(struct pp_slow_frames *slow, size_t worst)
{
    const struct pp_frame_series *series = &slow->series;
    size_t most = worst && worst < PP_SLOW_FRAMES_MAX ? worst : PP_SLOW_FRAMES_MAX;
    struct pp_baseline base = {.usual_ns = (double)NAN, .slow_ns = (double)NAN, .common_ns = (double)NAN};
    for (size_t i = 0; i < series->len; i++) {
        const struct pp_saved_frame *row = &slow->table.row[series->row[i]];
        if (i % PP_BASELINE_BLOCK == 0)
            base = pp_baseline_of_block(series, i / PP_BASELINE_BLOCK);
        double time = pp_frame_cell(&slow->table, row, PP_CELL_FRAME_TIME);
        if (!(time > base.usual_ns))
            continue;
        if (time >= base.slow_ns) {
            slow->factor = slow->found++ ? fmin(slow->factor, time / base.usual_ns) : time / base.usual_ns;
        } else if (!worst) {
            continue;
        }
        keep(slow, most,
             &(struct pp_slow_frame){
                 .frame = row->number, .time_ns = time, .usual_ns = base.usual_ns, .index = i});
    }
}

/* A frame comes regularly if this many frames like it are at the same distance from one another, and if
 * frames that are as frequent would be so by chance with this probability at most. */
#define REGULAR_LEAST  4U
#define REGULAR_CHANCE 0.005
/* Frames like it that are looked for before and after. */
#define REGULAR_MOST 6U
/* Other stutters between them: at most one for this many. */
#define OTHERS_SHARE 4U
/* The distance may be off by this share, or by one frame: games count time, not frames. */
#define REGULAR_OFF 0.02

/* What causes are alike for a period: the GPU and waits for it are one thing, and so are a sleep and a thread
 * that had no processor: they are one figure without `cpu:run-delay`. */
static enum pp_cause_kind
kind_for_period(const struct pp_slow_frame *frame)
{
    bool explained = frame->causes && frame->cause[0].kind < PP_CAUSE_FACTS;
    const enum pp_cause_kind kind = explained ? frame->cause[0].kind : PP_CAUSE_FACTS;
    if (kind == PP_CAUSE_GPU || kind == PP_CAUSE_PRESENT || kind == PP_CAUSE_ACQUIRE || kind == PP_CAUSE_SYNC)
        return PP_CAUSE_PASS;
    return kind == PP_CAUSE_DELAY ? PP_CAUSE_SLEEP : kind;
}

/* Is a frame known to be slow for another reason? A stutter between two of a period does not end it, and is
 * none of it. */
static bool
has_other_cause(const struct pp_slow_frames *slow, const struct pp_slow_frame *frame, size_t index)
{
    for (size_t i = 0; i < slow->len; i++) {
        const struct pp_slow_frame *other = &slow->frame[i];
        if (other->index != index)
            continue;
        const struct pp_near_pass *a = frame->cause[0].pass, *b = other->cause[0].pass;
        bool passes = frame->causes && other->causes && frame->cause[0].kind == PP_CAUSE_PASS &&
                      other->cause[0].kind == PP_CAUSE_PASS;
        const enum pp_cause_kind mine = kind_for_period(frame), its = kind_for_period(other);
        return mine != PP_CAUSE_FACTS && its != PP_CAUSE_FACTS &&
               (mine != its || (passes && strcmp(a->name, b->name) != 0));
    }
    return false;
}

/* The places of frames whose excess is at least half of this frame's, nearest first, in one direction,
 * without those that were slow for another reason. */
static size_t
places_like(const struct pp_slow_frames *slow, const struct pp_slow_frame *frame, bool before, size_t *ret)
{
    const struct pp_frame_series *series = &slow->series;
    double least = frame->usual_ns + 0.5 * (frame->time_ns - frame->usual_ns);
    size_t len = 0, at = frame->index;
    while (len < REGULAR_MOST && (before ? at-- > 0 : ++at < series->len))
        if (pp_frame_cell(&slow->table, &slow->table.row[series->row[at]], PP_CELL_FRAME_TIME) >= least &&
            !has_other_cause(slow, frame, at))
            ret[len++] = at;
    return len;
}

/* By how many frames a distance may be off. */
static double
off_most(size_t every)
{
    return every < 8 ? 0 : fmax(1, REGULAR_OFF * (double)every);
}

/* How many frames must be at a distance from one another. Frames that come by chance, as often as this
 * distance says, are at it from the next one with a probability of about 1 / (e every). The first distance is
 * no coincidence, and the frame may be any of them. */
static size_t
regular_least(size_t every)
{
    const double chance = (1 + 2 * off_most(every)) / (double)every / exp(1);
    size_t ret = REGULAR_LEAST;
    while ((double)ret * pow(chance, (double)ret - 2) > REGULAR_CHANCE)
        ret++;
    return ret;
}

/* Count the frames that are at a distance from one another, on both sides of a frame. Frames in between are
 * other stutters. They end no period from distance 8 on, up to one for each four frames that are counted.
 * @param every The distance. @param ret_every The mean distance. @return How many, with this one. */
static size_t
count_regular(size_t index, size_t like[2][REGULAR_MOST], const size_t len[2], size_t every,
              size_t *ret_every)
{
    size_t regular = 1, others = 0, sum = 0;
    for (size_t side = 0; side < 2; side++) {
        size_t last = index, between = 0; /* since the last one of the period */
        for (size_t i = 0; i < len[side]; i++) {
            size_t gap = like[side][i] > last ? like[side][i] - last : last - like[side][i];
            double off = (double)gap - (double)every;
            if (off > off_most(every) || (off < 0 && off_most(every) <= 0))
                break;
            if (off < -off_most(every)) {
                between++;
                continue;
            }
            others += between;
            between = 0;
            last = like[side][i];
            sum += gap;
            regular++;
        }
    }
    *ret_every = regular > 1 ? (sum + (regular - 1) / 2) / (regular - 1) : every;
    return OTHERS_SHARE * others > regular ? 1 : regular;
}

/* Find at which distance frames like this one come; 0: not regularly. The nearest frame of a side may be
 * another stutter, so the distance of the next one is tried, too. */
static size_t
find_period(const struct pp_slow_frames *slow, const struct pp_slow_frame *frame)
{
    size_t like[2][REGULAR_MOST], len[2];
    for (size_t side = 0; side < 2; side++)
        len[side] = places_like(slow, frame, side == 0, like[side]);
    for (size_t try = 0; try < 4; try++) {
        const size_t side = try % 2, at = try / 2;
        if (at >= len[side])
            continue;
        const size_t other = like[side][at];
        const size_t every = other > frame->index ? other - frame->index : frame->index - other;
        size_t mean = 0;
        if (every >= 2 && count_regular(frame->index, like, len, every, &mean) >= regular_least(every))
            return mean;
    }
    return 0;
}

static int
by_frame(const void *a, const void *b)
{
    const struct pp_slow_frame *x = a;
    const struct pp_slow_frame *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int
by_number(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

const struct pp_saved_frame *
pp_slow_frame_before(const struct pp_slow_frames *slow, size_t index, size_t before)
{
    return before > index ? slow->before_series : &slow->table.row[slow->series.row[index - before]];
}

static double
cell_before(const struct pp_slow_frames *slow, size_t index, size_t before, size_t column)
{
    return pp_frame_cell(&slow->table, pp_slow_frame_before(slow, index, before), column);
}

size_t
pp_slow_frame_reach(const struct pp_slow_frames *slow, size_t index)
{
    double start = cell_before(slow, index, 0, PP_CELL_CPU_START);
    size_t frames = slow->before_series ? index + 1 : index;
    size_t reach = frames < FRAMES_BEFORE ? frames : FRAMES_BEFORE;
    for (size_t before = reach + 1; before <= PP_CAUSE_FRAMES_BEFORE && before <= frames; before++)
        if (cell_before(slow, index, before, PP_CELL_GPU_START) +
                cell_before(slow, index, before, PP_CELL_GPU_TIME) >
            start)
            reach = before;
    return reach;
}

/* Read the passes of the slow frames and of the frames before them. */
static int
read_passes(const struct pp_saved_session *rec, struct pp_slow_frames *slow)
{
    double frame[PP_SLOW_FRAMES_MAX * (PP_CAUSE_FRAMES_BEFORE + 1)];
    size_t frames = 0;
    for (size_t i = 0; i < slow->len; i++)
        for (size_t before = 0, reach = pp_slow_frame_reach(slow, slow->frame[i].index); before <= reach;
             before++)
            frame[frames++] = pp_slow_frame_before(slow, slow->frame[i].index, before)->number;
    qsort(frame, frames, sizeof(*frame), by_number);
    return pp_near_passes_read(rec, frame, frames, &slow->near);
}

/* The first frame of a surface; NULL: it has none. */
static const struct pp_saved_frame *
first_of(const struct pp_frame_table *table, size_t surface)
{
    for (size_t i = 0; i < table->len; i++)
        if (!table->row[i].outside && table->row[i].surface == surface)
            return &table->row[i];
    return NULL;
}

/* The surface's last frame before the series; NULL: none. */
static const struct pp_saved_frame *
before_series(const struct pp_slow_frames *slow, size_t surface)
{
    for (size_t i = slow->series.row[0]; i-- > 0;)
        if (!slow->table.row[i].outside && slow->table.row[i].surface == surface)
            return &slow->table.row[i];
    return NULL;
}

/* Read the cells of the slow frames and of those around them, of the surface's first frame, and of the frame
 * before the series. */
static int
read_cells(const struct pp_saved_session *rec, bool every, size_t surface, struct pp_slow_frames *slow)
{
    struct pp_frame_table *table = &slow->table;
    for (size_t i = 0; i < slow->len; i++) {
        size_t at = 0, to = 0;
        pp_baseline_neighbours(&slow->series, slow->frame[i].index / PP_BASELINE_BLOCK, &at, &to);
        for (; at < to; at++)
            table->at[slow->series.row[at]] = PP_FRAME_WANTED;
    }
    const struct pp_saved_frame *first = first_of(table, surface);
    if (slow->len && first) {
        table->at[first - table->row] = PP_FRAME_WANTED;
        slow->before_series = before_series(slow, surface);
    }
    if (slow->before_series)
        table->at[slow->before_series - table->row] = PP_FRAME_WANTED;
    return slow->len ? pp_frame_table_read_cells(rec, every, table) : 0;
}

/* The application's mark in a time; NULL: none. */
static const char *
mark_in(const struct pp_saved_session *rec, double begin_ns, double length_ns)
{
    json_t *marks = pp_saved_json(rec, "marks");
    for (size_t i = 0; i < json_array_size(marks); i++) {
        json_t *mark = json_array_get(marks, i);
        double at = json_number_value(json_object_get(mark, "at_ns"));
        if (at >= begin_ns && at < begin_ns + length_ns)
            return json_string_value(json_object_get(mark, "label"));
    }
    return NULL;
}

/* Drop a period that only one of all slow frames has: a reader would look for the next frame of it. */
static void
drop_lone_periods(struct pp_slow_frames *slow)
{
    bool lone[PP_SLOW_FRAMES_MAX];
    if (slow->found > slow->len)
        return;
    for (size_t i = 0; i < slow->len; i++) {
        const size_t every = slow->frame[i].every;
        lone[i] = slow->len > 1;
        for (size_t k = 0; k < slow->len; k++)
            if (k != i && slow->frame[k].every &&
                fabs((double)slow->frame[k].every - (double)every) <= off_most(every))
                lone[i] = false;
    }
    for (size_t i = 0; i < slow->len; i++)
        slow->frame[i].every = lone[i] ? 0 : slow->frame[i].every;
}

/* Add when each frame began, its mark, and its causes. */
static void
explain(const struct pp_saved_session *rec, struct pp_slow_frames *slow, size_t surface)
{
    const struct pp_saved_frame *first = first_of(&slow->table, surface);
    double begin = first ? pp_frame_cell(&slow->table, first, PP_CELL_CPU_START) : (double)NAN;
    slow->has_passes = slow->near.len > 0;
    slow->software = pp_surface_is_software(rec, surface);
    slow->gl_window = strncmp(rec->surface[surface].api, "gl", 2) == 0 &&
                      strncmp(rec->surface[surface].surface, "window", strlen("window")) == 0;
    slow->vulkan = strcmp(rec->surface[surface].api, "vulkan") == 0;
    slow->kept_only = rec->keep_ns > 0;
    for (size_t i = 0; i < slow->len; i++) {
        struct pp_slow_frame *frame = &slow->frame[i];
        const struct pp_saved_frame *row = &slow->table.row[slow->series.row[frame->index]];
        double start = pp_frame_cell(&slow->table, row, PP_CELL_CPU_START);
        frame->at_s = (start - begin) / 1e9;
        frame->mark = mark_in(rec, start, frame->time_ns);
        pp_slow_frame_explain(slow, frame);
    }
    for (size_t i = 0; i < slow->len; i++) /* by the causes of all */
        slow->frame[i].every =
            slow->frame[i].time_ns > slow->frame[i].usual_ns ? find_period(slow, &slow->frame[i]) : 0;
    drop_lone_periods(slow);
}

int
pp_slow_frames_find(const struct pp_saved_session *rec, size_t surface, size_t worst,
                    struct pp_slow_frames *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (surface >= rec->surfaces)
        return 0;
    int rc = pp_frame_table_make(rec, &ret->table);
    rc = rc ? rc
            : pp_frame_series_make(rec, &ret->table, surface, common_level(&rec->surface[surface]),
                                   (double)NAN, &ret->series);
    if (rc)
        return rc;
    find(ret, worst);
    qsort(ret->frame, ret->len, sizeof(*ret->frame), by_frame);
    /* what a damaged file has is used; the damage is noted in the session */
    if (read_cells(rec, false, surface, ret) == -ENOMEM || read_passes(rec, ret) == -ENOMEM)
        return -ENOMEM;
    explain(rec, ret, surface);
    return 0;
}

int
pp_slow_frames_look_at(const struct pp_saved_session *rec, double frame, struct pp_slow_frames *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (pp_frame_table_make(rec, &ret->table))
        return -ENOMEM;
    const struct pp_saved_frame *row = NULL;
    for (size_t i = 0; i < ret->table.len && !row; i++)
        if (!ret->table.row[i].outside && ret->table.row[i].number >= frame &&
            ret->table.row[i].number <= frame)
            row = &ret->table.row[i];
    if (!row)
        return -ENOENT;
    if (pp_frame_series_make(rec, &ret->table, row->surface, row->level, frame, &ret->series))
        return -ENOMEM;
    size_t index = 0;
    while (&ret->table.row[ret->series.row[index]] != row)
        index++;
    struct pp_baseline base = pp_baseline_of_block(&ret->series, index / PP_BASELINE_BLOCK);
    ret->frame[ret->len++] =
        (struct pp_slow_frame){.frame = frame,
                               .time_ns = pp_frame_cell(&ret->table, row, PP_CELL_FRAME_TIME),
                               .usual_ns = base.usual_ns,
                               .index = index};
    ret->base = base;
    ret->found = ret->frame[0].time_ns >= base.slow_ns;
    if (read_cells(rec, true, row->surface, ret) == -ENOMEM || read_passes(rec, ret) == -ENOMEM)
        return -ENOMEM;
    explain(rec, ret, row->surface);
    ret->longer = ret->frame[0].time_ns >= LONGER * base.usual_ns;
    if (!ret->longer)
        ret->frame[0].causes = ret->frame[0].every = 0;
    return 0;
}

void
pp_slow_frames_finish(struct pp_slow_frames *slow)
{
    pp_near_passes_finish(&slow->near);
    pp_frame_series_finish(&slow->series);
    pp_frame_table_finish(&slow->table);
}
