/** @file
 * Brackets in a command buffer: timestamps, statistics queries, barriers. See also record.h and query_pool.h.
 *
 * Level frame: a command buffer is measured as a whole, by two timestamps of its own. A submission then needs
 * no command buffers of the layer around the application's, each of which costs several stalls. The first
 * timestamp is before the first command that takes time, the last one at the end of the recording. A
 * command buffer that begins or ends in a suspended pass has none, because nothing may be there. Then the
 * submission writes timestamps around its command buffers (layer/readback/readback.h). */
#ifndef PP_LAYER_RECORD_BRACKET_H
#define PP_LAYER_RECORD_BRACKET_H

#include "layer/record/record.h"

/** The functions that core calls to write brackets into a command buffer. */
extern const struct pp_frontend_ops pp_vk_frontend;

/**
 * Begin a bracket of the primary around a secondary that is executed outside of render passes and measures no
 * times itself.
 *
 * @return PP_NO_BRACKET: no memory.
 */
uint32_t pp_vk_bracket_execution_begin(struct pp_cmdbuf *cb);

/** End the bracket of pp_vk_bracket_execution_begin(), after the secondary was executed. */
void pp_vk_bracket_execution_end(struct pp_cmdbuf *cb, uint32_t bracket);

/** Write a timestamp with a query of this buffer. @return Number of the query; PP_NO_QUERY: none was
 * available. */
uint32_t pp_vk_bracket_write_time(struct pp_cmdbuf *cb, VkPipelineStageFlagBits stage);

/** Begin a statistics query for a bracket, if this buffer has any and none is active. */
void pp_vk_bracket_statistics_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots);

/** End the active statistics query, if one is. */
void pp_vk_bracket_statistics_end(struct pp_cmdbuf *cb);

/**
 * May a command buffer be measured as a whole, at level frame?
 *
 * Not for simultaneous use: it may run again before the results of its last run are read. Not if reading
 * results waits for all submissions (pp_vk_quirks.results_wait): the GPU copies the results then, which needs
 * a command buffer of the layer anyway. Call it at the begin of a recording.
 */
bool pp_vk_whole_allowed(const struct pp_cmdbuf *cb);

/** Write the first timestamp, if the command buffer is measured as a whole and has none. Call it before a
 * command that takes time, outside of render passes. */
void pp_vk_whole_begin(struct pp_cmdbuf *cb);

/** Note that a suspended pass is resumed. If nothing was recorded before, nothing may be written. */
void pp_vk_whole_resume(struct pp_cmdbuf *cb);

/** Write the first timestamp before secondaries are executed, except if one of them suspends or resumes a
 * pass. */
void pp_vk_whole_execute(struct pp_cmdbuf *cb, uint32_t count, const VkCommandBuffer *secondaries);

/** Write the last timestamp, when the recording ends. */
void pp_vk_whole_end(struct pp_cmdbuf *cb);

/**
 * Find the command buffers whose timestamps are the begin and the end of a part of a submission.
 *
 * @param buffers NULL for unknown ones.
 * @return false: there are none, and something else must measure this part.
 */
bool pp_vk_whole_find(struct pp_cmdbuf *const *buffers, uint32_t count, const struct pp_cmdbuf **ret_first,
                      const struct pp_cmdbuf **ret_last);

#endif
