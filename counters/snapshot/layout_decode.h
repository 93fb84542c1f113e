/** @file
 * Decoding many snapshots of one layout at once, by a plan of layout_columns.h. Knows no graphics API, no
 * file, no thread. */
#ifndef PP_COUNTERS_SNAPSHOT_LAYOUT_DECODE_H
#define PP_COUNTERS_SNAPSHOT_LAYOUT_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout_columns.h"

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
