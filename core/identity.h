/** @file
 * Room: stable ids. The same piece of work gets the same id in the next frame and in the next run: from its
 * label path, else from its target's attachments (not their sizes, which a resize changes) and pipeline, and
 * from its ordinal among equals in the frame. Collector thread only. */
#ifndef PP_CORE_IDENTITY_H
#define PP_CORE_IDENTITY_H

#include "core/report/writer.h"

/** Give every pass and every piece of work of the frame its id. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_identity_assign(struct pp_session *session,
                                                           struct pp_frame_row *frame);

#endif
