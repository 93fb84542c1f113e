/** @file
 * Keeps the application's thread from waiting in a driver that waits for the kernel's counter reports
 * (pp_gl_driver_faults.waits_for_reports). Mesa's Intel drivers deliver a result of hardware counters only
 * when the i915-perf stream has a report that is younger than the result, and read the stream in a loop until
 * then. The kernel passes reports on every 5 ms. So results are asked for when they are old enough, many at
 * once: the first question reads the reports for all of them. Where only the kernel's timer makes reports
 * (pp_gl_driver_faults.report_period_ms), that is later by the timer's period. See also retire.h.
 *
 * Ends the wait of a thread in a driver that waits for counter reports which never come. Mesa
 * reads the i915-perf stream until it has a report that is young enough. If the stream has none, the thread
 * does not come back. The collector then stops the stream: the kernel refuses to read a stopped stream, and
 * Mesa ends its loop. */
#ifndef PP_HOOKS_MEASURE_REPORT_WAIT_H
#define PP_HOOKS_MEASURE_REPORT_WAIT_H

#include <pthread.h>
#include <stdatomic.h>
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

struct pp_gl_context;
struct pp_gl_device;
struct pp_gl_readback;
struct pp_session;

/** Prepare a device whose driver waits for reports. */
void pp_gl_report_wait_start(struct pp_gl_device *device, struct pp_session *session);

/** Can the driver deliver the counters of this readback at once? True on drivers that do not wait. The
 * queries of the readback are available. */
bool pp_gl_report_wait_is_over(struct pp_gl_context *ctx, struct pp_gl_readback *readback);

/** How long after the end of its work a result of hardware counters can be asked for, in nanoseconds. 0 on
 * drivers that do not wait. */
uint64_t pp_gl_report_wait_age_ns(const struct pp_gl_device *device);

/** Have results of hardware counters been given up on this device? */
bool pp_gl_report_wait_gave_up(const struct pp_gl_context *ctx);

/** Note when the queries of waiting readbacks became available. Call it before results are read. */
void pp_gl_report_wait_look(struct pp_gl_context *ctx);

/** Is the last bracket's result available? Like pp_gl_perf_available(), but if the driver waited, results
 * must be older from now on, and after some waits none is asked for any more. If the wait had to be ended,
 * @p readback->perf_lost is set. */
bool pp_gl_report_wait_ask(struct pp_gl_context *ctx, struct pp_gl_readback *readback);

#endif
