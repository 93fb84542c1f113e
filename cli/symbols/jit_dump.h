/** @file
 * Names and lines of functions that a just-in-time compiler made: it may leave them in a file jit-PID.dump,
 * as `perf inject --jit` expects it. See also perf_map.h. */
#ifndef PP_CLI_SYMBOLS_JIT_DUMP_H
#define PP_CLI_SYMBOLS_JIT_DUMP_H

#include <stddef.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/jit_file.h"

/** Name the addresses that are in no module by the file of a process in a folder. Where there is none,
 * nothing changes. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_jit_dump_read(struct pp_call_stacks *stacks, const char *folder,
                                                         long pid, const struct pp_jit_time *time);

/** Name the addresses by the records of a file. Reading ends at the first wrong record. @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_jit_dump_apply(struct pp_call_stacks *stacks, const char *bytes,
                                                          size_t len);

#endif
