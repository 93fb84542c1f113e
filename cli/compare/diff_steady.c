/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/stats/stats_runs.h"
#include "pp_texts.h"

/* A spread of the median that five runs per side can cope with: a third of the usual threshold. */
#define SPREAD_GOOD 0.01
/* The spread of p5 must be smaller than this share of the median's. */
#define SPREAD_SHARE 0.5
/* With this many runs of a side, one can differ from the others. */
#define APART_RUNS 4U
/* A run does, if it is this share away from the nearest other run, and this many times their range. */
#define APART_SHARE 0.05
#define APART_RANGE 3.0
/* With this many runs or more, a time leaves one out that is this share away, and this many times as far as
 * the other runs of both sides differ. */
#define OUT_RUNS  5U
#define OUT_SHARE 0.02
#define OUT_RANGE 5.0
/* Runs that are named at most. */
#define APART_MOST 4U

bool
pp_diff_is_steadier(double p50_spread, double p5_spread)
{
    return p50_spread > SPREAD_GOOD && p5_spread < SPREAD_SHARE * p50_spread;
}

/* Does a side render on the CPU, and has it runs enough for a spread? */
static bool
may_choose_side(const struct pp_diff_side *side)
{
    return side->runs >= PP_RUNS_LEAST && side->run[0].surfaces && side->run[0].surface[0].software;
}

/* May a row take p5 in place of the median? Not for a real GPU: a low percentile may be that of a menu. */
static bool
may_choose(const struct pp_diff_options *options, const struct pp_diff_side *olds,
           const struct pp_diff_side *news)
{
    return options->choose_stat && !options->metric && options->stat == PP_DIFF_P50 &&
           may_choose_side(olds) && may_choose_side(news);
}

/* How far a value is from the nearest of the others, and the least and most of these. */
struct apart {
    double gap, low, high;
};

static struct apart
distance(const double *value, size_t runs, size_t of)
{
    struct apart ret = {HUGE_VAL, HUGE_VAL, 0};
    for (size_t i = 0; i < runs; i++) {
        if (i == of)
            continue;
        ret.gap = fmin(ret.gap, fabs(value[i] - value[of]));
        ret.low = fmin(ret.low, value[i]);
        ret.high = fmax(ret.high, value[i]);
    }
    return ret;
}

/* Do all runs have a time? */
static bool
are_times(const double *value, size_t runs)
{
    for (size_t i = 0; i < runs; i++)
        if (!(value[i] > 0))
            return false;
    return true;
}

/* How far the runs of a side differ: their range, as a share of the least. Runs without the time do not
 * count. */
static double
range_of(const double *value, size_t runs)
{
    double low = HUGE_VAL, high = 0;
    for (size_t i = 0; i < runs; i++) {
        low = fmin(low, value[i]); /* ignores NaN */
        high = fmax(high, value[i]);
    }
    return high > 0 ? high / low - 1 : 0;
}

/* Leave out the run of a side that is far from all others. @param range How far the other side's runs
 * differ. */
static size_t
leave_out(double *value, size_t runs, double range)
{
    for (size_t i = 0; runs >= OUT_RUNS && i < runs; i++) {
        struct apart far = distance(value, runs, i);
        const double gap = far.gap / far.low;
        if (gap > OUT_SHARE && gap > OUT_RANGE * fmax(far.high / far.low - 1, range)) {
            value[i] = (double)NAN;
            return 1;
        }
    }
    return 0;
}

size_t
pp_diff_leave_out(double *olds, size_t old_runs, double *news, size_t new_runs)
{
    const double old_range = range_of(olds, old_runs), new_range = range_of(news, new_runs);
    size_t ret = are_times(olds, old_runs) ? leave_out(olds, old_runs, new_range) : 0;
    return ret || !are_times(news, new_runs) ? ret : leave_out(news, new_runs, old_range);
}

/* Spread between the runs of a side, of both sides together; NaN: not known, or a run lacks the number. */
static double
spread_of(const double *olds, size_t old_runs, const double *news, size_t new_runs, size_t left_out)
{
    struct pp_run_change change;
    if (pp_compare_runs(olds, old_runs, news, new_runs, &pp_change_rule_usual, &change) ||
        change.old_runs + change.new_runs + left_out != old_runs + new_runs)
        return (double)NAN;
    return change.spread;
}

/* The spread of what the runs of a part answer. @param out Leave out runs as the rows do. */
static double
spread_of_answers(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *keys, bool out)
{
    const size_t olds = build->diff->olds->runs, news = build->diff->news->runs;
    size_t left_out = 0;
    pp_diff_ask_runs(build, ask, keys);
    if (out && !build->diff->options.pairs)
        left_out = pp_diff_leave_out(build->olds, olds, build->news, news);
    return spread_of(build->olds, olds, build->news, news, left_out);
}

enum pp_diff_stat
pp_diff_steadiest(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *p50,
                  const struct pp_diff_keys *p5)
{
    const struct pp_diff *diff = build->diff;
    if (!p50->olds || !p50->news || !may_choose(&diff->options, diff->olds, diff->news))
        return diff->options.stat;
    double usual = spread_of_answers(build, ask, p50, true);
    return pp_diff_is_steadier(usual, spread_of_answers(build, ask, p5, true)) ? PP_DIFF_P5 : PP_DIFF_P50;
}

/* The spread of a statistic of the first surface's times, for sides without a comparison. */
static double
spread_of_sides(const struct pp_diff_side *olds, const struct pp_diff_side *news, enum pp_time_kind kind,
                enum pp_diff_stat stat)
{
    const struct pp_diff_side *side[2] = {olds, news};
    double *value = calloc(olds->runs + news->runs, sizeof(*value)), ret = (double)NAN;
    for (size_t s = 0, n = 0; value && s < 2; s++)
        for (size_t i = 0; i < side[s]->runs; i++) {
            const struct pp_run_figures *run = &side[s]->run[i];
            value[n++] =
                run->surfaces ? pp_diff_stat_of(&run->surface[0].plain.time[kind], stat).value : (double)NAN;
        }
    if (value)
        ret = spread_of(value, olds->runs, value + olds->runs, news->runs, 0);
    free(value);
    return ret;
}

enum pp_diff_stat
pp_diff_stat_for(const struct pp_diff_options *options, const struct pp_diff_side *olds,
                 const struct pp_diff_side *news, enum pp_time_kind kind)
{
    if (!may_choose(options, olds, news))
        return options->stat;
    return pp_diff_is_steadier(spread_of_sides(olds, news, kind, PP_DIFF_P50),
                               spread_of_sides(olds, news, kind, PP_DIFF_P5))
               ? PP_DIFF_P5
               : PP_DIFF_P50;
}

void
pp_diff_find_disturbed(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *frame_p50)
{
    const struct pp_diff *diff = build->diff;
    build->part->spread = (double)NAN;
    if (diff->olds->runs < PP_RUNS_LEAST || diff->news->runs < PP_RUNS_LEAST)
        return;
    build->part->spread = spread_of_answers(build, ask, frame_p50, false);
    build->part->disturbed = build->part->spread > SPREAD_GOOD;
}

/* Note how many rows took p5, and the row of the GPU time, or else of the frame time, as an example. */
static int
note_p5(struct pp_diff *diff, const struct pp_diff_part *part)
{
    size_t taken = 0, all = 0;
    for (size_t i = 0; i < part->len; i++) {
        const struct pp_diff_row *row = &part->row[i];
        bool time = row->chosen && row->unit == PP_DIFF_NS && pp_diff_stat_is_typical(row->stat);
        all += time;
        taken += time && row->stat == PP_DIFF_P5;
    }
    return taken ? pp_diff_note_add(diff, false, PP_FORMAT_DIFF_STEADY, taken, all) : 0;
}

/* Note how many times leave out a run. */
static int
note_left_out(struct pp_diff *diff, const struct pp_diff_part *part)
{
    size_t rows = 0;
    for (size_t i = 0; i < part->len; i++)
        rows += part->row[i].left_out && (part->row[i].chosen || part->row[i].kind == PP_DIFF_PASS);
    return rows ? pp_diff_note_add(diff, false, PP_FORMAT_DIFF_LEFT_OUT, rows) : 0;
}

/* Note how many passes have a verdict relative to the others. */
static int
note_relative(struct pp_diff *diff, const struct pp_diff_part *part)
{
    size_t rows = 0;
    for (size_t i = 0; i < part->len; i++)
        rows += part->row[i].relative;
    return rows ? pp_diff_note_add(diff, false, PP_FORMAT_DIFF_RELATIVE, 100 * part->common, rows) : 0;
}

/* Note that p5 may show more, where passprobe does not take it by itself. */
static int
note_hint(struct pp_diff *diff)
{
    enum pp_time_kind kind = PP_TIME_GPU;
    const struct pp_diff_side *olds = diff->olds, *news = diff->news;
    double p50 = spread_of_sides(olds, news, kind, PP_DIFF_P50);
    if (isnan(p50))
        kind = PP_TIME_FRAME;
    p50 = spread_of_sides(olds, news, kind, PP_DIFF_P50);
    double p5 = spread_of_sides(olds, news, kind, PP_DIFF_P5);
    bool asked = diff->options.choose_stat && !diff->options.metric && olds->runs >= PP_RUNS_LEAST &&
                 news->runs >= PP_RUNS_LEAST;
    return asked && pp_diff_is_steadier(p50, p5)
               ? pp_diff_note_add(diff, false, PP_FORMAT_DIFF_STEADY_HINT, 100 * p50, 100 * p5)
               : 0;
}

/* Note the runs of a side that differ from all others in a figure. */
static int
note_apart(struct pp_diff *diff, const struct pp_diff_side *side, const double *value, const char *figure)
{
    int rc = 0;
    size_t named = 0;
    if (!are_times(value, side->runs))
        return 0;
    for (size_t i = 0; rc == 0 && side->runs >= APART_RUNS && named < APART_MOST && i < side->runs; i++) {
        struct apart far = distance(value, side->runs, i);
        if (far.gap > APART_SHARE * far.low && far.gap > APART_RANGE * (far.high - far.low)) {
            rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_APART, pp_run_title(&side->run[i]), figure,
                                  value[i] / 1e6, far.low / 1e6, far.high / 1e6);
            named++;
        }
    }
    return rc;
}

int
pp_diff_note_apart(struct pp_diff *diff, struct pp_diff_build *build, pp_diff_ask *ask,
                   const struct pp_diff_keys *keys, const char *figure)
{
    pp_diff_ask_runs(build, ask, keys);
    int rc = note_apart(diff, diff->olds, build->olds, figure);
    return rc ? rc : note_apart(diff, diff->news, build->news, figure);
}

int
pp_diff_note_steady(struct pp_diff *diff, const struct pp_diff_part *part)
{
    bool software = diff->olds->run[0].surface[0].software && diff->news->run[0].surface[0].software;
    int rc = software ? note_p5(diff, part) : note_hint(diff);
    rc = rc ? rc : note_left_out(diff, part);
    rc = rc ? rc : note_relative(diff, part);
    if (rc == 0 && part->disturbed)
        rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_DISTURBED, 100 * part->spread);
    if (rc == 0 && part->disturbed && software)
        rc = pp_diff_note_add(diff, false, "%s", PP_TEXT_DIFF_PIN);
    return rc;
}
