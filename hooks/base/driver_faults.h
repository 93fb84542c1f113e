/** @file
 * Known faults and habits of OpenGL drivers: a table by renderer and Mesa's version. This file knows
 * strings and no context. Faults of GL_AMD_performance_monitor are in hooks/counters/perf_ask.c. */
#ifndef PP_HOOKS_BASE_DRIVER_FAULTS_H
#define PP_HOOKS_BASE_DRIVER_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/** What passprobe must do, or must not do, on a driver. */
struct pp_gl_driver_faults {
    /** A query after a dispatch hangs unless the dispatch was flushed. */
    bool flush_dispatches;
    /** Dispatches run in another queue than draws and queries: their times cannot be measured there. */
    bool dispatches_apart;
    /** Asking for a result of hardware counters waits until the kernel delivered the counters' reports. */
    bool waits_for_reports;
    /** With waits_for_reports: the driver makes the kernel deliver a report every N milliseconds. 0:
     * there are reports at each change of the context, too. */
    uint32_t report_period_ms;
};

/** Find the rows of the table for a driver. @p vendor GL_VENDOR, @p renderer GL_RENDERER, @p version
 * GL_VERSION. A pure function; any thread. */
struct pp_gl_driver_faults pp_gl_driver_faults_of(const char *vendor, const char *renderer,
                                                  const char *version);

#endif
