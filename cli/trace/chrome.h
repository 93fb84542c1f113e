/** @file
 * Traces of Chrome: JSON that Perfetto, Speedscope, Firefox Profiler and Tracy read. */
#ifndef PP_CLI_TRACE_CHROME_H
#define PP_CLI_TRACE_CHROME_H

#include <stdio.h>

#include "cli/symbols/call_stacks.h"
#include "cli/trace/trace_format.h"

/**
 * Write a trace of Chrome to a stream: a list with an event in each line. A file that was cut off is still
 * read.
 *
 * @param out    Borrowed until the format is destroyed.
 * @param stacks The session's call stacks; borrowed, too. Without stacks where it has none.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_trace_chrome_create(FILE *out, const struct pp_call_stacks *stacks,
                                                               struct pp_trace_format **ret);

#endif
