/** @file
 * Instances of render passes in parts, at level draw. The recording thread uses it. See also split.h.
 */
#ifndef PP_LAYER_SERIALIZE_SPLIT_INSTANCE_H
#define PP_LAYER_SERIALIZE_SPLIT_INSTANCE_H

#include "layer/base/cmdbuf.h"

struct pp_split;

/** At level draw: a render pass follows, in the part that pp_split_cut() has begun. Each of its actions then
 * gets a separate part: an instance of the pass that loads what the instance before stored
 * (split_pass.c). Some passes cannot be split; they stay whole. */
void pp_split_begin_pass(struct pp_cmdbuf *cb);

/** An action of the open render pass follows: the last one of its action list. */
void pp_split_draw(struct pp_cmdbuf *cb);

/** A query of the application begins in the open render pass: what follows belongs to the next action, if the
 * part already has an action. */
void pp_split_query(struct pp_cmdbuf *cb);

/** A render pass has ended: note for its actions whether each had a separate part. If not, report the reason
 * once. */
void pp_split_pass_end(struct pp_cmdbuf *cb);

/** Secondaries are executed: report once what in them cannot be split. */
void pp_split_executed(const struct pp_cmdbuf *cb);

/** Begin another part if the open part already has an action. Call it before something begins that must end
 * in the same part as the next action. NULL is allowed. */
void pp_split_keep_together(struct pp_split *split);

#endif
