/** @file
 * Why a frame was slow: the causes of slow_frames.h. The rules are in docs/internals/statistics.md.
 *
 * Each possible cause has a part: how much longer the frame was because of it. A cause counts if its part is
 * a good share of the excess, which is the frame's time minus the usual frame time. Then its part is taken
 * off, and what remains is looked at again: so two causes at once are found. Waits count without the GPU's
 * part, because the application waits for the GPU there. */
#include "cli/analysis/slow_frames.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "counters/util/array_size.h"

/* A time is a usual one if at least this many frames have it, and more than this many times as many as have
 * this frame's other time. */
#define LIKE_LEAST  12U
#define LIKE_OTHERS 5U
/* Two peaks are apart if one is less than this share of the median. */
#define PEAKS_APART 0.8
/* A cause is named if its part is at least this share of the excess that is not explained yet. */
#define ENOUGH 0.5
/* Pipelines are named from this share on: the application's own time includes the time for them, and would
 * hide them. */
#define ENOUGH_PIECE 0.2
/* A part below this share of the whole excess is never named. */
#define LEAST 0.2
/* A second cause is named if at least this share of its own part is in no part of those already named. */
#define OWN_SHARE 0.4
/* After the application's own time, work of the GPU is named from this share of the whole excess on, and the
 * other way round. */
#define AFTER_OWN 0.33
/* An application whose measured waits for the GPU are at least this share of a sleep does not wait in the
 * driver. */
#define A_WAIT 0.05
/* If no cause is enough, the largest is named from this share of the whole excess on. */
#define PARTLY 0.25

/* Causes whose times add up to more than this share of the excess took the same time. */
#define MEANWHILE 1.25

/* The most time that a page fault costs. A virtual machine (AMD EPYC, Linux 6) took 2.1 us of processor time
 * to write to a fresh page of 4 KiB, and another one, whose host had other work, 19 us. */
#define FAULT_MOST_NS 20000.0
/* Page faults are named from this share of the excess on. */
#define FAULTS_LEAST 0.05
/* Page faults of a file that is read, for each that reads from the disk: the kernel maps 16 pages at a time
 * and reads 32 ahead. More have another reason, too. */
#define FAULTS_OF_A_READ 32.0
/* A software driver works on threads of its own if the application's thread usually runs for less than this
 * share of the GPU's time. */
#define ON_OTHERS 0.5
/* Two bounds of a time that differ by more are named both. */
#define UNSURE_NS 1e6
/* The thread ran for most of the excess. */
#define MOSTLY 0.8
/* A clock below this share of the usual one is low. */
#define LOW_CLOCK 0.8
/* A count is unusual if it is this many times the usual one, and this many more. */
#define MANY_TIMES 2.0
#define MANY_MORE  8.0
/* This many more draws are much work, even if each is small. */
#define MANY_DRAWS 64.0
/* To read the results of this many more draws takes part of a millisecond: those of 24,000 took 18 to 24 ms
 * with llvmpipe of Mesa 22.3. */
#define MANY_READS 500.0
/* Fragments are many: fewer than this may be noise. */
#define MANY_FRAGMENTS 10000.0
/* A count is as usual if it is at most this many times the usual one. */
#define AS_MUCH 1.1
/* A user counter is unusual if it is this many median distances off, and off by this share. */
#define APP_SPREADS 8.0
#define APP_SHARE   0.5

/* A slow frame whose causes are looked for. */
struct explaining {
    const struct pp_slow_frames *slow;
    struct pp_slow_frame *frame;
    const struct pp_saved_frame *row;
    double excess;                 /* ns */
    double usual_busy, usual_wait; /* of the CPU */
    bool two_peaks;                /* they are those of the frames that are like this one */
};

static double
value_of(const struct explaining *e, size_t column)
{
    return pp_frame_cell(&e->slow->table, e->row, column);
}

static double
usual_of(const struct explaining *e, size_t column)
{
    if (column == PP_CELL_CPU_BUSY || column == PP_CELL_CPU_WAIT)
        return column == PP_CELL_CPU_BUSY ? e->usual_busy : e->usual_wait;
    return pp_baseline_usual(&e->slow->series, e->frame->index, column, NULL);
}

/* Find what the application's own time and the wait in present usually are. On a software driver a thread
 * may lose the processor in either of the two, so that both have two peaks, and their medians are of other
 * frames than this one. So if many frames have the same wait, and few the same own time, the usual own time
 * is that of the frames with the same wait; and the other way round. */
static void
find_usual_times(struct explaining *e)
{
    const struct pp_frame_series *series = &e->slow->series;
    const size_t index = e->frame->index;
    size_t same_wait = 0, same_busy = 0;
    e->usual_busy = pp_baseline_usual(series, index, PP_CELL_CPU_BUSY, NULL);
    e->usual_wait = pp_baseline_usual(series, index, PP_CELL_CPU_WAIT, NULL);
    if (!e->slow->software || isnan(e->usual_busy) || isnan(e->usual_wait))
        return;
    double busy = pp_baseline_usual_like(series, index, PP_CELL_CPU_BUSY, PP_CELL_CPU_WAIT, &same_wait);
    double wait = pp_baseline_usual_like(series, index, PP_CELL_CPU_WAIT, PP_CELL_CPU_BUSY, &same_busy);
    if (same_wait >= LIKE_LEAST && LIKE_OTHERS * same_busy < same_wait) {
        e->two_peaks = busy < PEAKS_APART * e->usual_busy;
        e->usual_busy = fmin(busy, e->usual_busy);
        e->usual_wait = fmax(value_of(e, PP_CELL_CPU_WAIT), e->usual_wait);
    } else if (same_busy >= LIKE_LEAST && LIKE_OTHERS * same_wait < same_busy) {
        e->two_peaks = wait < PEAKS_APART * e->usual_wait;
        e->usual_wait = fmin(wait, e->usual_wait);
        e->usual_busy = fmax(value_of(e, PP_CELL_CPU_BUSY), e->usual_busy);
    }
}

/* How much a column is above the usual; 0 where it was not measured. */
static double
above(const struct explaining *e, size_t column)
{
    double more = value_of(e, column) - usual_of(e, column);
    return more > 0 ? more : 0;
}

/* A cause whose part is a column's time. */
static struct pp_cause
from_column(const struct explaining *e, enum pp_cause_kind kind, size_t column)
{
    return (struct pp_cause){.kind = kind,
                             .count = (double)NAN,
                             .value = value_of(e, column),
                             .usual = usual_of(e, column),
                             .part_ns = above(e, column),
                             .frame = e->row->number};
}

/* How long a span of the GPU is in the frame. Without a start it is taken to be in its own frame. */
static double
overlap(const struct explaining *e, double start, double time, bool own)
{
    double from = value_of(e, PP_CELL_CPU_START);
    if (isnan(start) || isnan(from))
        return own ? time : 0;
    double to = from + e->frame->time_ns;
    double begin = start > from ? start : from;
    double end = start + time < to ? start + time : to;
    return end > begin ? end - begin : 0;
}

/* What a column says of the frame, or of its neighbours; 0: not measured. */
static double
known(double value)
{
    return isnan(value) ? 0 : value;
}

/* How much longer than usual a pass took, as far as that is in the slow frame; 0: not longer. */
static double
part_of(const struct explaining *e, const struct pp_near_pass *pass, bool own)
{
    double longer = pass->time_ns - known(pass->usual_ns);
    return fmax(0, fmin(longer, overlap(e, pass->start_ns, pass->time_ns, own)));
}

/* Add a frame's passes to the causes "one pass" and "the GPU". @param ret_longer How much longer all passes
 * of the frame of "one pass" are together. */
static void
add_passes(const struct explaining *e, double frame, struct pp_cause *one, struct pp_cause *all,
           double *ret_longer)
{
    size_t passes = 0;
    double longer = 0;
    bool longest = false;
    const struct pp_near_pass *pass = pp_near_passes_of(&e->slow->near, frame, &passes);
    bool own = frame >= e->row->number;
    for (size_t i = 0; i < passes; i++) {
        double part = part_of(e, &pass[i], own);
        if (!(part > 0))
            continue;
        all->part_ns += part;
        longer += part;
        if (part <= one->part_ns)
            continue;
        longest = true;
        one->part_ns = part;
        one->value = pass[i].time_ns;
        one->in_frame_ns = overlap(e, pass[i].start_ns, pass[i].time_ns, own);
        one->usual = pass[i].usual_ns;
        one->frame = all->frame = frame;
        one->pass = all->pass = &pass[i];
    }
    *ret_longer = longest ? longer : *ret_longer;
}

static bool
has_same_name(const struct pp_near_pass *a, const struct pp_near_pass *b)
{
    return a->label[0] || b->label[0] ? strcmp(a->label, b->label) == 0 : strcmp(a->name, b->name) == 0;
}

/* Which passes of one name have half or more of what all passes of a frame took longer? */
static void
find_most(const struct explaining *e, struct pp_cause *all)
{
    size_t passes = 0, count = 0;
    const struct pp_near_pass *pass = pp_near_passes_of(&e->slow->near, all->frame, &passes), *most = NULL;
    const bool own = all->frame >= e->row->number;
    double lead = 0, sum = 0, whole = 0;
    /* If a name has more than half, it leads where each other name takes as much off. */
    for (size_t i = 0; i < passes; i++) {
        const double part = part_of(e, &pass[i], own);
        const bool same = most && has_same_name(&pass[i], most);
        if (part > 0 && !same && part >= lead)
            most = &pass[i];
        lead = same ? lead + part : fabs(lead - part);
        whole += part;
    }
    for (size_t i = 0; i < passes && most; i++) {
        const double part = has_same_name(&pass[i], most) ? part_of(e, &pass[i], own) : 0;
        sum += part;
        count += part > 0;
    }
    if (sum <= 0 || sum < whole / 2)
        return;
    all->pass = most;
    all->most_passes = count;
}

/* Can the passes of a frame be compared with those of other frames? No if only slow frames have rows. */
static bool
are_comparable(const struct explaining *e, double frame)
{
    size_t passes = 0;
    const struct pp_near_pass *pass = pp_near_passes_of(&e->slow->near, frame, &passes);
    for (size_t i = 0; i < passes; i++)
        if (!e->slow->kept_only || !isnan(pass[i].usual_ns))
            return true;
    return false;
}

/* Does the driver do the GPU's work on other threads than the application's? */
static bool
works_on_others(const struct explaining *e)
{
    return !e->slow->software || usual_of(e, PP_CELL_TASK_CLOCK) < ON_OTHERS * usual_of(e, PP_CELL_GPU_TIME);
}

/* Is a count many times the usual one, and @p more above it? */
static bool
is_many(const struct explaining *e, size_t column, double more)
{
    double value = value_of(e, column), usual = usual_of(e, column);
    return value >= MANY_TIMES * usual && value >= usual + more;
}

/* Did the frame give the GPU much more work than usual, as far as it was counted? */
static bool
has_more_work(const struct explaining *e)
{
    return is_many(e, PP_CELL_DRAWS, MANY_DRAWS) || is_many(e, PP_CELL_DISPATCHES, MANY_MORE) ||
           is_many(e, PP_CELL_COPIES, MANY_MORE) || is_many(e, PP_CELL_FRAGMENTS, MANY_FRAGMENTS);
}

/* Was all work counted, and was it about as much as usual? */
static bool
has_same_work(const struct explaining *e)
{
    static const size_t counted[] = {PP_CELL_DRAWS, PP_CELL_DISPATCHES, PP_CELL_COPIES, PP_CELL_FRAGMENTS};
    for (size_t i = 0; i < PP_ARRAY_SIZE(counted); i++)
        if (!(value_of(e, counted[i]) <= AS_MUCH * usual_of(e, counted[i])))
            return false;
    return true;
}

/* Did the frame give the GPU more work, or a software driver more of that which its threads do? Draws and
 * copies themselves cost the time of the thread that issues them there. */
static bool
has_more_for_others(const struct explaining *e)
{
    if (!e->slow->software || isnan(value_of(e, PP_CELL_FRAGMENTS)))
        return has_more_work(e);
    return is_many(e, PP_CELL_FRAGMENTS, MANY_FRAGMENTS) || is_many(e, PP_CELL_DISPATCHES, MANY_MORE);
}

/* While the application waits, it gives the GPU no work. So time between passes that the GPU needs then is
 * work, too: of barriers, or of a pass that software drivers do not time as a whole. Not so the time in which
 * the application does something else: its thread runs then. In OpenGL the GPU is idle between the waits of
 * many glReadPixels(); llvmpipe times whole passes. */
static void
look_at_span(const struct explaining *e, struct pp_cause *all)
{
    bool one_wait = e->slow->vulkan || (!e->slow->software && !is_many(e, PP_CELL_COPIES, MANY_MORE));
    double sync = one_wait ? above(e, PP_CELL_CPU_SYNC) : 0;
    double waits = above(e, PP_CELL_CPU_WAIT) + above(e, PP_CELL_CPU_ACQUIRE) + sync;
    double own = above(e, PP_CELL_CPU_BUSY) - above(e, PP_CELL_CPU_ACQUIRE) - sync;
    if (e->slow->software && works_on_others(e))
        own = fmax(own, above(e, PP_CELL_TASK_CLOCK));
    double part = fmin(above(e, PP_CELL_GPU_TIME) - fmax(0, own), waits);
    if (part * OWN_SHARE < all->part_ns)
        return;
    const struct pp_near_pass *pass = all->pass;
    *all = from_column(e, PP_CAUSE_GPU, PP_CELL_GPU_TIME);
    all->part_ns = all->in_frame_ns = part;
    all->pass = pass;
    all->whole = true;
}

/* The causes "one pass" and "the GPU", from passes or, at level frame, from the GPU's time of each frame. */
static void
look_at_gpu(const struct explaining *e, struct pp_cause *one, struct pp_cause *all)
{
    *one = (struct pp_cause){.kind = PP_CAUSE_PASS, .count = (double)NAN};
    *all = from_column(e, PP_CAUSE_GPU, PP_CELL_GPU_BUSY);
    size_t busy = isnan(all->value) ? PP_CELL_GPU_TIME : PP_CELL_GPU_BUSY;
    *all = from_column(e, PP_CAUSE_GPU, busy);
    all->part_ns = 0;
    all->in_frame_ns = INFINITY;
    double longer = 0;
    const size_t reach = pp_slow_frame_reach(e->slow, e->frame->index);
    for (size_t before = 0; before <= reach; before++) {
        const struct pp_saved_frame *row = pp_slow_frame_before(e->slow, e->frame->index, before);
        if (are_comparable(e, row->number)) {
            double part_ns = all->part_ns;
            add_passes(e, row->number, one, all, &longer);
            /* some passes may be longer because others are shorter */
            if (before == 0 && value_of(e, busy) >= one->value && !isnan(usual_of(e, busy))) {
                all->part_ns = part_ns + fmin(all->part_ns - part_ns, above(e, busy));
                one->part_ns = fmin(one->part_ns, above(e, busy));
            }
            continue;
        }
        double time = pp_frame_cell(&e->slow->table, row, busy);
        double start = pp_frame_cell(&e->slow->table, row, PP_CELL_GPU_START);
        double part = fmin(time - all->usual, overlap(e, start, time, before == 0));
        if (part > all->part_ns) {
            all->part_ns = all->in_frame_ns = part;
            all->value = time;
            all->frame = row->number;
        }
    }
    look_at_span(e, all);
    if (all->pass)
        find_most(e, all);
    /* A limiter of the frame rate hides a part of what the GPU took longer, so one pass can be enough for the
     * rest although the others grew as much. */
    if (one->part_ns < ENOUGH * longer)
        one->part_ns = 0;
    all->part_ns = fmin(all->part_ns, e->excess);
}

/* What the frame of a row takes without its waits and pipelines; NaN: not known. */
static double
own_whole(const struct explaining *e, const struct pp_saved_frame *row)
{
    static const size_t other[] = {PP_CELL_CPU_WAIT, PP_CELL_CPU_SYNC, PP_CELL_CPU_ACQUIRE,
                                   PP_CELL_PIPELINE_TIME};
    double ret = pp_frame_cell(&e->slow->table, row, PP_CELL_FRAME_TIME);
    for (size_t i = 0; i < PP_ARRAY_SIZE(other); i++)
        ret -= known(pp_frame_cell(&e->slow->table, row, other[i]));
    return ret < 0 ? 0 : ret;
}

/* For how long the thread of a frame around ran in its own time. @param of A struct explaining. */
static double
ran_in_own(const void *of, const struct pp_saved_frame *row)
{
    const struct explaining *e = of;
    double ran = pp_frame_cell(&e->slow->table, row, PP_CELL_TASK_CLOCK) -
                 known(pp_frame_cell(&e->slow->table, row, PP_CELL_PIPELINE_TIME));
    double whole = own_whole(e, row);
    return isnan(ran) || isnan(whole) ? (double)NAN : fmin(fmax(0, ran), whole);
}

/* Divide the application's own time, in which it waits neither for the GPU nor in present, and creates no
 * pipeline, into time in which the thread ran, had no processor, and slept. The sum is exact. Waits may
 * include work, such as that of a driver that asks again and again; so the thread slept at least as much
 * longer as nothing else explains. */
static void
divide_own(const struct explaining *e, struct pp_cause *own)
{
    double pipelines = known(value_of(e, PP_CELL_PIPELINE_TIME));
    double usual_pipelines = known(usual_of(e, PP_CELL_PIPELINE_TIME));
    /* the usual delay of frames with two peaks is in the other peak */
    double delay = value_of(e, PP_CELL_RUN_DELAY),
           usual_delay = e->two_peaks ? 0 : usual_of(e, PP_CELL_RUN_DELAY);
    double whole = own_whole(e, e->row);
    /* The thread runs while it creates pipelines, unless the driver has threads for that, and lacks a
     * processor there as often as elsewhere. */
    double clock = value_of(e, PP_CELL_TASK_CLOCK);
    double in_pipelines = clock > 0 ? fmin(clock, pipelines * clock / (clock + known(delay))) : 0;
    double ran = clock - in_pipelines;
    delay -= fmin(known(delay), pipelines - in_pipelines);
    double usual_ran = fmax(0, usual_of(e, PP_CELL_TASK_CLOCK) - usual_pipelines);
    /* less of one of them than usual is no sleep: the usual frame may be of another peak */
    double more = own->part_ns - fmax(0, ran - usual_ran) - fmax(0, known(delay) - known(usual_delay));
    own->slept_ns = fmin(whole, fmax(fmax(0, more), whole - ran - known(delay)));
    double rest = whole - own->slept_ns;
    /* A thread that waits may have no processor when it could go on, so that delays are in waits, too. */
    own->ran_ns = isnan(delay) ? rest : fmin(ran, rest);
    own->delay_ns = isnan(delay) ? (double)NAN : rest - own->ran_ns;
    own->usual_ran_ns = pp_baseline_usual_by(&e->slow->series, e->frame->index, ran_in_own, e, NULL);
    own->value = whole;
    double ran_more = own->ran_ns - own->usual_ran_ns,
           delay_more = fmax(0, known(own->delay_ns) - known(usual_delay));
    double slept_more = own->part_ns - ran_more - delay_more;
    own->kind = delay_more > ran_more && delay_more > slept_more ? PP_CAUSE_DELAY
                : ran_more >= slept_more                         ? PP_CAUSE_WORK
                                                                 : PP_CAUSE_SLEEP;
    /* Without the delay it is not known for how much of the time for pipelines the thread ran: say nothing
     * that would be false if it did not run there. */
    double most_more = fmin(clock, whole) - own->usual_ran_ns;
    if (isnan(delay) && in_pipelines > 0 && fmin(clock, whole) - own->ran_ns > UNSURE_NS)
        own->ran_most_ns = fmin(clock, whole);
    if (isnan(delay) && own->kind == PP_CAUSE_SLEEP && in_pipelines > 0 &&
        most_more >= own->part_ns - most_more) {
        own->kind = PP_CAUSE_OWN;
        own->ran_ns = own->usual_ran_ns = own->slept_ns = (double)NAN;
    }
}

/* Times of the application's thread that are its own: neither waits nor pipelines. */
static struct pp_cause
look_at_own(const struct explaining *e)
{
    struct pp_cause ret = from_column(e, PP_CAUSE_OWN, PP_CELL_CPU_BUSY);
    double waits = above(e, PP_CELL_CPU_SYNC) + above(e, PP_CELL_CPU_ACQUIRE);
    ret.part_ns = fmax(0, ret.part_ns - waits - above(e, PP_CELL_PIPELINE_TIME));
    ret.ran_ns = ret.usual_ran_ns = ret.delay_ns = ret.slept_ns = ret.ran_most_ns = (double)NAN;
    ret.value -= known(value_of(e, PP_CELL_CPU_SYNC)) + known(value_of(e, PP_CELL_CPU_ACQUIRE)) +
                 known(value_of(e, PP_CELL_PIPELINE_TIME));
    ret.usual -= known(usual_of(e, PP_CELL_CPU_SYNC)) + known(usual_of(e, PP_CELL_CPU_ACQUIRE)) +
                 known(usual_of(e, PP_CELL_PIPELINE_TIME));
    if (!isnan(value_of(e, PP_CELL_TASK_CLOCK)) && !isnan(usual_of(e, PP_CELL_TASK_CLOCK)))
        divide_own(e, &ret);
    else if (ret.part_ns > 0 && above(e, PP_CELL_RUN_DELAY) >= 0.5 * ret.part_ns) {
        ret.kind = PP_CAUSE_DELAY;
        ret.value = ret.delay_ns = value_of(e, PP_CELL_RUN_DELAY);
        ret.usual = usual_of(e, PP_CELL_RUN_DELAY);
    }
    return ret;
}

/* What the GPU did of frames before while this one lasted. The application may wait for it in the driver,
 * which limits how far the application is ahead. */
struct earlier_work {
    double frames;      /* how many frames */
    double first, last; /* ns: from the first to the last of it */
    double longer; /* ns: how much longer the longest of it was than usual, as far as it is in this frame */
};

static struct earlier_work
look_at_frames_before(const struct explaining *e)
{
    struct earlier_work ret = {.first = INFINITY};
    const size_t reach = pp_slow_frame_reach(e->slow, e->frame->index);
    for (size_t before = 1; before <= reach; before++) {
        const struct pp_saved_frame *row = pp_slow_frame_before(e->slow, e->frame->index, before);
        double time = pp_frame_cell(&e->slow->table, row, PP_CELL_GPU_TIME);
        double start = pp_frame_cell(&e->slow->table, row, PP_CELL_GPU_START);
        double in_frame = overlap(e, start, time, false);
        if (!(in_frame > 0))
            continue;
        ret.frames++;
        ret.first = fmin(ret.first, start);
        ret.last = fmax(ret.last, start + time);
        ret.longer = fmax(ret.longer, fmin(time - usual_of(e, PP_CELL_GPU_TIME), in_frame));
    }
    return ret;
}

/* At level frame the GPU's time lasts from the first to the last work, so it contains what the application
 * did between the two. This is taken off. Where the thread slept, it may have waited for the GPU. If the GPU
 * had more work, a wait is the more likely cause. */
static void
take_own_time_off(const struct explaining *e, const struct earlier_work *earlier, struct pp_cause *own,
                  struct pp_cause *gpu)
{
    if (earlier->longer >= ENOUGH * own->part_ns || are_comparable(e, e->row->number))
        return;
    if (own->kind == PP_CAUSE_SLEEP && has_more_for_others(e)) {
        gpu->maybe_own = gpu->part_ns - own->part_ns < ENOUGH * gpu->part_ns;
        return;
    }
    if (own->kind == PP_CAUSE_SLEEP && !own->maybe_gpu && gpu->part_ns >= ENOUGH * own->part_ns) {
        own->maybe_gpu = true;
        own->late = (double)NAN;
    }
    gpu->hidden_ns = has_more_work(e) ? gpu->part_ns : 0;
    gpu->part_ns = fmax(0, gpu->part_ns - own->part_ns);
}

/* Where the thread slept while the GPU worked at frames before, it may have waited for that in the driver. */
static void
look_at_sleep(const struct explaining *e, const struct earlier_work *earlier, struct pp_cause *own)
{
    own->late = earlier->frames;
    own->maybe_gpu =
        own->kind == PP_CAUSE_SLEEP && earlier->frames > 0 &&
        known(value_of(e, PP_CELL_CPU_SYNC)) < A_WAIT * own->slept_ns &&
        overlap(e, earlier->first, earlier->last - earlier->first, false) >= ENOUGH * own->slept_ns;
}

/* Was a frame just before one of far more draws than usual, each of which was measured? In OpenGL passprobe
 * asks the driver for their results in one of the next frames, in a call of the application. */
static void
look_at_reads(const struct explaining *e, struct pp_cause *own)
{
    const size_t reach = pp_slow_frame_reach(e->slow, e->frame->index);
    const double usual = usual_of(e, PP_CELL_DRAWS);
    if (e->slow->vulkan || !(own->ran_ns - own->usual_ran_ns >= LEAST * own->part_ns))
        return;
    for (size_t before = 1; before <= reach; before++) {
        const struct pp_saved_frame *row = pp_slow_frame_before(e->slow, e->frame->index, before);
        double draws = pp_frame_cell(&e->slow->table, row, PP_CELL_DRAWS);
        if (row->level != PP_SAVED_DRAW || !(draws >= MANY_TIMES * usual) || !(draws >= usual + MANY_READS))
            continue;
        own->read_draws = draws;
        own->of_frame = row->number;
        return;
    }
}

/* May what the thread slept be in a pass? A software driver of OpenGL asks the X server for the size of a
 * window before it draws to it, and ends the pass before only then. Passes in front of that one contain no
 * sleep. A pass that few frames have is the cause itself: that the thread also slept in just these frames
 * would be a coincidence.
 * @param pass NULL: it is not known which pass it is. */
static bool
may_contain_sleep(const struct explaining *e, const struct pp_near_pass *pass)
{
    if (!e->slow->gl_window || !pass)
        return e->slow->gl_window;
    const struct pp_near_pass *next = pass + 1, *end = e->slow->near.pass + e->slow->near.len;
    bool last = next >= end || next->frame > pass->frame;
    if (!(pass->usual_ns > 0))
        return false;
    return last || strcmp(pass->name, "window") == 0 || strcmp(next->name, "window") == 0;
}

/* On a software driver passes take longer where the thread has no processor, and some contain what the thread
 * slept: those in front of a window's, those of many more commands, between which the application may do
 * something else. In OpenGL a pass of several draws that had no more work contains all that the application
 * did between them, also the creation of programs. The thread waits for work of a window in present or in
 * calls that are measured as waits: work that is as long as those is the GPU's. It may also wait in a call
 * that is not measured: no figure says whether the thread slept by itself or in such a wait. */
static void
take_idle_time_off(const struct explaining *e, struct pp_cause *own, struct pp_cause *gpu)
{
    double waits = above(e, PP_CELL_CPU_WAIT) + above(e, PP_CELL_CPU_ACQUIRE) + above(e, PP_CELL_CPU_SYNC);
    /* A thread that sleeps may wait for the work, and lacks no processor then. */
    double awake = fmax(0, gpu->part_ns - known(own->slept_ns));
    const bool more = has_more_work(e);
    /* where the thread mostly ran, it slept in the rest */
    const double did_not_run = own->part_ns - fmax(0, known(own->ran_ns) - known(own->usual_ran_ns));
    const double slept = own->kind == PP_CAUSE_SLEEP || own->kind == PP_CAUSE_DELAY ? own->part_ns
                         : own->kind == PP_CAUSE_WORK && more                       ? fmax(0, did_not_run)
                                                                                    : 0;
    double rest =
        fmax(gpu->part_ns - (more ? 0 : fmin(above(e, PP_CELL_RUN_DELAY), awake)), fmin(gpu->part_ns, waits));
    if (!e->slow->software || (gpu->pass && !(gpu->pass->usual_ns > 0)) || has_more_for_others(e))
        return;
    /* nothing is between the draws of a pass that has one */
    const bool single = gpu->kind == PP_CAUSE_PASS && gpu->pass && gpu->pass->actions <= 1;
    const bool same = !e->slow->vulkan && !single && has_same_work(e);
    if (may_contain_sleep(e, gpu->pass) || more || same) {
        const double between = same ? own->part_ns + above(e, PP_CELL_PIPELINE_TIME) : slept;
        rest = fmin(rest, fmax(gpu->part_ns - between, waits));
        const bool sleeps = own->kind == PP_CAUSE_SLEEP ||
                            (own->kind == PP_CAUSE_DELAY && own->slept_ns >= AFTER_OWN * own->part_ns);
        if (sleeps && !e->slow->vulkan && gpu->part_ns - rest >= ENOUGH * fmin(own->part_ns, own->slept_ns)) {
            own->late = own->maybe_gpu ? own->late : 0;
            own->maybe_gpu = true;
            if (gpu->kind == PP_CAUSE_PASS && gpu->frame >= e->row->number)
                own->pass = gpu->pass;
        }
    }
    gpu->hidden_ns = more ? fmax(gpu->hidden_ns, gpu->part_ns) : 0;
    gpu->part_ns = fmax(0, rest);
}

/* Does the application's thread do this work itself? A software driver copies in the call. */
static bool
is_on_thread(const struct explaining *e, const struct pp_cause *cause)
{
    return e->slow->software && cause->pass && strcmp(cause->pass->kind, "transfer") == 0;
}

/* On a software driver passes are longer, too, while the application or its other threads have the
 * processors. A frame in which the thread ran longer in its own time is not longer because of a pass, if the
 * driver usually works on other threads. In Vulkan each wait for the GPU is measured, so the frame is not
 * longer because of the GPU than the thread waited longer, or lacked a processor. */
static void
take_own_work_off(const struct explaining *e, const struct pp_cause *own, struct pp_cause *gpu)
{
    /* it may also run while it waits, and ask again and again whether the GPU is done */
    double ran = above(e, PP_CELL_TASK_CLOCK);
    if (own->ran_ns >= 0)
        ran = fmin(ran, own->ran_ns - known(own->usual_ran_ns));
    double waits = above(e, PP_CELL_CPU_WAIT) + above(e, PP_CELL_CPU_ACQUIRE) + above(e, PP_CELL_CPU_SYNC);
    bool rare = gpu->pass && !(gpu->pass->usual_ns > 0);
    /* The application may sleep between two copies. The driver's threads copy only where fragments are drawn.
     */
    if (is_on_thread(e, gpu) && !has_more_for_others(e) && !isnan(value_of(e, PP_CELL_TASK_CLOCK))) {
        double longer = gpu->pass->time_ns - known(gpu->pass->usual_ns);
        gpu->part_ns -= fmax(0, longer - above(e, PP_CELL_TASK_CLOCK) - waits);
        gpu->part_ns = fmax(0, gpu->part_ns);
    }
    if (!e->slow->software || !works_on_others(e) || rare || is_on_thread(e, gpu))
        return;
    if (ran >= MOSTLY * e->excess) {
        gpu->hidden_ns = has_more_work(e) ? fmax(gpu->hidden_ns, gpu->part_ns) : 0;
        gpu->part_ns = fmin(gpu->part_ns, e->excess - ran);
    }
    if (e->slow->vulkan && !has_more_work(e))
        gpu->part_ns = fmin(gpu->part_ns, waits + above(e, PP_CELL_RUN_DELAY));
    gpu->part_ns = fmax(0, gpu->part_ns);
}

/* A thread may run in present, or wait for a processor there: then it does not wait for the GPU. */
static void
look_at_present(const struct explaining *e, const struct pp_cause *own, struct pp_cause *present)
{
    /* what the thread lacked of a processor in its own time is not in present */
    const double delay = above(e, PP_CELL_RUN_DELAY) - known(own->delay_ns);
    present->ran_ns = 0;
    if (!(present->part_ns > 0) || own->part_ns >= ENOUGH * present->part_ns)
        return;
    if (delay >= ENOUGH * present->part_ns) {
        *present = from_column(e, PP_CAUSE_DELAY, PP_CELL_RUN_DELAY);
        present->value -= known(own->delay_ns);
        present->part_ns = fmin(delay, above(e, PP_CELL_CPU_WAIT));
        present->ran_ns = present->usual_ran_ns = present->slept_ns = present->ran_most_ns = (double)NAN;
        present->delay_ns = present->value;
    } else if (e->slow->software) {
        present->ran_ns = fmin(present->part_ns, above(e, PP_CELL_TASK_CLOCK) - fmax(0, own->part_ns));
    }
}

/* Kinds in the order in which they are looked at. */
enum { PIPELINES, PASS, GPU, PRESENT, ACQUIRE, SYNC, OWN, CANDIDATES };

static void
collect(const struct explaining *e, struct pp_cause candidate[CANDIDATES])
{
    candidate[PIPELINES] = from_column(e, PP_CAUSE_PIPELINES, PP_CELL_PIPELINE_TIME);
    candidate[PIPELINES].count = value_of(e, PP_CELL_PIPELINES);
    look_at_gpu(e, &candidate[PASS], &candidate[GPU]);
    candidate[PRESENT] = from_column(e, PP_CAUSE_PRESENT, PP_CELL_CPU_WAIT);
    candidate[ACQUIRE] = from_column(e, PP_CAUSE_ACQUIRE, PP_CELL_CPU_ACQUIRE);
    candidate[SYNC] = from_column(e, PP_CAUSE_SYNC, PP_CELL_CPU_SYNC);
    candidate[SYNC].gpu_ns = isnan(value_of(e, PP_CELL_GPU_TIME)) || isnan(usual_of(e, PP_CELL_GPU_TIME))
                                 ? (double)NAN
                                 : fmin(candidate[GPU].part_ns, candidate[SYNC].part_ns);
    candidate[OWN] = look_at_own(e);
    look_at_present(e, &candidate[OWN], &candidate[PRESENT]);
    const struct earlier_work earlier = look_at_frames_before(e);
    look_at_sleep(e, &earlier, &candidate[OWN]);
    look_at_reads(e, &candidate[OWN]);
    take_own_time_off(e, &earlier, &candidate[OWN], &candidate[GPU]);
    for (size_t i = PASS; i <= GPU; i++) {
        take_idle_time_off(e, &candidate[OWN], &candidate[i]);
        take_own_work_off(e, &candidate[OWN], &candidate[i]);
    }
}

/* May a pass be longer only because the application computed meanwhile? See take_idle_time_off(). */
static bool
contains_work(const struct explaining *e, const struct pp_cause *cause)
{
    return is_on_thread(e, cause) ||
           (e->slow->software && may_contain_sleep(e, cause->pass) && !has_more_work(e));
}

/* The part of a cause that those already named do not contain. Where the thread does not run, it may wait for
 * the GPU inside the driver: as far as the GPU's part is not in the waits that were measured. */
static double
net_part(const struct explaining *e, const struct pp_cause *candidate, size_t which)
{
    const struct pp_slow_frame *frame = e->frame;
    double waits = candidate[PRESENT].part_ns + candidate[ACQUIRE].part_ns + candidate[SYNC].part_ns;
    double part = candidate[which].part_ns;
    for (size_t i = 0; i < frame->causes; i++) {
        enum pp_cause_kind kind = frame->cause[i].kind;
        bool gpu = kind == PP_CAUSE_PASS || kind == PP_CAUSE_GPU;
        if (which == PRESENT && candidate[PRESENT].kind == PP_CAUSE_DELAY)
            continue; /* it waited for a processor, not for the GPU */
        if (gpu && (which == GPU || which == PASS || which == PRESENT || which == ACQUIRE || which == SYNC))
            part -= frame->cause[i].part_ns;
        bool wait = kind == PP_CAUSE_PRESENT || kind == PP_CAUSE_ACQUIRE;
        if (wait && (which == GPU || which == PASS))
            part -= frame->cause[i].part_ns;
        if (!gpu || which != OWN)
            continue;
        if (candidate[OWN].kind != PP_CAUSE_WORK)
            part -= fmax(0, frame->cause[i].part_ns - waits);
        else if (is_on_thread(e, &frame->cause[i]))
            part -= frame->cause[i].part_ns;
    }
    return part;
}

static void
name(struct pp_slow_frame *frame, const struct pp_cause *cause)
{
    if (frame->causes < PP_CAUSES_MAX)
        frame->cause[frame->causes++] = *cause;
}

/* Is a cause large enough for what remains of the excess? */
static bool
is_enough(const struct explaining *e, size_t which, double part, double remains)
{
    return part >= LEAST * e->excess && part >= (which == PIPELINES ? ENOUGH_PIECE : ENOUGH) * remains;
}

/* Was it said already, in the same or in another word? To wait for the GPU and work of the GPU are one fact.
 */
static bool
is_said(const bool named[CANDIDATES], size_t which)
{
    bool gpu = named[PASS] || named[GPU];
    if (which == PASS || which == GPU)
        return gpu || named[SYNC];
    return named[which] || (which == SYNC && gpu);
}

/* The word for a cause: a wait that is mostly work of the GPU is named as this work. */
static size_t
word_for(const struct explaining *e, const struct pp_cause candidate[CANDIDATES],
         const bool named[CANDIDATES], size_t i, double *part)
{
    if ((i != PRESENT && i != ACQUIRE && i != SYNC) || is_said(named, PASS) ||
        candidate[i].kind == PP_CAUSE_DELAY)
        return i;
    for (size_t gpu = PASS; gpu <= GPU; gpu++)
        if (candidate[gpu].part_ns >= ENOUGH * candidate[i].part_ns &&
            candidate[gpu].part_ns >= LEAST * e->excess) {
            *part = candidate[gpu].part_ns;
            return gpu;
        }
    return i;
}

/* The first cause that is enough; CANDIDATES: none. @param ret_part Its part. */
static size_t
choose(const struct explaining *e, const struct pp_cause candidate[CANDIDATES], const bool named[CANDIDATES],
       double remains, double *ret_part)
{
    size_t largest = CANDIDATES;
    double most = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        if (is_said(named, i))
            continue;
        *ret_part = net_part(e, candidate, i);
        if (*ret_part < OWN_SHARE * candidate[i].part_ns)
            continue;
        if (is_enough(e, i, *ret_part, remains))
            return word_for(e, candidate, named, i, ret_part);
        largest = *ret_part > most ? i : largest;
        most = fmax(most, *ret_part);
    }
    *ret_part = most;
    return most >= PARTLY * e->excess ? largest : CANDIDATES;
}

/* The application's own time may explain the whole frame, and the GPU work longer at the same time: a thread
 * that sleeps may wait for it in the driver, and work may hide it. No measured time divides the two. So name
 * that pass, too. */
static void
name_after_own(const struct explaining *e, const struct pp_cause candidate[CANDIDATES],
               const bool named[CANDIDATES])
{
    if (!named[OWN] || candidate[OWN].kind == PP_CAUSE_DELAY || named[PASS] || named[GPU] || named[SYNC])
        return;
    size_t which =
        fmax(candidate[PASS].part_ns, candidate[PASS].hidden_ns) >= AFTER_OWN * e->excess ? PASS : GPU;
    bool same = candidate[OWN].kind == PP_CAUSE_WORK && contains_work(e, &candidate[which]);
    struct pp_cause gpu = candidate[which];
    gpu.part_ns = fmax(gpu.part_ns, fmin(gpu.hidden_ns, candidate[OWN].part_ns));
    if (same || !(gpu.part_ns >= AFTER_OWN * e->excess))
        return;
    for (size_t i = 0; i < e->frame->causes; i++)
        if (e->frame->cause[i].kind >= PP_CAUSE_DELAY && e->frame->cause[i].kind <= PP_CAUSE_OWN)
            e->frame->cause[i].pass = NULL; /* it is named once */
    name(e->frame, &gpu);
}

/* Passes of a software driver may explain the whole frame, and the thread run longer at the same time, or
 * lack a processor: each takes the processors from the other. */
static void
name_work_after_gpu(const struct explaining *e, const struct pp_cause candidate[CANDIDATES],
                    const bool named[CANDIDATES])
{
    if (!e->slow->software || named[OWN] || (!named[PASS] && !named[GPU]) || !works_on_others(e))
        return;
    struct pp_cause own = candidate[OWN];
    own.part_ns = fmin(own.part_ns, above(e, PP_CELL_TASK_CLOCK) + above(e, PP_CELL_RUN_DELAY) -
                                        above(e, PP_CELL_PIPELINE_TIME));
    const struct pp_cause *gpu = &candidate[named[PASS] ? PASS : GPU];
    if (own.part_ns < AFTER_OWN * e->excess || is_on_thread(e, gpu))
        return;
    own.part_ns = fmin(own.part_ns, gpu->part_ns);
    name(e->frame, &own);
}

/* Name the causes that explain time, until what remains has none. */
static void
name_times(const struct explaining *e, struct pp_cause candidate[CANDIDATES])
{
    bool named[CANDIDATES] = {false};
    double remains = e->excess;
    while (remains >= LEAST * e->excess) {
        double part = 0;
        size_t i = choose(e, candidate, named, remains, &part);
        if (i == CANDIDATES)
            break;
        candidate[i].part_ns = part;
        name(e->frame, &candidate[i]);
        named[i] = true;
        remains -= part;
    }
    name_after_own(e, candidate, named);
    name_work_after_gpu(e, candidate, named);
}

/* Name a count that is unusual: many times the usual one, and @p more above it. @return whether it is. */
static bool
name_count(const struct explaining *e, enum pp_cause_kind kind, size_t column, double more)
{
    struct pp_cause cause = from_column(e, kind, column);
    cause.count = cause.value;
    cause.part_ns = 0;
    if (!is_many(e, column, more))
        return false;
    name(e->frame, &cause);
    return true;
}

/* Name user counters that are far from usual, and clocks that are low. */
static void
name_extras(const struct explaining *e, bool gpu)
{
    for (size_t i = 0; i < e->slow->table.extras; i++) {
        size_t column = PP_FRAME_CELLS + i;
        const char *title = e->slow->table.extra[i];
        bool app = strncmp(title, "app:", strlen("app:")) == 0;
        size_t length = strlen(title);
        if (!app &&
            (strncmp(title, "hwmon:", strlen("hwmon:")) != 0 || strcmp(title + length - 3, "_hz") != 0))
            continue;
        double spread = 0;
        struct pp_cause cause = from_column(e, app ? PP_CAUSE_APP : PP_CAUSE_CLOCK, column);
        cause.count = cause.value;
        cause.part_ns = 0;
        cause.name = title;
        double usual = pp_baseline_usual(&e->slow->series, e->frame->index, column, &spread);
        double off = fabs(cause.value - usual);
        if (app ? off > APP_SPREADS * spread && off > APP_SHARE * fabs(usual)
                : gpu && cause.value < LOW_CLOCK * usual)
            name(e->frame, &cause);
    }
}

/* The causes that explain time, the strongest first. */
static void
sort_causes(struct pp_slow_frame *frame)
{
    for (size_t i = 1; i < frame->causes; i++)
        for (size_t k = i; k > 0 && frame->cause[k].part_ns > frame->cause[k - 1].part_ns; k--) {
            const struct pp_cause moved = frame->cause[k];
            frame->cause[k] = frame->cause[k - 1];
            frame->cause[k - 1] = moved;
        }
}

/* Name counts of work that the application gave the GPU. */
static void
name_work(const struct explaining *e, bool created)
{
    name_count(e, PP_CAUSE_DRAWS, PP_CELL_DRAWS, MANY_MORE);
    name_count(e, PP_CAUSE_DISPATCHES, PP_CELL_DISPATCHES, MANY_MORE);
    name_count(e, PP_CAUSE_COPIES, PP_CELL_COPIES, MANY_MORE);
    name_count(e, PP_CAUSE_FRAGMENTS, PP_CELL_FRAGMENTS, MANY_FRAGMENTS);
    if (!created)
        name_count(e, PP_CAUSE_CREATED, PP_CELL_PIPELINES, 1);
}

/* Name counts that say why the application's own time was long. The thread runs while it has a page fault: a
 * busy machine does not hide them. */
static void
name_own(const struct explaining *e, enum pp_cause_kind own)
{
    double more = above(e, PP_CELL_TASK_CLOCK);
    more = more > 0 ? fmin(more, e->excess) : e->excess;
    double least = fmax(ENOUGH_PIECE * more, FAULTS_LEAST * e->excess);
    bool major = name_count(e, PP_CAUSE_MAJOR, PP_CELL_MAJOR_FAULTS, 1);
    /* a file that is read has faults of both kinds: one fact */
    if (!major || value_of(e, PP_CELL_PAGE_FAULTS) >= FAULTS_OF_A_READ * value_of(e, PP_CELL_MAJOR_FAULTS))
        name_count(e, PP_CAUSE_FAULTS, PP_CELL_PAGE_FAULTS, least / FAULT_MOST_NS);
    if (own == PP_CAUSE_DELAY)
        name_count(e, PP_CAUSE_PREEMPTED, PP_CELL_PREEMPTED, MANY_MORE);
}

/* The row of a frame by its number, among those that may have made this one slow. */
static const struct pp_saved_frame *
row_of(const struct explaining *e, double frame)
{
    const size_t reach = pp_slow_frame_reach(e->slow, e->frame->index);
    for (size_t before = 1; before <= reach; before++) {
        const struct pp_saved_frame *row = pp_slow_frame_before(e->slow, e->frame->index, before);
        if (row->number >= frame && row->number <= frame)
            return row;
    }
    return e->row;
}

/* Name what was counted and differs from the usual: it may say why the causes took their time. Facts about
 * work are those of the frame that gave it to the GPU. */
static void
name_facts(const struct explaining *e)
{
    bool gpu = false, created = false;
    enum pp_cause_kind own = PP_CAUSE_FACTS;
    struct explaining of_work = *e;
    const size_t causes = e->frame->causes;
    for (size_t i = 0; i < causes; i++) {
        const struct pp_cause *cause = &e->frame->cause[i];
        bool work = cause->kind == PP_CAUSE_PASS || cause->kind == PP_CAUSE_GPU;
        if (work)
            of_work.row = row_of(e, cause->frame);
        gpu = gpu || work;
        if (cause->kind >= PP_CAUSE_DELAY && cause->kind <= PP_CAUSE_OWN)
            own = cause->kind;
        created = created || cause->kind == PP_CAUSE_PIPELINES;
    }
    for (size_t i = 0; i < causes; i++) {
        struct pp_cause *cause = &e->frame->cause[i];
        bool work = cause->kind == PP_CAUSE_PASS || cause->kind == PP_CAUSE_GPU;
        cause->same_work = work && cause->usual > 0 && has_same_work(&of_work);
        cause->on_cpu =
            work && e->slow->software && !(cause->kind == PP_CAUSE_PASS && is_on_thread(e, cause));
    }
    if (causes)
        name_work(e, created);
    if (of_work.row != e->row)
        name_work(&of_work, false);
    if (own != PP_CAUSE_FACTS)
        name_own(e, own);
    name_extras(e, gpu);
    e->frame->gpu_is_behind = gpu;
}

/* How much longer than usual a cause took, in this frame, whatever else took the same time. */
static double
above_usual(const struct pp_cause *cause)
{
    double value = cause->kind == PP_CAUSE_PASS ? fmin(cause->value, cause->in_frame_ns) : cause->value;
    double above = fmax(0, value - known(cause->usual));
    if (cause->kind != PP_CAUSE_GPU)
        return above;
    return cause->pass && !cause->whole ? cause->part_ns : fmin(above, cause->in_frame_ns);
}

/* Mark the causes that took a time which those before explain already: the thread waited, or worked
 * meanwhile. If waits are shorter than usual, causes may also take that time. */
static void
mark_meanwhile(const struct explaining *e)
{
    static const size_t wait[] = {PP_CELL_CPU_WAIT, PP_CELL_CPU_SYNC, PP_CELL_CPU_ACQUIRE};
    double sum = 0, excess = e->excess;
    for (size_t i = 0; i < PP_ARRAY_SIZE(wait); i++)
        excess += fmax(0, known(usual_of(e, wait[i])) - known(value_of(e, wait[i])));
    for (size_t i = 0; i < e->frame->causes; i++) {
        struct pp_cause *cause = &e->frame->cause[i];
        if (cause->kind >= PP_CAUSE_FACTS)
            break;
        const double own = above_usual(cause);
        cause->meanwhile = i > 0 && sum + own > MEANWHILE * excess;
        cause->contains = own > MEANWHILE * sum;
        sum += own;
    }
}

void
pp_slow_frame_explain(const struct pp_slow_frames *slow, struct pp_slow_frame *frame)
{
    struct pp_cause candidate[CANDIDATES];
    struct explaining e = {.slow = slow,
                           .frame = frame,
                           .row = &slow->table.row[slow->series.row[frame->index]],
                           .excess = frame->time_ns - frame->usual_ns};
    frame->causes = 0;
    find_usual_times(&e);
    collect(&e, candidate);
    if (!(e.excess > 0))
        return;
    name_times(&e, candidate);
    sort_causes(frame);
    mark_meanwhile(&e);
    name_facts(&e);
}

bool
pp_slow_frame_is_explained(const struct pp_slow_frame *frame)
{
    for (size_t i = 0; i < frame->causes; i++)
        if (frame->cause[i].kind < PP_CAUSE_FACTS)
            return true;
    return false;
}
