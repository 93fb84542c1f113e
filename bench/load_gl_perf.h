/** @file
 * Performance monitors and queries by hand, one for each pass, with the fewest possible calls. */
#ifndef BENCH_LOAD_GL_PERF_H
#define BENCH_LOAD_GL_PERF_H

#include <stdbool.h>
#include <stdint.h>

/** Make monitors or queries for LOAD_PASSES_MAX passes of @p frames frames: two counters of the first group,
 * or the first query. @return -1: the driver lacks it. */
int load_perf_create(bool amd, unsigned frames);

/** Begin to measure a pass; with @p reused, read the earlier result of the same slot. @return A part of the
 * result. */
uint64_t load_perf_begin(unsigned slot, unsigned pass, bool reused);
void load_perf_end(unsigned slot, unsigned pass);

#endif
