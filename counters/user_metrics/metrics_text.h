/** @file
 * The text of counters/gpus/generic.metrics that tools/gen_text.py generates, for metrics_file.c. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_TEXT_H
#define PP_COUNTERS_USER_METRICS_METRICS_TEXT_H

extern const char pp_metrics_generic_text[]; /**< counters/gpus/generic.metrics */

#endif
