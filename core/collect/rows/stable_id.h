/** @file
 * Stable ids of passes and of actions. An id is made from the label path, else from the attachments of the
 * target (not their sizes, which a resize changes), from the pipeline, and from an ordinal among equals. The
 * alignment with the frames before decides which ordinal it is, so that the same action keeps its id when
 * others come and go. In the first frame, and so in the next run, it is the place among equals.
 *
 * The alignment is as diff aligns lines: an inserted or removed item (pass or action) does not shift the
 * others. It knows only hashes of items.
 *
 * Ids depend on the frames before. So the ids of a frame can be saved, for rows that are made again later
 * (--keep-slower-than). Collector thread only. */
#ifndef PP_CORE_COLLECT_ROWS_STABLE_ID_H
#define PP_CORE_COLLECT_ROWS_STABLE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/session_private.h"
#include "core/model/row.h"

/** An item that is missing in this many consecutive frames is forgotten. Another item may then get its id. */
#define PP_ALIGN_FRAMES 256U

/** Hashes that identify an item, from the weakest to the strongest. A hash of 0 has no special meaning. */
enum pp_align_key {
    PP_ALIGN_SIGNATURE, /**< what the id is made from: label path, call, pipeline; the same in every run */
    PP_ALIGN_COUNTS, /**< signature and counts: vertices, instances; of a pass its commands and its target */
    PP_ALIGN_RESOURCE, /**< signature and the resource that it uses, such as a texture; of a pass its target
                        */
    PP_ALIGN_LOOK,     /**< these two; of a pass also what it clears, and the program of its first draw */
    PP_ALIGN_EXACT,    /**< all of the above */
    PP_ALIGN_KEYS
};

/** An item of a frame. */
struct pp_align_item {
    uint64_t key[PP_ALIGN_KEYS]; /**< input */
    uint64_t id;                 /**< output */
    uint32_t missing;            /**< consecutive frames without the item; 0 if the last frame has it */
    bool by_place; /**< output: only its place distinguishes the item from others with the same signature */
};

struct pp_align_slot;

/** The items of the last frames, in order. Zero it first. */
struct pp_align {
    struct pp_align_item *kept;
    struct pp_align_item *merged; /**< scratch: the next `kept` */
    uint32_t *scratch;            /**< see stable_id.c */
    struct pp_align_slot *slot;   /**< hash table, at most half full */
    uint32_t count;               /**< items in kept */
    uint32_t kept_cap;
    uint32_t merged_cap;
    uint32_t scratch_cap;
    uint32_t slots;
    uint32_t stamp; /**< slots with this stamp are in use */
};

/**
 * Give every item of the next frame its id. Ids are unique in the frame: the first item with a signature that
 * is new has the signature as its id, others a hash of it and of the smallest ordinal that no kept item has.
 * Costs time in proportion to the items of the frame and the items that are kept.
 *
 * @param item  The frame's items in order; id, missing and by_place are filled in.
 * @retval 0       Done.
 * @retval -ENOMEM No memory; the frame's items have no ids, what is kept is unchanged.
 */
__attribute__((warn_unused_result)) int pp_align_frame(struct pp_align *align, struct pp_align_item *item,
                                                       uint32_t count);

/** The id of the item with this signature and ordinal. */
uint64_t pp_align_id(uint64_t signature, uint32_t ordinal);

/** Free the memory of the alignment. The struct is all zero afterwards. */
void pp_align_finish(struct pp_align *align);

#define PP_STABLE_ID_KNOWN 1024U

/** Timelines whose last frames are kept. */
#define PP_STABLE_ID_SERIES 16U

/** A key that was computed before. Interned ids never change their meaning, so it holds for the process. */
struct pp_stable_id_known {
    uint64_t pass; /**< of an action: id of its pass; of a pass: its kind */
    uint32_t part[3];
    uint32_t kind; /**< 0: free */
    uint64_t key;
};

/** State of one timeline: its last frames. */
struct pp_stable_id_series {
    const struct pp_timeline *timeline; /**< compared by address only */
    uint64_t used;                      /**< pp_stable_ids.frames at its last frame; 0: free */
    struct pp_align passes;
    struct pp_align actions;
};

/** State of all timelines. Zero it first. */
struct pp_stable_ids {
    struct pp_stable_id_series series[PP_STABLE_ID_SERIES];
    struct pp_stable_id_series rest; /**< actions of no frame; nothing is kept of them */
    uint64_t frames;                 /**< frames with ids so far */
    struct pp_align_item *item;      /**< scratch */
    uint32_t item_cap;
    struct pp_stable_id_known *known; /**< PP_STABLE_ID_KNOWN keys; a slot has its newest one */
};

/** Give every pass and every action of the frame its id. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_stable_id_assign(struct pp_stable_ids *identity, struct pp_session *session, struct pp_frame_row *frame);

/** Free the memory of the ids. The struct is zero afterwards. */
void pp_stable_id_finish(struct pp_stable_ids *identity);

/** Saved ids. All zero: none. */
struct pp_row_ids {
    uint64_t *id;      /**< of the passes, then of the actions; owned */
    uint8_t *by_place; /**< as in pp_pass_row, likewise; in the memory of id */
    size_t count;
};

/** Save the ids of all passes and actions. @retval 0, -ENOMEM: none are saved. */
__attribute__((warn_unused_result)) int pp_row_ids_save(struct pp_row_ids *ids,
                                                        const struct pp_frame_row *frame);

/** Give saved ids to rows that were made from the same batches. */
void pp_row_ids_restore(const struct pp_row_ids *ids, struct pp_frame_row *frame);

/** Free the ids. The struct is all zero afterwards. */
void pp_row_ids_finish(struct pp_row_ids *ids);

#endif
