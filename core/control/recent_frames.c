/** @file
 * See recent_frames.h. */
#include "core/control/recent_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/util/array_size.h"

#define NOT_MEASURED UINT64_MAX

/* Upper bounds of the bins of frame times, in microseconds. Usual frame rates are between two bounds: 30, 60,
 * 72, 90, 120, 144 and 240 frames a second. */
static const uint32_t bin_us[] = {500,   1000,  2000,  3000,  4000,  5000,   6000,  7000,
                                  8000,  9000,  10000, 12000, 14000, 16000,  18000, 20000,
                                  25000, 30000, 35000, 50000, 75000, 100000, 250000};

_Static_assert(PP_ARRAY_SIZE(bin_us) + 1 == PP_ARRAY_SIZE(((struct pp_recent *)NULL)->bin),
               "the last bin has no bound");

uint64_t
pp_recent_bin_ns(size_t bin)
{
    return bin < PP_ARRAY_SIZE(bin_us) ? (uint64_t)bin_us[bin] * 1000 : 0;
}

const char *
pp_recent_verdict_name(enum pp_recent_verdict verdict)
{
    static const char *const name[] = {"cpu", "gpu", "present", "sync", "sleep", "unknown"};
    return name[verdict];
}

int
pp_recent_init(struct pp_recent *recent)
{
    memset(recent, 0, sizeof(*recent));
    recent->frame = calloc(PP_RECENT_FRAMES, sizeof(*recent->frame));
    return recent->frame ? 0 : -ENOMEM;
}

void
pp_recent_finish(struct pp_recent *recent)
{
    free(recent->frame);
    recent->frame = NULL;
}

static enum pp_recent_verdict
verdict_of(const char *name)
{
    for (enum pp_recent_verdict v = PP_RECENT_CPU; name && v < PP_RECENT_UNKNOWN; v++)
        if (strcmp(name, pp_recent_verdict_name(v)) == 0)
            return v;
    return PP_RECENT_UNKNOWN;
}

static uint64_t
number_of(struct pp_value value)
{
    return pp_status_has_value(value.status) ? value.value : NOT_MEASURED;
}

static struct pp_recent_frame
frame_of(const struct pp_frame_row *row)
{
    return (struct pp_recent_frame){
        .timeline = row->timeline,
        .start_ns = number_of(row->cpu_start_ns),
        .time_ns = {number_of(row->frame_time_ns), number_of(row->cpu_busy_ns), number_of(row->gpu_time_ns),
                    number_of(row->gpu_busy_ns)},
        .bound_by = row->bound_by,
    };
}

void
pp_recent_sum(struct pp_recent *recent, const struct pp_frame_row *row)
{
    if (!row->is_frame)
        return;
    const struct pp_recent_frame frame = frame_of(row);
    size_t bin = 0;
    for (size_t i = 0; i < PP_RECENT_TIMES; i++)
        if (frame.time_ns[i] != NOT_MEASURED) {
            recent->sum_ns[i] += frame.time_ns[i];
            recent->measured[i]++;
        }
    recent->verdicts[verdict_of(frame.bound_by)]++;
    recent->draws += row->draws;
    recent->dispatches += row->dispatches;
    recent->copies += row->copies;
    if (frame.time_ns[PP_RECENT_FRAME_TIME] == NOT_MEASURED)
        return;
    while (bin < PP_ARRAY_SIZE(bin_us) && frame.time_ns[PP_RECENT_FRAME_TIME] > pp_recent_bin_ns(bin))
        bin++;
    recent->bin[bin]++;
}

void
pp_recent_note(struct pp_recent *recent, const struct pp_frame_row *row, uint64_t now_ns)
{
    if (!recent->frame || !row->is_frame)
        return;
    struct pp_recent_frame *frame = &recent->frame[recent->frames % PP_RECENT_FRAMES];
    *frame = frame_of(row);
    frame->noted_ns = now_ns;
    recent->frames++;
}

/* Index of the first frame that is wanted, counted from the session's first frame. */
static uint64_t
first_wanted(const struct pp_recent *recent, uint64_t seen, uint64_t from_ns)
{
    uint64_t first = recent->frames > PP_RECENT_FRAMES ? recent->frames - PP_RECENT_FRAMES : 0;
    if (first < seen)
        first = seen;
    while (first < recent->frames && recent->frame[first % PP_RECENT_FRAMES].noted_ns < from_ns)
        first++;
    return first;
}

static size_t
frames_of(const struct pp_recent *recent, uint64_t first, const struct pp_timeline *timeline)
{
    size_t frames = 0;
    for (uint64_t i = first; i < recent->frames; i++)
        frames += recent->frame[i % PP_RECENT_FRAMES].timeline == timeline;
    return frames;
}

/* The surface with the most frames. Few surfaces have frames at the same time, so each frame whose surface is
 * another one than that of the frame before is worth a count. */
static const struct pp_timeline *
busiest(const struct pp_recent *recent, uint64_t first)
{
    const struct pp_timeline *best = NULL, *last = NULL;
    size_t most = 0;
    for (uint64_t i = first, counted = 0; i < recent->frames && counted < 64; i++) {
        const struct pp_timeline *timeline = recent->frame[i % PP_RECENT_FRAMES].timeline;
        if (timeline == last || timeline == best)
            continue;
        last = timeline;
        counted++;
        size_t frames = frames_of(recent, first, timeline);
        if (frames > most) {
            most = frames;
            best = timeline;
        }
    }
    return best;
}

static struct pp_recent_spread
spread_of(double *value, size_t n)
{
    if (n == 0)
        return (struct pp_recent_spread){.frames = 0};
    pp_stats_sort(value, n);
    return (struct pp_recent_spread){
        .frames = n,
        .mean_ns = pp_stats_mean(value, n),
        .p50_ns = pp_quantile7(value, n, 0.5),
        .p95_ns = pp_quantile7(value, n, 0.95),
        .p99_ns = pp_quantile7(value, n, 0.99),
        .max_ns = value[n - 1],
    };
}

/* Add a frame to the figures that are no quantiles. */
static void
add_frame(struct pp_recent_figures *figures, const struct pp_recent_frame *frame)
{
    uint64_t length = frame->time_ns[PP_RECENT_FRAME_TIME];
    if (figures->frames == 0 || frame->start_ns < figures->from_ns)
        figures->from_ns = frame->start_ns;
    if (length != NOT_MEASURED && frame->start_ns + length > figures->to_ns)
        figures->to_ns = frame->start_ns + length;
    figures->verdicts[verdict_of(frame->bound_by)]++;
    figures->frames++;
}

int
pp_recent_figures(const struct pp_recent *recent, uint64_t seen, uint64_t from_ns,
                  struct pp_recent_figures *ret)
{
    uint64_t first = recent->frame ? first_wanted(recent, seen, from_ns) : recent->frames;
    struct pp_recent_figures figures = {.frames = 0};
    if (first >= recent->frames) {
        *ret = figures;
        return 0;
    }
    double *value = malloc((size_t)(recent->frames - first) * sizeof(*value));
    if (!value)
        return -ENOMEM;
    figures.timeline = busiest(recent, first);
    for (uint64_t i = first; i < recent->frames; i++)
        if (recent->frame[i % PP_RECENT_FRAMES].timeline == figures.timeline)
            add_frame(&figures, &recent->frame[i % PP_RECENT_FRAMES]);
    for (size_t t = 0; t < PP_RECENT_TIMES; t++) {
        size_t n = 0;
        for (uint64_t i = first; i < recent->frames; i++) {
            const struct pp_recent_frame *frame = &recent->frame[i % PP_RECENT_FRAMES];
            if (frame->timeline == figures.timeline && frame->time_ns[t] != NOT_MEASURED)
                value[n++] = (double)frame->time_ns[t];
        }
        if (t == PP_RECENT_FRAME_TIME && n > 0)
            figures.fps = pp_average_fps(value, n, 1e9);
        figures.time[t] = spread_of(value, n);
    }
    free(value);
    *ret = figures;
    return 0;
}
