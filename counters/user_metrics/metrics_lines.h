/** @file
 * For metrics_file.c only: the grammar of the lines of a metrics file. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_LINES_H
#define PP_COUNTERS_USER_METRICS_METRICS_LINES_H

#include "counters/user_metrics/metrics_parts.h"

/** Read the lines of file->cells into sections, entries and counters. @retval 0, -EINVAL, -ENOMEM. */
int pp_metrics_parse_lines(struct pp_metrics_file *file, struct pp_metrics_error *error);

#endif
