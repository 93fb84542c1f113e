/** @file
 * Figures of a counter or metric over the frames of a surface. Prints nothing. See also print/counters.h. */
#ifndef PP_CLI_ANALYSIS_COUNTER_FIGURES_H
#define PP_CLI_ANALYSIS_COUNTER_FIGURES_H

#include "cli/session/saved_session.h"

/** A counter in a surface's frames without first frames. */
struct pp_counter_figures {
    const char *name;   /**< of its column; borrowed */
    double mean;        /**< per frame; of a state: its mean, weighted with GPU time */
    uint64_t frames;    /**< in which it was measured */
    double duty, error; /**< where it was rotated: share of the frames, and possible error of the mean */
    bool rotated;       /**< the mean is an estimate for all frames */
    bool state;         /**< a ratio, a clock or the like: values of frames are not additive */
    bool metric;        /**< a derived metric */
    bool zero;          /**< it was 0 in every frame */
};

/** Is this the name of a metric's column? */
bool pp_counter_is_metric(const char *name);

/** A metric's unit as session.json has it; "" if it has none. Borrowed. */
const char *pp_counter_metric_unit(const struct pp_saved_session *rec, const char *name);

/** Compute the figures of rec->counter[@p i]. @return false: it was not measured for this surface. */
bool pp_counter_figures_make(const struct pp_saved_session *rec, const struct pp_saved_surface *s, size_t i,
                             struct pp_counter_figures *ret);

#endif
