/** @file
 * How exact times are: what an empty bracket measures, which is the resolution of times of passes and
 * actions, and how far quantiles and means of a series may be wrong. Prints nothing.
 * docs/internals/statistics.md has the definitions. */
#ifndef PP_CLI_ANALYSIS_ACCURACY_H
#define PP_CLI_ANALYSIS_ACCURACY_H

#include "cli/session/saved_session.h"

/** What an empty bracket measures, from session.json; NaN where it is not known. */
struct pp_bracket_bias {
    double median_ns; /**< subtracted from means and percentiles of pass times */
    double spread_ns; /**< interquartile range; times below three of it read "below resolution" */
};

/** The bias of passes and actions on the device of a surface. Where the device is not known, as for
 * PP_SAVED_NO_SURFACE, it is that of the first device that has one. */
struct pp_bracket_bias pp_bias_of_surface(const struct pp_saved_session *rec, size_t surface);

/** A time minus what an empty bracket measures, at least 0; unchanged where that is not known. */
double pp_less(double ns, double bias);

/** A part of a whole; NaN where the whole is not above 0. */
double pp_ratio(double part, double whole);

/** Fewer values have no spread. */
#define PP_SPREAD_LEAST 20U

/**
 * Sort the values of a series in ascending order, and set series->spread. Does nothing to a sorted series.
 *
 * The intervals are those of counters/stats/stats_spread.h: from the means of blocks of neighbouring values.
 */
void pp_series_sort(struct pp_series *series);

#endif
