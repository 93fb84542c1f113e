/** @file
 * Names of functions that a just-in-time compiler of the application made: it may leave them in
 * /tmp/perf-PID.map, as perf expects it. Reads a file that others may have written. */
#ifndef PP_CLI_SYMBOLS_PERF_MAP_H
#define PP_CLI_SYMBOLS_PERF_MAP_H

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/jit_file.h"

/**
 * Name the addresses that are in no module by the map of a process. Where there is none, nothing changes.
 *
 * @param folder "/tmp".
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_perf_map_read(struct pp_call_stacks *stacks, const char *folder,
                                                         long pid, const struct pp_jit_time *time);

/** Name the addresses by the lines of a map. @param text NUL-terminated; is changed. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_perf_map_apply(struct pp_call_stacks *stacks, char *text);

#endif
