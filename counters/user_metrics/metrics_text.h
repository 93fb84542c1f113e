/** @file
 * What tools/gen_text.py hands to metrics_file.c, and to nobody else. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_TEXT_H
#define PP_COUNTERS_USER_METRICS_METRICS_TEXT_H

extern const char pp_metrics_generic_text[]; /**< counters/gpus/generic.metrics */

#endif
