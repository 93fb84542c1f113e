/** @file
 * Many comparisons of the same few runs, such as the passes of two sides: five runs say little about the
 * spread of one pass, but together the passes say what spread is usual. Pure; any thread; no memory. See
 * stats_runs.h for one comparison. */
#ifndef PP_COUNTERS_STATS_SHARED_SPREAD_H
#define PP_COUNTERS_STATS_SHARED_SPREAD_H

#include <stddef.h>

#include "counters/stats/stats_runs.h"

/** Fewer comparisons share nothing. */
#define PP_SHARED_SPREAD_LEAST 5

/**
 * Replace the standard error of each comparison by one that takes the other comparisons into account, and set
 * what follows from it (pp_change_take_error()).
 *
 * The squared errors e with f degrees of freedom are taken as those of a common prior: s0 with f0 degrees of
 * freedom, which are estimated from all comparisons. Each becomes (g s0 + f e) / (g + f), with g + f degrees
 * of freedom, where g is half of f0. Two more limits keep it cautious: g is at most 3 f, so that a
 * comparison's own runs count for a quarter or more; and a comparison whose error is larger than the prior
 * explains (1 %) keeps its own.
 *
 * Takes part: a comparison with a verdict, of logarithms, with an error above 0. Others stay as they are.
 *
 * @param change @p n comparisons of the same runs.
 *
 * Source: G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6 (estimation of s0 and f0); B.
 * Phipson et al., Ann. Appl. Stat. 10 (2016) (comparisons that keep their own error).
 */
void pp_share_spread(struct pp_run_change *change, size_t n, const struct pp_change_rule *rule);

#endif
