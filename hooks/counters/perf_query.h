/** @file
 * Hardware counters of a device: which sources the driver has, and which of the chosen counter sets it
 * accepts. Measures them one bracket at a time. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_QUERY_H
#define PP_HOOKS_COUNTERS_PERF_QUERY_H

#include "hooks/base/perf.h"
#include "hooks/counters/perf_ask.h"

/** Does the driver begin to measure this set? The context must be current. */
bool pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set);

/** A frame begins: take the counter set of @p batch. */
void pp_gl_perf_frame(struct pp_gl_context *ctx, const struct pp_batch *batch);

/** Begin and end the measurement of a bracket. @p action The bracket encloses an action. */
void pp_gl_perf_begin(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number,
                      bool action);
void pp_gl_perf_end(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number);

/** Note that the work of a bracket is not measured, because the driver would measure other work. */
void pp_gl_perf_skip(const struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket);

/** Measure none of the device's sets any more, and report @p reason for their events. */
void pp_gl_perf_give_up(struct pp_gl_device *device, const char *reason);

/** Work of others overlapped with this bracket: values that count the whole GPU are lost. */
void pp_gl_perf_overlapped(struct pp_gl_context *ctx, uint32_t number);

/** End the measurement that runs, without a result: the application needs the hardware, or profiling stops.
 */
void pp_gl_perf_stop(struct pp_gl_context *ctx);

/** Is this bracket's result available? True if the bracket has none. Call it between pp_gl_perf_keep_error()
 * and pp_gl_perf_drop_error(). */
bool pp_gl_perf_available(struct pp_gl_context *ctx, const struct pp_gl_perf_bracket *bracket);

/** Read a bracket's results into its row and statuses. A result that is not available is lost. Call it
 * between pp_gl_perf_keep_error() and pp_gl_perf_drop_error(). */
void pp_gl_perf_read(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Mark a bracket's results as lost; its objects are not used again. */
void pp_gl_perf_lose(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Free the memory. The driver frees the objects with the context. */
void pp_gl_perf_state_finish(struct pp_gl_perf_state *state);

/** Move an error from the driver to where pp_gl_get_error() returns it to the application. @return true:
 * there was one. */
bool pp_gl_perf_keep_error(struct pp_gl_context *ctx);

/** Clear errors that calls of passprobe left since pp_gl_perf_keep_error(). */
void pp_gl_perf_drop_error(void);

/** Is @p name the name of an object of passprobe? @p i Index in device->perf: 0 query, 1 monitor. */
bool pp_gl_perf_is_of_passprobe(const struct pp_gl_context *ctx, uint32_t i, GLuint name);

/** Hook of glGetError, which entry_points.txt names: returns an error that was taken from the driver first.
 */
GLenum pp_gl_get_error(struct pp_gl_context *ctx, GLenum (*real)(void));

/** Ask for the counter sources that the session wants. Call it before the device is announced. */
void pp_gl_perf_find(struct pp_gl_context *ctx, const struct pp_config *config, struct pp_gl_perf *perf);

/** Take over what core planned, and try each set once. Call it after the device was announced. */
void pp_gl_perf_plan(struct pp_gl_device *device);

/** Report for each event of counter set @p set why it is not measured. @p counter Index of the source among
 * those of the device. */
void pp_gl_perf_report_refused(const struct pp_gl_perf *perf, struct pp_gl_device *device, uint32_t counter,
                               uint32_t set, const char *reason);

/* Measures with both extensions: objects, begin, end, results. The shim's part only; the command asks and
 * never measures. See also perf.h. */

/** Fill in the functions of the current context, which is @p ctx. */
void pp_gl_perf_driver_api(const struct pp_gl_context *ctx, struct pp_gl_perf_api *ret);

#endif
