/** @file
 * Decoding many snapshots of one layout at once. By a plan: neighbouring fields of one shape form a run,
 * which one vectorised loop decodes. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_SNAPSHOT_LAYOUT_DECODE_H
#define PP_COUNTERS_SNAPSHOT_LAYOUT_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

/** How the fields of a run are laid out. Each shape has a loop. */
enum pp_layout_shape {
    PP_LAYOUT_OTHER, /**< any other; read by pp_field_read() */
    PP_LAYOUT_U32,   /**< consecutive free-running 32-bit words */
    PP_LAYOUT_U40,   /**< consecutive free-running 32-bit words, and their high bytes, also consecutive */
    PP_LAYOUT_U64,   /**< consecutive free-running 64-bit words */
};

/** Neighbouring fields of one shape. */
struct pp_layout_run {
    uint32_t field;  /**< first field of the layout */
    uint32_t fields; /**< how many, field after field */
    uint32_t column; /**< column of the first field; the others follow */
    uint8_t shape;   /**< enum pp_layout_shape */
};

/** Which fields of a layout become which columns. The caller provides run[]. */
struct pp_layout_plan {
    const struct pp_layout *layout;
    struct pp_layout_run *run; /**< layout->fields elements */
    uint32_t runs;
    uint32_t columns;
};

/**
 * Plan the decoding of the wanted fields. A few unwanted fields between two wanted ones of a run are decoded,
 * too: this is cheaper than skipping them.
 *
 * Ownership: plan->run is the caller's, set before the call; *plan borrows @p layout. Threads: any.
 *
 * @param layout pp_layout_check() must hold.
 * @param wanted layout->fields answers, 0 or not.
 * @param plan   Filled, except for run.
 */
void pp_layout_plan(const struct pp_layout *layout, const uint8_t *wanted, struct pp_layout_plan *plan);

/** Column of a field; -ENOENT when it is not in the plan. */
int64_t pp_layout_plan_column(const struct pp_layout_plan *plan, uint32_t field);

/** Bytes of scratch memory that pp_layout_plan_decode() needs, 64-byte aligned. */
size_t pp_layout_plan_scratch_bytes(const struct pp_layout_plan *plan);

/** Pairs of snapshots in memory: pair i is (begin + i * begin_stride, end + i * end_stride). A stream of n
 * reports is n - 1 pairs with end = begin + size. */
struct pp_snapshot_pairs {
    const uint8_t *begin; /**< NULL only if no planned field is PP_FIELD_WRAPS */
    size_t begin_stride;
    const uint8_t *end;
    size_t end_stride;
    size_t pairs;
    size_t following; /**< pairs after these that the caller decodes next: prefetched, but not decoded */
};

/**
 * Compute the differences of all planned fields over many pairs of snapshots, as columns: one row per pair,
 * as pp_layout_delta() computes them. Statuses are not computed: for fields that saturate, compare with all
 * ones.
 *
 * Ownership: borrows all, keeps nothing. Threads: any; one @p scratch each. Hot: allocates, locks, logs
 * nothing.
 *
 * @param plan    What to decode.
 * @param pairs   The snapshots.
 * @param value   Column c, row i goes to value[c * stride + i].
 * @param stride  Elements from one column to the next; at least pairs->pairs. A multiple of 512 makes all
 * columns fall into the same few cache sets.
 * @param scratch pp_layout_plan_scratch_bytes(); contents do not matter.
 */
void pp_layout_plan_decode(const struct pp_layout_plan *plan, const struct pp_snapshot_pairs *pairs,
                           uint64_t *value, size_t stride, void *scratch);

#endif
