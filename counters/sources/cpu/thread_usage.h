/** @file
 * What the calling thread used, by two system calls that need no descriptor and no right: its time on a CPU,
 * page faults and context switches. Frames measure it without `-e`; the source "cpu" has the same
 * events, and more, for lists that name them. */
#ifndef PP_COUNTERS_SOURCES_CPU_THREAD_USAGE_H
#define PP_COUNTERS_SOURCES_CPU_THREAD_USAGE_H

#include "counters/snapshot/source.h"

/** A source called "cpu" with these events only. It has no object (self is NULL). Hot: read(). */
extern const struct pp_source_ops pp_thread_usage_ops;

#endif
