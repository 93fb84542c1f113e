/** @file
 * Sorts a series, and finds first how far its quantiles and its mean may be wrong, which only the order of
 * its values shows. Prints nothing. docs/internals/statistics.md has the definitions. */
#ifndef PP_CLI_ANALYSIS_SERIES_SPREAD_H
#define PP_CLI_ANALYSIS_SERIES_SPREAD_H

#include "cli/session/saved_session.h"

/** Fewer values have no spread. */
#define PP_SPREAD_LEAST 20U

/**
 * Sort the values of a series in ascending order, and set series->spread. Does nothing to a sorted series.
 *
 * The intervals are those of counters/stats/stats_spread.h: from the means of blocks of neighbouring values.
 */
void pp_series_sort(struct pp_series *series);

#endif
