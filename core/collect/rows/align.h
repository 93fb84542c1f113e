/** @file
 * Alignment of the items (passes or actions) of one frame with those of the frames before, as diff aligns
 * lines: an inserted or removed item does not shift the others. An item that is found again keeps its id.
 * This file knows only hashes of items. Collector thread only. See also stable_id.h, which makes the hashes.
 */
#ifndef PP_CORE_COLLECT_ROWS_ALIGN_H
#define PP_CORE_COLLECT_ROWS_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

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
    uint32_t *scratch;            /**< see align.c */
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

#endif
