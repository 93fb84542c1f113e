/** @file
 * Ends the wait of a thread in a driver that waits for counter reports which never come (report_wait.h). Mesa
 * reads the i915-perf stream until it has a report that is young enough. If the stream has none, the thread
 * does not come back. The collector then stops the stream: the kernel refuses to read a stopped stream, and
 * Mesa ends its loop. */
#ifndef PP_HOOKS_MEASURE_REPORT_WATCH_H
#define PP_HOOKS_MEASURE_REPORT_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/watch.h"
#include "hooks/base/measured.h"

struct pp_session;

/** Have the collector of @p session watch the questions. Call it once. @p watch lives as long as the process.
 */
void pp_gl_report_watch_start(struct pp_gl_report_watch *watch, struct pp_session *session);

/** The calling thread will ask the driver. Finds the driver's stream; where /proc cannot be read, or after
 * the application has set a seccomp filter, the question is not watched. Any thread. */
void pp_gl_report_watch_begin(struct pp_gl_report_watch *watch);

/** The driver has answered. @return true: only because the stream was stopped, so the answer is worth
 * nothing.
 */
bool pp_gl_report_watch_end(struct pp_gl_report_watch *watch);

#endif
