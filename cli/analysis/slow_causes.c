/** @file
 * See slow_causes.h. The rules stand in docs/internals/statistics.md.
 *
 * Each possible cause has a part: how much longer the frame was because of it. A cause counts if its part is
 * a good share of the excess, which is the frame's time minus the usual frame time. Then its part is taken
 * off, and what remains is looked at again: so two causes at once are found. Waits count without the GPU's
 * part, because the application waits for the GPU there. */
#include "cli/analysis/slow_causes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A cause is named if its part is at least this share of the excess that is not explained yet. */
#define ENOUGH 0.5
/* Pipelines, page faults and run delay are named from this share on: the application's own time includes
 * them, and would hide them. */
#define ENOUGH_PIECE 0.2
/* A part below this share of the whole excess is never named. */
#define LEAST 0.2
/* If no cause is enough, the largest is named from this share of the whole excess on. */
#define PARTLY 0.25

/* The least time that a page fault costs (0.5 to 1 us on machines of 2020). */
#define FAULT_NS 250.0
/* The most: 2.1 us of processor time where a virtual machine (AMD EPYC, Linux 6) writes to a fresh
 * page of 4 KiB. */
#define FAULT_MOST_NS 2500.0
/* A clock below this share of the usual one is low. */
#define LOW_CLOCK 0.8
/* A count is unusual if it is so many times the usual one, and so many more. */
#define MANY_TIMES 2.0
#define MANY_MORE  8.0
/* A user counter is unusual if it is so many median distances off, and off by this share. */
#define APP_SPREADS 8.0
#define APP_SHARE   0.5

/* A slow frame whose causes are looked for. */
struct explaining {
    const struct pp_slow_frames *slow;
    struct pp_slow_frame *frame;
    const struct pp_table_row *row;
    double excess; /* ns */
};

static double
value_of(const struct explaining *e, size_t column)
{
    return pp_frame_cell(&e->slow->table, e->row, column);
}

static double
usual_of(const struct explaining *e, size_t column)
{
    return pp_baseline_usual(&e->slow->series, e->frame->index, column, NULL);
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
                             .frame = e->row->frame};
}

/* How long a span of the GPU lies in the frame. Without a start it is taken to lie in its own frame. */
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

/* Add a frame's passes to the causes "one pass" and "the GPU". */
static void
add_passes(const struct explaining *e, double frame, struct pp_cause *one, struct pp_cause *all)
{
    size_t passes = 0;
    const struct pp_near_pass *pass = pp_near_passes_of(&e->slow->near, frame, &passes);
    bool own = frame >= e->row->frame;
    for (size_t i = 0; i < passes; i++) {
        double usual = isnan(pass[i].usual_ns) ? 0 : pass[i].usual_ns;
        double in_frame = overlap(e, pass[i].start_ns, pass[i].time_ns, own);
        double part = fmin(pass[i].time_ns - usual, in_frame);
        if (!(part > 0))
            continue;
        all->part_ns += part;
        if (part <= one->part_ns)
            continue;
        one->part_ns = part;
        one->value = pass[i].time_ns;
        one->usual = pass[i].usual_ns;
        one->frame = frame;
        one->pass = all->pass = &pass[i];
    }
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

/* The causes "one pass" and "the GPU", from passes or, at level frame, from the GPU's time of each frame. */
static void
look_at_gpu(const struct explaining *e, struct pp_cause *one, struct pp_cause *all)
{
    *one = (struct pp_cause){.kind = PP_CAUSE_PASS, .count = (double)NAN};
    *all = from_column(e, PP_CAUSE_GPU, PP_CELL_GPU_BUSY);
    size_t busy = isnan(all->value) ? PP_CELL_GPU_TIME : PP_CELL_GPU_BUSY;
    *all = from_column(e, PP_CAUSE_GPU, busy);
    all->part_ns = 0;
    for (size_t before = 0; before <= PP_CAUSE_FRAMES_BEFORE && before <= e->frame->index; before++) {
        size_t at = e->frame->index - before;
        const struct pp_table_row *row = &e->slow->table.row[e->slow->series.row[at]];
        if (are_comparable(e, row->frame)) {
            add_passes(e, row->frame, one, all);
            continue;
        }
        double time = pp_frame_cell(&e->slow->table, row, busy);
        double start = pp_frame_cell(&e->slow->table, row, PP_CELL_GPU_START);
        double part = fmin(time - all->usual, overlap(e, start, time, before == 0));
        if (part > all->part_ns) {
            all->part_ns = part;
            all->value = time;
            all->frame = row->frame;
        }
    }
    all->part_ns = fmin(all->part_ns, e->excess);
}

/* Times of the application's thread that are its own: neither waits nor pipelines. */
static struct pp_cause
look_at_own(const struct explaining *e)
{
    struct pp_cause ret = from_column(e, PP_CAUSE_OWN, PP_CELL_CPU_BUSY);
    double waits = above(e, PP_CELL_CPU_SYNC) + above(e, PP_CELL_CPU_ACQUIRE);
    ret.part_ns = fmax(0, ret.part_ns - waits - above(e, PP_CELL_PIPELINE_TIME));
    double worked = value_of(e, PP_CELL_TASK_CLOCK) - usual_of(e, PP_CELL_TASK_CLOCK);
    if (isnan(worked) || !(ret.part_ns > 0))
        return ret;
    if (worked >= 0.5 * ret.part_ns) {
        ret.kind = PP_CAUSE_WORK;
    } else {
        ret.kind = PP_CAUSE_SLEEP;
        ret.value = ret.part_ns - fmax(0, worked);
    }
    return ret;
}

/* Kinds in the order in which they are looked at. */
enum { PIPELINES, PASS, GPU, PRESENT, ACQUIRE, SYNC, FAULTS, DELAY, OWN, CANDIDATES };

static void
collect(const struct explaining *e, struct pp_cause candidate[CANDIDATES])
{
    candidate[PIPELINES] = from_column(e, PP_CAUSE_PIPELINES, PP_CELL_PIPELINE_TIME);
    candidate[PIPELINES].count = value_of(e, PP_CELL_PIPELINES);
    look_at_gpu(e, &candidate[PASS], &candidate[GPU]);
    candidate[PRESENT] = from_column(e, PP_CAUSE_PRESENT, PP_CELL_CPU_WAIT);
    candidate[ACQUIRE] = from_column(e, PP_CAUSE_ACQUIRE, PP_CELL_CPU_ACQUIRE);
    candidate[SYNC] = from_column(e, PP_CAUSE_SYNC, PP_CELL_CPU_SYNC);
    candidate[FAULTS] = from_column(e, PP_CAUSE_FAULTS, PP_CELL_PAGE_FAULTS);
    candidate[FAULTS].count = candidate[FAULTS].value;
    candidate[FAULTS].part_ns *= FAULT_NS;
    candidate[DELAY] = from_column(e, PP_CAUSE_DELAY, PP_CELL_RUN_DELAY);
    candidate[OWN] = look_at_own(e);
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
        if (gpu && (which == GPU || which == PASS || which == PRESENT || which == ACQUIRE || which == SYNC))
            part -= frame->cause[i].part_ns;
        if (gpu && which == OWN && candidate[OWN].kind != PP_CAUSE_WORK)
            part -= fmax(0, frame->cause[i].part_ns - waits);
        if (which == OWN && (kind == PP_CAUSE_FAULTS || kind == PP_CAUSE_DELAY))
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
    bool piece = which == PIPELINES || which == FAULTS || which == DELAY;
    return part >= LEAST * e->excess && part >= (piece ? ENOUGH_PIECE : ENOUGH) * remains;
}

/* The first cause that is enough; CANDIDATES: none. @param ret_part Its part. */
static size_t
choose(const struct explaining *e, const struct pp_cause candidate[CANDIDATES], const bool named[CANDIDATES],
       double remains, double *ret_part)
{
    size_t largest = CANDIDATES;
    double most = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        if (named[i] || (i == GPU && named[PASS]))
            continue;
        *ret_part = net_part(e, candidate, i);
        if (is_enough(e, i, *ret_part, remains))
            return i;
        largest = *ret_part > most ? i : largest;
        most = fmax(most, *ret_part);
    }
    *ret_part = most;
    return most >= PARTLY * e->excess ? largest : CANDIDATES;
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
            return;
        candidate[i].part_ns = part;
        if (candidate[i].kind == PP_CAUSE_SLEEP)
            candidate[i].value = fmin(candidate[i].value, part);
        name(e->frame, &candidate[i]);
        named[i] = true;
        remains -= part;
    }
}

/* Name a count that is unusual: many times the usual one, and @p more above it. */
static void
name_count(const struct explaining *e, enum pp_cause_kind kind, size_t column, double more)
{
    struct pp_cause cause = from_column(e, kind, column);
    cause.count = cause.value;
    cause.part_ns = 0;
    if (cause.value >= MANY_TIMES * cause.usual && cause.value >= cause.usual + more)
        name(e->frame, &cause);
}

/* Name page faults that may explain the application's own time, if it is not sure that they do. */
static void
name_faults(const struct explaining *e)
{
    for (size_t i = 0; i < e->frame->causes; i++)
        if (e->frame->cause[i].kind == PP_CAUSE_FAULTS)
            return;
    name_count(e, PP_CAUSE_FAULTS, PP_CELL_PAGE_FAULTS, ENOUGH_PIECE * e->excess / FAULT_MOST_NS);
}

/* Name user counters that are far from usual, and clocks that are low. */
static void
name_extras(const struct explaining *e, bool gpu)
{
    for (size_t i = 0; i < e->slow->table.extras; i++) {
        size_t column = PP_FRAME_CELLS + i;
        const char *title = e->slow->table.extra[i];
        bool app = strncmp(title, "app:", strlen("app:")) == 0;
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

/* Name counts, clocks and user counters that differ from the usual. */
static void
name_facts(const struct explaining *e)
{
    bool gpu = false;
    bool own = false;
    for (size_t i = 0; i < e->frame->causes; i++) {
        enum pp_cause_kind kind = e->frame->cause[i].kind;
        gpu = gpu || kind == PP_CAUSE_PASS || kind == PP_CAUSE_GPU;
        own = own || kind == PP_CAUSE_WORK || kind == PP_CAUSE_OWN || kind == PP_CAUSE_SLEEP;
    }
    if (own)
        name_faults(e);
    if (own)
        name_count(e, PP_CAUSE_MAJOR, PP_CELL_MAJOR_FAULTS, 1);
    if (gpu || own) {
        name_count(e, PP_CAUSE_DRAWS, PP_CELL_DRAWS, MANY_MORE);
        name_count(e, PP_CAUSE_DISPATCHES, PP_CELL_DISPATCHES, MANY_MORE);
        name_count(e, PP_CAUSE_COPIES, PP_CELL_COPIES, MANY_MORE);
    }
    name_extras(e, gpu);
}

/* Move the application's own time behind the facts, which may explain it. They do not explain a sleep. */
static void
put_own_last(struct pp_slow_frame *frame)
{
    size_t own = 0;
    while (own < frame->causes && frame->cause[own].kind != PP_CAUSE_WORK &&
           frame->cause[own].kind != PP_CAUSE_OWN)
        own++;
    for (; own + 1 < frame->causes; own++) {
        const struct pp_cause moved = frame->cause[own];
        frame->cause[own] = frame->cause[own + 1];
        frame->cause[own + 1] = moved;
    }
}

void
pp_slow_frame_explain(const struct pp_slow_frames *slow, struct pp_slow_frame *frame)
{
    struct pp_cause candidate[CANDIDATES];
    const struct explaining e = {.slow = slow,
                                 .frame = frame,
                                 .row = &slow->table.row[slow->series.row[frame->index]],
                                 .excess = frame->time_ns - frame->usual_ns};
    frame->causes = 0;
    collect(&e, candidate);
    name_times(&e, candidate);
    name_facts(&e);
    put_own_last(frame);
}

bool
pp_slow_frame_is_explained(const struct pp_slow_frame *frame)
{
    for (size_t i = 0; i < frame->causes; i++)
        if (frame->cause[i].kind < PP_CAUSE_FACTS)
            return true;
    return false;
}
