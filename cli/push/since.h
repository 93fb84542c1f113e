/** @file
 * A point in time that the user writes: a date, a date with a time, or how long ago. */
#ifndef PP_CLI_PUSH_SINCE_H
#define PP_CLI_PUSH_SINCE_H

#include <stdint.h>
#include <time.h>

/**
 * Read a time: 2026-01-31, 2026-01-31T23:59, 2026-01-31T23:59:59 (UTC), or 90m, 12h, 7d ago.
 *
 * @param now     Time of day.
 * @param ret_ns  Nanoseconds since 1970; not negative.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_since_read(const char *text, time_t now, int64_t *ret_ns);

#endif
