/** @file
 * --indirect: the arguments of draws and dispatches that are in GPU memory. A command buffer copies them
 * where copies are allowed: before a dispatch, and after the render pass of a draw. The copies go to staging
 * memory. Each submission then copies them to CPU memory, as it does with query results. Buffers that the
 * application created without transfer-source usage are not copied. See also readback.h. */
#ifndef PP_LAYER_RECORD_INDIRECT_H
#define PP_LAYER_RECORD_INDIRECT_H

#include "layer/base/cmdbuf.h"

struct pp_cmdbuf;
struct pp_vk_readback;
struct pp_action_list;

/** Forget the arguments of the last recording. */
void pp_indirect_reset(struct pp_cmdbuf *cb);

/** Begin to note arguments of a recording, after pp_indirect_reset(), when its level is known. */
void pp_indirect_begin(struct pp_cmdbuf *cb);

/** Record the copies that must be before an indirect command. Only while pp_vk_arglist.on. */
void pp_indirect_before(struct pp_cmdbuf *cb, const struct pp_vk_args *args);

/** Note an indirect command after it was recorded. In a render pass, its arguments will be copied after the
 * pass. */
void pp_indirect_behind(struct pp_cmdbuf *cb, const struct pp_vk_args *args);

/**
 * Reserve staging memory for the arguments of secondaries that are executed.
 *
 * @return Offset of that memory; PP_NO_ARGS: there is none.
 */
uint32_t pp_indirect_execute(struct pp_cmdbuf *cb, const struct pp_cmdbuf *secondary);

/** Record the copies that had to wait for the end of a render pass, or for the end of the recording (@p
 * last). */
void pp_indirect_flush(struct pp_cmdbuf *cb, bool last);

/** Free the arguments of a command buffer whose executions are complete. */
void pp_indirect_free(struct pp_cmdbuf *cb);

#endif
