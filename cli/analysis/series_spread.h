/** @file
 * Sorts a series, and finds first how far its median and its mean may be wrong, which only the order of its
 * values tells. Prints nothing. docs/internals/statistics.md has the definitions. */
#ifndef PP_CLI_ANALYSIS_SERIES_SPREAD_H
#define PP_CLI_ANALYSIS_SERIES_SPREAD_H

#include "cli/session/saved_session.h"

/** Fewer values have no spread. */
#define PP_SPREAD_LEAST 20U

/**
 * Sort the values of a series in ascending order, and set series->spread. Does nothing to a sorted series.
 *
 * The intervals come from the means of blocks of neighbouring values: of the values for the mean, and of
 * "is this value at most the median?" for the median, whose interval is that of the share, read off the
 * sorted values (Woodruff 1952).
 */
void pp_series_sort(struct pp_series *series);

#endif
