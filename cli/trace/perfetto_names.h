/** @file
 * Names in a trace of Perfetto: a name is written once, and events have its number. */
#ifndef PP_CLI_TRACE_PERFETTO_NAMES_H
#define PP_CLI_TRACE_PERFETTO_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/symbols/text_pool.h"
#include "cli/trace/protobuf.h"

/** Different names at most: a reader holds all of them. Those beyond are written as "(other)". */
#define PP_PERFETTO_NAMES 262144U

/** The number of a name, from 1. @param ret_new Is the name new, so that it must be written? @return 0: no
 * memory. */
uint64_t pp_perfetto_name(struct pp_text_pool *names, const char *name, bool *ret_new);

/** Write a name into an open message InternedData. @param field Kind of the name. @param iid Its number. */
void pp_perfetto_name_write(struct pp_protobuf *out, unsigned field, const struct pp_text_pool *names,
                            uint64_t iid);

#endif
