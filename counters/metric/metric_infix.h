/** @file
 * Inside of metric.h: the parser of Arm's infix formulas and users' formulas. */
#ifndef PP_COUNTERS_METRIC_METRIC_INFIX_H
#define PP_COUNTERS_METRIC_METRIC_INFIX_H

#include "counters/metric/metric_text.h"

/** Parse a whole formula. @return Its node; PP_NODE_NONE after pp_text_fail() or an error of the graph. */
uint32_t pp_text_parse_infix(struct pp_text *text);

#endif
