/** @file
 * From recorded command buffers to one batch: programs are joined in submission order, secondaries
 * where they were executed, suspended passes with what resumes them, and every bracket learns where its
 * results will land. See also slot.h. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_H
#define PP_LAYER_SUBMIT_FLATTEN_H

#include "layer/record/record.h"
#include "layer/submit/readback.h"

/** A bracket of a command buffer as one of the batch. */
struct pp_replay_cpu {
    struct pp_cmdbuf *cb;
    uint32_t from, to;
};

/** Paths that were joined lately, by a hash of what they were joined from. */
#define PP_REPLAY_JOINS 32U

/** A path inside another. */
struct pp_replay_join {
    pp_label_id outer, inner, region; /**< inner 0: none yet */
    pp_label_id joined;
};

/** Scratch memory of replays, a queue's own. All zero is empty. */
struct pp_replay {
    struct pp_replay_join join[PP_REPLAY_JOINS];
    uint32_t *map; /**< bracket of a command buffer -> of the batch; a stack over nested buffers */
    uint32_t maps, map_cap;
    struct pp_replay_cpu *cpu; /**< what recording cost, until the batch has room for it */
    uint32_t cpus, cpu_cap;
};

/** What a list of command buffers is made of. */
struct pp_replay_sum {
    bool action;   /**< passes were recorded */
    bool queries;  /**< with queries in them that a submission has to reset */
    bool collapse; /**< only the whole can be bracketed */
    bool left_out; /**< some passes have no brackets, as in frames that are left out */
};

/** Look before replaying. @p level the open frame's. */
void pp_replay_look(struct pp_cmdbuf *const *buffers, uint32_t count, enum pp_level level,
                    struct pp_replay_sum *ret_sum);

/**
 * Fill slot->batch (may be NULL: queries are only kept reset) and the slot's lists. The batch may take the
 * program of a command buffer that is submitted once; it has the batch's then, until pp_replay_undo().
 *
 * @param open     Labels that are open on the queue in front.
 * @param collapse One pass of kind FRAME with the slot's own timestamps, instead of the recorded passes.
 * @retval 0. @retval -ENOMEM the batch is incomplete and must be cancelled.
 */
__attribute__((warn_unused_result)) int pp_replay(struct pp_replay *replay, struct pp_vk_queue *queue,
                                                  struct pp_vk_slot *slot, struct pp_cmdbuf *const *buffers,
                                                  uint32_t count, const struct pp_vk_labels *open,
                                                  bool collapse);

/** Which labels are open behind some command buffers. @param buffers NULL where they are not known. */
void pp_replay_labels(struct pp_session *session, struct pp_cmdbuf *const *buffers, uint32_t count,
                      struct pp_vk_labels *io_open);

/** The slot was not submitted: its command buffer may be submitted again. */
void pp_replay_undo(struct pp_vk_slot *slot);

/** Free the scratch memory. */
void pp_replay_finish(struct pp_replay *replay);

#endif
