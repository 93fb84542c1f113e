/** @file
 * Call stacks in a trace of Perfetto: each stack, function and file is written once, in front of the first
 * event that names it. */
#ifndef PP_CLI_TRACE_PERFETTO_STACKS_H
#define PP_CLI_TRACE_PERFETTO_STACKS_H

#include <stdbool.h>

#include "cli/symbols/call_stacks.h"
#include "cli/trace/protobuf.h"

/** What was written of call stacks. Begin with pp_perfetto_stacks_begin(). */
struct pp_perfetto_stacks {
    const struct pp_call_stacks *stacks; /**< borrowed */
    bool *stack, *address, *module;      /**< was it written? By index; owned */
};

/** Begin. @retval 0, -ENOMEM: pp_perfetto_stacks_finish() must be called in any case. */
__attribute__((warn_unused_result)) int pp_perfetto_stacks_begin(const struct pp_call_stacks *stacks,
                                                                 struct pp_perfetto_stacks *ret);

/** Free everything. */
void pp_perfetto_stacks_finish(struct pp_perfetto_stacks *of);

/** Write a stack with its functions and files into an open message InternedData. */
void pp_perfetto_stacks_write(struct pp_perfetto_stacks *of, uint64_t id, struct pp_protobuf *out);

/** The number under which a stack was written; 0: there is no such stack. */
uint64_t pp_perfetto_stacks_iid(const struct pp_perfetto_stacks *of, uint64_t id);

#endif
