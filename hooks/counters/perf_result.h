/** @file
 * Results of performance monitors and queries, taken apart. The bytes are a driver's: whatever they are, only
 * the row is written. Knows no OpenGL. */
#ifndef PP_HOOKS_COUNTERS_PERF_RESULT_H
#define PP_HOOKS_COUNTERS_PERF_RESULT_H

#include <stddef.h>
#include <stdint.h>

/** Values of one measurement at most. */
#define PP_GL_PERF_WANTS 1024U

/** One value to be found. Its place in the row is 8 times its index. */
struct pp_gl_perf_want {
    uint32_t group;   /**< amd: the group's id */
    uint32_t counter; /**< amd: the counter's id */
    uint32_t offset;  /**< intel: from the start of the result */
    uint32_t bytes;   /**< 4 or 8 */
};

/** Bytes of a monitor's result with these values: group, counter, value each. */
uint32_t pp_gl_perf_monitor_bytes(const struct pp_gl_perf_want *want, uint32_t wants);

/** Take a monitor's result apart, triples in any order. @p row 8 * wants bytes, touched even on failure.
 * @retval 0 each was there once. @retval -EBADMSG else. */
__attribute__((warn_unused_result)) int pp_gl_perf_monitor_parse(const struct pp_gl_perf_want *want,
                                                                 uint32_t wants, const uint8_t *data,
                                                                 size_t size, uint8_t *row);

/** The same for a query's result, a structure. @retval -EBADMSG it is too short. */
__attribute__((warn_unused_result)) int pp_gl_perf_query_parse(const struct pp_gl_perf_want *want,
                                                               uint32_t wants, const uint8_t *data,
                                                               size_t size, uint8_t *row);

#endif
