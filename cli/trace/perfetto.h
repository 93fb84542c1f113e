/** @file
 * Traces of Perfetto: what ui.perfetto.dev and trace_processor read. */
#ifndef PP_CLI_TRACE_PERFETTO_H
#define PP_CLI_TRACE_PERFETTO_H

#include <stdio.h>

#include "cli/symbols/call_stacks.h"
#include "cli/trace/trace_format.h"

/**
 * Write a trace of Perfetto to a stream.
 *
 * @param out    Borrowed until the format is destroyed.
 * @param stacks The session's call stacks; borrowed, too. Without stacks where it has none.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int
pp_trace_perfetto_create(FILE *out, const struct pp_call_stacks *stacks, struct pp_trace_format **ret);

#endif
