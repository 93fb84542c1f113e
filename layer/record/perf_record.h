/** @file
 * Counters of a command buffer: the queries that the recording thread begins and ends. See also perf.h. */
#ifndef PP_LAYER_RECORD_PERF_RECORD_H
#define PP_LAYER_RECORD_PERF_RECORD_H

#include "layer/counters/perf.h"

/**
 * Begin a recording.
 *
 * @param flags Usage of the command buffer.
 */
void pp_perf_record_begin(struct pp_cmdbuf *cb, VkCommandBufferUsageFlags flags);

/** End a recording: all commands of the layer are recorded, except the end of a query of the whole command
 * buffer. */
void pp_perf_record_end(struct pp_cmdbuf *cb);

/**
 * Begin a query for a bracket, if no query is active.
 *
 * @param slots Number of views.
 */
void pp_perf_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots);

/** End the active query if it belongs to @p bracket. PP_NO_BRACKET: end any query except that of the whole.
 */
void pp_perf_end(struct pp_cmdbuf *cb, uint32_t bracket);

/** End the query of the whole for good: neither this query nor several queries can contain the next
 * commands. */
void pp_perf_break(struct pp_cmdbuf *cb);

/** End the query of the whole, because it cannot contain the next commands. pp_perf_resume() may begin
 * another one. Call this at the place (inside or outside of a subpass) where the active query began. */
void pp_perf_pause(struct pp_cmdbuf *cb);

/** Continue to count with another query of the whole. The query ends at pp_perf_pause(), or in a subpass at
 * pp_perf_leave(). */
void pp_perf_resume(struct pp_cmdbuf *cb);

/** End the part of the whole that began in the subpass which ends now. */
void pp_perf_leave(struct pp_cmdbuf *cb);

/** Free the memory of @p perf, after pp_perf_release(). */
void pp_perf_free(struct pp_perf_cmdbuf *perf);

#endif
