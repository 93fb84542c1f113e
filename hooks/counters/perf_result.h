/** @file
 * Parses results of performance monitors and performance queries. The bytes come from a driver: whatever they
 * are, only the row is written. Knows no OpenGL. */
#ifndef PP_HOOKS_COUNTERS_PERF_RESULT_H
#define PP_HOOKS_COUNTERS_PERF_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "hooks/base/perf.h"

/** Bytes of a monitor's result with these values: each has group, counter and value. */
uint32_t pp_gl_perf_monitor_bytes(const struct pp_gl_perf_want *want, uint32_t wants);

/** Parse a monitor's result: triples in any order. @p row Has 8 * wants bytes, and is changed even on
 * failure. @retval 0 Each value was there once. @retval -EBADMSG The result is not valid. */
__attribute__((warn_unused_result)) int pp_gl_perf_monitor_parse(const struct pp_gl_perf_want *want,
                                                                 uint32_t wants, const uint8_t *data,
                                                                 size_t size, uint8_t *row);

/** Parse a performance query's result, which is a structure. @retval 0 Done. @retval -EBADMSG The result is
 * too short. */
__attribute__((warn_unused_result)) int pp_gl_perf_query_parse(const struct pp_gl_perf_want *want,
                                                               uint32_t wants, const uint8_t *data,
                                                               size_t size, uint8_t *row);

#endif
