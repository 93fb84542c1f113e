/** @file
 * Names and lines of functions that a just-in-time compiler of the application made. It may leave them in
 * /tmp/perf-PID.map, as perf expects it, or in a file jit-PID.dump, as `perf inject --jit` expects it. Others
 * may have written files of these names. */
#ifndef PP_CLI_SYMBOLS_JIT_SYMBOLS_H
#define PP_CLI_SYMBOLS_JIT_SYMBOLS_H

#include <stddef.h>

#include "cli/symbols/call_stacks.h"

/** When a file of a session was written last, in seconds since 1970. NaN: not known, and no file is read. */
struct pp_jit_time {
    double from_s, to_s;
};

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

/** Name the addresses that are in no module by the file of a process in a folder. Where there is none,
 * nothing changes. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_jit_dump_read(struct pp_call_stacks *stacks, const char *folder,
                                                         long pid, const struct pp_jit_time *time);

/** Name the addresses by the records of a file. Reading ends at the first wrong record. @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_jit_dump_apply(struct pp_call_stacks *stacks, const char *bytes,
                                                          size_t len);

#endif
