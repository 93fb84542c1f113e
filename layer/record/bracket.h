/** @file
 * Brackets in a command buffer: timestamps, statistics queries, barriers. See also record.h and query_pool.h.
 */
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

#endif
