/** @file
 * Names of functions that a just-in-time compiler of the application made: it may leave them in
 * /tmp/perf-PID.map, as perf expects it. Reads a file that others may have written. */
#ifndef PP_CLI_SYMBOLS_PERF_MAP_H
#define PP_CLI_SYMBOLS_PERF_MAP_H

#include "cli/symbols/call_stacks.h"

/** When a map of a session was written last, in seconds since 1970. NaN: not known, and no map is read. */
struct pp_map_time {
    double from_s, to_s;
};

/**
 * Name the addresses that are in no module. Only a regular file that belongs to this user or to root is read,
 * and only if it was written while the session was recorded. Where there is none, nothing changes.
 *
 * @param folder "/tmp".
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_perf_map_read(struct pp_call_stacks *stacks, const char *folder,
                                                         long pid, const struct pp_map_time *time);

/** Name the addresses by the lines of a map. @param text NUL-terminated; is changed. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_perf_map_apply(struct pp_call_stacks *stacks, char *text);

#endif
