/** @file
 * Performance monitors and queries by hand, one a pass: the extensions' bare calls, as few as there can be.
 */
#ifndef BENCH_LOAD_GL_PERF_H
#define BENCH_LOAD_GL_PERF_H

#include <stdbool.h>
#include <stdint.h>

/** Make what measures LOAD_PASSES_MAX passes of @p frames frames: two counters of the first group, or the
 * first query. @return -1 the driver lacks it. */
int load_perf_create(bool amd, unsigned frames);

/** Begin to measure a pass; with @p reused, read what the same slot measured before. @return Some of it. */
uint64_t load_perf_begin(unsigned slot, unsigned pass, bool reused);
void load_perf_end(unsigned slot, unsigned pass);

#endif
