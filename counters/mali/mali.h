/** @file
 * What an Arm Mali GPU of the job-manager kind (Bifrost, early Valhall) counted. A dump has blocks of 64
 * words: front end, tiler, L2 slices, shader cores. The meaning of the words is data: counters/gpus/mali and
 * counters/snapshot/layouts/mali.csv. From dumps to sums, from sums to metrics. Knows no graphics API, no
 * file, no thread. */
#ifndef PP_COUNTERS_MALI_MALI_H
#define PP_COUNTERS_MALI_MALI_H

#include "counters/mali/mali_decode.h" /* sums to metrics */
#include "counters/mali/mali_decode.h"
#include "counters/mali/mali_dump.h" /* raw dumps to sums */
#include "counters/mali/mali_dump.h" /* kbase's samples to sums */
#include "counters/mali/mali_gpu.h"  /* GPUs and configurations */

#endif
