/** @file
 * The metric language: from counts to metrics. Intel's reverse Polish, Arm's infix and the user's formulas
 * compile to one program of typed column operations, which is evaluated a block of rows at a time. The
 * language, its operators and its rules about zero and missing values: docs/formats/metric-language.md. Knows
 * no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_METRIC_METRIC_H
#define PP_COUNTERS_METRIC_METRIC_H

#include "counters/metric/metric_compile.h" /* formulas to a program */
#include "counters/metric/metric_compile.h" /* questions about a program */
#include "counters/metric/metric_eval.h"    /* a program over columns */
#include "counters/metric/metric_types.h"

#endif
