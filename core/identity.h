/** @file
 * Room: stable ids. The same piece of work gets the same id in the next frame and in the next run: from its
 * label path, else from its target's attachments (not their sizes, which a resize changes) and pipeline, and
 * from its ordinal among equals in the frame. Collector thread only. */
#ifndef PP_CORE_IDENTITY_H
#define PP_CORE_IDENTITY_H

#include "core/report/writer.h"

#define PP_IDENTITY_KNOWN 1024U

/** How often a key was seen in a frame. */
struct pp_identity_seen {
    uint64_t key;
    uint32_t count;
    uint32_t frame; /**< pp_identity.frame, else the slot is free */
};

/** A key that was worked out before. Interned ids never change their meaning, so it holds for the process. */
struct pp_identity_known {
    uint64_t pass; /**< id of the work's pass; of a pass, its kind */
    uint32_t part[3];
    uint32_t kind; /**< 0: free */
    uint64_t key;
};

/** What is kept from frame to frame. Zero it first. */
struct pp_identity {
    struct pp_identity_seen *seen; /**< open addressing, at most half full */
    size_t slots;
    uint32_t frame;                  /**< grows with every frame; never 0 in one */
    struct pp_identity_known *known; /**< PP_IDENTITY_KNOWN of them; the newest of a slot */
};

/** Give every pass and every piece of work of the frame its id. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_identity_assign(struct pp_identity *identity, struct pp_session *session, struct pp_frame_row *frame);

/** Free the memory behind it; it is all zero afterwards. */
void pp_identity_finish(struct pp_identity *identity);

#endif
