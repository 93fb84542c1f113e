/** @file
 * Names that user metrics (`--metrics`) may use in a session: columns of the CSV files. This is a separate
 * file so that the command checks a metrics file with the same code as the application's process. This file
 * knows no graphics API. */
#ifndef PP_CORE_CONFIG_USER_METRIC_NAMES_H
#define PP_CORE_CONFIG_USER_METRIC_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "counters/user_metrics/metrics_file.h"

/** Columns in addition to the counters. In a CSV file without such a column, its values are missing. */
enum pp_user_metrics_input {
    PP_USER_METRIC_FRAME_TIME,
    PP_USER_METRIC_CPU_BUSY,
    PP_USER_METRIC_CPU_WAIT,
    PP_USER_METRIC_GPU_LATENCY,
    PP_USER_METRIC_GPU_TIME,
    PP_USER_METRIC_GPU_BUSY,
    PP_USER_METRIC_GPU_WAIT,
    PP_USER_METRIC_PASSES,
    PP_USER_METRIC_DRAWS,
    PP_USER_METRIC_DISPATCHES,
    PP_USER_METRIC_COPIES,
    PP_USER_METRIC_PIPELINES,
    PP_USER_METRIC_PIPELINE_TIME,
    PP_USER_METRIC_WIDTH,
    PP_USER_METRIC_HEIGHT,
    PP_USER_METRIC_LAYERS,
    PP_USER_METRIC_SAMPLES,
    PP_USER_METRIC_VERTICES,
    PP_USER_METRIC_INSTANCES,
    PP_USER_METRIC_GROUPS,
    PP_USER_METRIC_FIXED
};

#define PP_USER_METRIC_MAX_COUNTERS 1024U
#define PP_USER_METRIC_MAX          2048U

/** A counter of the session. */
struct pp_user_metrics_counter {
    const char *name;
    enum pp_metric_type type;
};

/** The names as inputs of formulas: the fixed ones, the session's counters, then names that are known but not
 * measured. The last are statistics that were not requested, and counters of Mali GPUs. So one file serves
 * sessions and `passprobe decode`. */
struct pp_user_metrics_names {
    struct pp_metric_input input[PP_USER_METRIC_MAX];
    char statistic[PP_PIPELINE_STATISTICS][80];
    size_t inputs;
    size_t measured; /**< of them fixed ones and counters; they come first */
};

/** Make the names. @param column,columns The session's counters, borrowed; at most
 * PP_USER_METRIC_MAX_COUNTERS. */
void pp_user_metrics_names_make(struct pp_user_metrics_names *names,
                                const struct pp_user_metrics_counter *column, uint32_t columns);

/**
 * Check a metrics file for errors that a session would find. Names of a source that is known only with a
 * device are not checked.
 *
 * @param text  A path, or "generic".
 * @param error Filled on failure.
 * @retval 0, else as pp_metrics_file_open() and pp_metrics_file_compile().
 */
__attribute__((warn_unused_result)) int pp_user_metrics_check(const char *text,
                                                              struct pp_metrics_error *error);

#endif
