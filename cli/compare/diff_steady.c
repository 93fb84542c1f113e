/** @file
 * See diff_steady.h. */
#include "cli/compare/diff_steady.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/compare/comparable.h"
#include "cli/compare/diff_build.h"
#include "counters/stats/stats_runs.h"
#include "pp_texts.h"

/* A spread of the median that five runs a side can cope with: a third of the usual threshold. */
#define SPREAD_GOOD 0.01
/* The spread of p5 must be smaller than this share of the median's. */
#define SPREAD_SHARE 0.75

/* Spread between the runs of a side, of both sides together; NaN: not known, or a run lacks the number. */
static double
spread_of(const struct pp_diff_side *olds, const struct pp_diff_side *news, enum pp_time_kind kind,
          enum pp_diff_stat stat)
{
    const struct pp_diff_side *side[2] = {olds, news};
    struct pp_run_change change;
    double ret = NAN;
    double *value = calloc(olds->runs + news->runs, sizeof(*value));
    size_t n = 0;
    if (!value)
        return NAN;
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < side[s]->runs; i++) {
            const struct pp_run_figures *run = &side[s]->run[i];
            double number =
                run->surfaces ? pp_diff_stat_of(&run->surface[0].plain.time[kind], stat).value : (double)NAN;
            if (!(number > 0))
                break;
            value[n++] = number;
        }
    if (n == olds->runs + news->runs && pp_compare_runs(value, olds->runs, value + olds->runs, news->runs,
                                                        &pp_change_rule_usual, &change) == 0)
        ret = change.spread;
    free(value);
    return ret;
}

bool
pp_diff_is_steadier(double p50_spread, double p5_spread)
{
    return p50_spread > SPREAD_GOOD && p5_spread < SPREAD_SHARE * p50_spread;
}

/* The spreads between runs of both numbers. */
struct spreads {
    double p50, p5; /* NaN: not known */
};

/* Is the median known badly, and p5 better? */
static bool
was_disturbed(const struct pp_diff_side *olds, const struct pp_diff_side *news, struct spreads *ret)
{
    enum pp_time_kind kind = PP_TIME_GPU;
    ret->p50 = spread_of(olds, news, kind, PP_DIFF_P50);
    if (isnan(ret->p50)) {
        kind = PP_TIME_FRAME;
        ret->p50 = spread_of(olds, news, kind, PP_DIFF_P50);
    }
    ret->p5 = spread_of(olds, news, kind, PP_DIFF_P5);
    return olds->runs >= PP_RUNS_LEAST && news->runs >= PP_RUNS_LEAST &&
           pp_diff_is_steadier(ret->p50, ret->p5);
}

/* Does a side's first run render on the CPU? */
static bool
is_software(const struct pp_diff_side *side)
{
    return side->run[0].surfaces && side->run[0].surface[0].software;
}

enum pp_diff_stat
pp_diff_stat_for(const struct pp_diff_options *options, const struct pp_diff_side *olds,
                 const struct pp_diff_side *news)
{
    struct spreads spreads;
    bool may = options->choose_stat && !options->metric && is_software(olds) && is_software(news);
    return may && was_disturbed(olds, news, &spreads) ? PP_DIFF_P5 : options->stat;
}

int
pp_diff_choose_stat(struct pp_diff *diff)
{
    struct spreads spreads;
    if (!diff->options.choose_stat || diff->options.metric ||
        !was_disturbed(diff->olds, diff->news, &spreads))
        return 0;
    diff->options.stat = pp_diff_stat_for(&diff->options, diff->olds, diff->news);
    return pp_diff_note_add(
        diff, false, diff->options.stat == PP_DIFF_P5 ? PP_FORMAT_DIFF_STEADY : PP_FORMAT_DIFF_STEADY_HINT,
        100 * spreads.p50, 100 * spreads.p5);
}
