/** @file
 * Readback of indirect arguments, which command buffers copied to staging memory (record/indirect.h). The
 * submitting thread uses it, except for pp_indirect_readback_retire(). See also readback.h. */
#ifndef PP_LAYER_READBACK_INDIRECT_READBACK_H
#define PP_LAYER_READBACK_INDIRECT_READBACK_H

#include "layer/readback/readback.h"

/** Add a command buffer's copies to a readback. @param ret_base Offset of its arguments in the readback.
 * @retval 0. @retval -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_indirect_readback_emit(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb, uint32_t *ret_base);

/**
 * Note that action @p from of a command buffer became action @p to of the batch.
 *
 * @param io_next First argument that may belong to this action.
 * @retval 0.
 * @retval -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_indirect_readback_emit_action(struct pp_vk_readback *readback,
                                                                         const struct pp_cmdbuf *cb,
                                                                         uint32_t from, uint32_t to,
                                                                         uint32_t base, uint32_t *io_next);

/** Record the copies of a readback's arguments to CPU memory. */
void pp_indirect_readback_record(const struct pp_vk_device_next *next, const struct pp_vk_readback *readback);

/** Fill a readback's available arguments in. Any thread. */
void pp_indirect_readback_retire(struct pp_vk_readback *readback);

/** Free a readback's memory for indirect arguments. */
void pp_indirect_readback_free(struct pp_vk_readback *readback);

#endif
