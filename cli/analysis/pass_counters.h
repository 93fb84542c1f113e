/** @file
 * Module: the counters of each pass, added up. Prints nothing. Reads passes.csv row by row: the session keeps
 * only the metrics of its passes. */
#ifndef PP_CLI_ANALYSIS_PASS_COUNTERS_H
#define PP_CLI_ANALYSIS_PASS_COUNTERS_H

#include <stddef.h>

#include "cli/session/saved_session.h"

/** Most columns. */
#define PP_PASS_COUNTERS 64U

/** Counters and metrics of passes. Owned; begin with all zero. */
struct pp_pass_counters {
    char *name[PP_PASS_COUNTERS]; /**< of columns of passes.csv */
    size_t len;
    struct pp_saved_sum *sum; /**< [pass * PP_PASS_COUNTERS + counter], without first frames */
    size_t passes;            /**< of rec->pass, from the first on */
};

/**
 * Add up the counters of the first passes of a session.
 *
 * @param rec  Read from a directory. The sums are of its passes until it shows another surface.
 * @param most Passes at most.
 * @param ret  Call pp_pass_counters_finish() whatever is returned.
 * @retval 0   Read, or there is no such file: level `frame`.
 * @retval -ENOMEM, or as pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_pass_counters_read(const struct pp_saved_session *rec, size_t most,
                                                              struct pp_pass_counters *ret);

/** Free everything; the struct is all zero then. */
void pp_pass_counters_finish(struct pp_pass_counters *counters);

#endif
