/** @file
 * What an empty bracket measures: the resolution of times of passes and actions. Prints nothing. */
#ifndef PP_CLI_ANALYSIS_BRACKET_BIAS_H
#define PP_CLI_ANALYSIS_BRACKET_BIAS_H

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

#endif
