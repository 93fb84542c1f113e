/** @file
 * Room: many snapshots of one layout at once. Fields of one shape that lie side by side, as counters do, form
 * a run; a run is decoded by one vectorised loop over a snapshot, and a handful of snapshots is turned into
 * columns while it is in the first-level cache. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_SNAPSHOT_LAYOUT_COLUMNS_H
#define PP_COUNTERS_SNAPSHOT_LAYOUT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

/** How the fields of a run lie: each has a loop of its own. */
enum pp_layout_shape {
    PP_LAYOUT_OTHER, /**< anything; read by pp_field_read() */
    PP_LAYOUT_U32,   /**< free-running 32-bit words, one behind the other */
    PP_LAYOUT_U40,   /**< the same with high bytes, one behind the other as well */
    PP_LAYOUT_U64,   /**< free-running 64-bit words, one behind the other */
};

/** Neighbouring fields of one shape. */
struct pp_layout_run {
    uint32_t field;  /**< first field of the layout */
    uint32_t fields; /**< how many, field after field */
    uint32_t column; /**< column of the first; the others follow */
    uint8_t shape;   /**< enum pp_layout_shape */
};

/** Which fields of a layout become which columns. The caller provides run[]. */
struct pp_layout_plan {
    const struct pp_layout *layout;
    struct pp_layout_run *run; /**< room for layout->fields */
    uint32_t runs;
    uint32_t columns;
};

/**
 * Plan the decoding of the fields that are wanted. Fields between two wanted ones of a run come along: that
 * is cheaper than leaving them out.
 *
 * Ownership: plan->run is the caller's, set before the call; *plan borrows @p layout. Threads: any.
 *
 * @param layout pp_layout_check() must hold.
 * @param wanted layout->fields answers, 0 or not.
 * @param plan   Filled, but for run.
 */
void pp_layout_plan(const struct pp_layout *layout, const uint8_t *wanted, struct pp_layout_plan *plan);

/** Column of a field; -ENOENT when it is not in the plan. */
int64_t pp_layout_plan_column(const struct pp_layout_plan *plan, uint32_t field);

/** Bytes of scratch memory pp_layout_plan_decode() needs, 64-byte aligned. */
size_t pp_layout_plan_scratch_bytes(const struct pp_layout_plan *plan);

/** Snapshots in memory: pair i is (begin + i * begin_stride, end + i * end_stride). A stream of n reports,
 * each of which ends what the one before began, is n - 1 pairs with end = begin + size. */
struct pp_snapshot_pairs {
    const uint8_t *begin; /**< NULL only if no planned field is PP_FIELD_WRAPS */
    size_t begin_stride;
    const uint8_t *end;
    size_t end_stride;
    size_t pairs;
    size_t following; /**< pairs that lie behind these and come next: read ahead, but not decoded */
};

/**
 * Differences of all planned fields over many pairs of snapshots, as columns: what pp_layout_delta() gives, a
 * pair a row. Statuses are not given; whoever plans fields that saturate compares with all ones.
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
