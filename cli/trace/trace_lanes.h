/** @file
 * Puts slices in the order of their begins, and slices that overlap into lanes: tracks on which no slices
 * overlap. Rows of a session come nearly in order. Knows no file. */
#ifndef PP_CLI_TRACE_TRACE_LANES_H
#define PP_CLI_TRACE_TRACE_LANES_H

#include "cli/trace/trace_format.h"

/** Slices that wait for earlier ones, at most. */
#define PP_TRACE_WAITING 65536U

/** Memory of the slices that wait, at most. A row of a session may have thousands of cells. */
#define PP_TRACE_WAITING_BYTES ((size_t)24 << 20)

/** Lanes of a group at most. Slices without a free lane are left out, and counted. */
#define PP_TRACE_LANES 16U

struct pp_trace_waiting;

/** A slice that waits, with what decides its turn. */
struct pp_trace_turn {
    int64_t start_ns;
    uint64_t serial; /**< slices with the same begin keep their order */
    struct pp_trace_waiting *waiting;
};

/** Sizes of memory that is used again. */
#define PP_TRACE_SPARE_SIZES 16U

/** The slices of one group, such as a queue. Begin with sink, data and zeros; pp_trace_lanes_finish(). */
struct pp_trace_lanes {
    /** Takes the slices in order. @param lane From 0. @return 0, -errno. */
    int (*sink)(void *data, unsigned lane, const struct pp_trace_slice *slice);
    void *data;                  /**< for sink(); borrowed */
    struct pp_trace_turn *queue; /**< slices that came in order; owned */
    size_t head, tail, cap;      /**< those that wait: from head to tail */
    struct pp_trace_turn *late;  /**< slices that came after later ones: a heap, the earliest first; owned */
    size_t lates, late_cap;
    size_t bytes; /**< of the slices that wait */
    uint64_t serial;
    struct pp_trace_waiting *spare[PP_TRACE_SPARE_SIZES]; /**< unused memory by size; owned */
    size_t spare_bytes;
    int64_t end_ns[PP_TRACE_LANES]; /**< of the last slice of each lane */
    unsigned lanes;
    uint64_t left_out; /**< slices without a free lane */
};

/** Add a slice; its texts are copied, but for the names of args. Its track does not matter. @retval 0,
 * -ENOMEM, or what sink() returned.
 */
__attribute__((warn_unused_result)) int pp_trace_lanes_add(struct pp_trace_lanes *lanes,
                                                           const struct pp_trace_slice *slice);

/** Give all slices that wait to sink(). @retval 0, or what it returned. */
__attribute__((warn_unused_result)) int pp_trace_lanes_flush(struct pp_trace_lanes *lanes);

/** Free everything. */
void pp_trace_lanes_finish(struct pp_trace_lanes *lanes);

#endif
