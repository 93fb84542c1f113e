/** @file
 * Facts about a list of command buffers that need no flattening: what they contain, and which labels they
 * leave open. See also flatten.h. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_SUM_H
#define PP_LAYER_SUBMIT_FLATTEN_SUM_H

#include "layer/base/cmdbuf.h"

/** Sum of what a list of command buffers contains. */
struct pp_flatten_sum {
    bool has_passes;  /**< passes were recorded */
    bool has_actions; /**< passes other than those of barriers were recorded */
    bool queries;     /**< passes with queries that a submission must reset */
    bool collapse;    /**< only the whole list can have a bracket */
    bool left_out;    /**< some passes have no brackets, as in frames that are left out */
};

/** Find out what command buffers contain, before they are flattened. @param level Level of the open frame. */
void pp_flatten_look(struct pp_cmdbuf *const *buffers, uint32_t count, enum pp_level level,
                     struct pp_flatten_sum *ret_sum);

/** Find the labels that are open after some command buffers. @param buffers NULL for unknown ones. */
void pp_flatten_labels(struct pp_session *session, struct pp_cmdbuf *const *buffers, uint32_t count,
                       struct pp_vk_labels *io_open);

#endif
