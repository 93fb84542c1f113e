/** @file
 * Joins recorded command buffers into one batch: action lists in submission order, secondaries where they
 * were executed, and suspended passes with what resumes them. Each bracket gets the place of its results.
 * See also readback.h.
 *
 * Facts about a list of command buffers that need no flattening: what they contain, and which labels they
 * leave open.
 *
 * Recorded passes in the batch: as a new pass, or merged into another. Only flatten.c includes this file.
 *
 * The results of a command buffer in a readback: where those of its queries are, and which brackets get them.
 * Only flatten.c includes this file. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_H
#define PP_LAYER_SUBMIT_FLATTEN_H

#include "layer/base/cmdbuf.h"
#include "layer/readback/readback.h"

/** A bracket of a command buffer that has a CPU cost of recording, and the same bracket in the batch. */
struct pp_flatten_cpu {
    struct pp_cmdbuf *cb;
    uint32_t from, to;
    bool repeated; /**< an earlier submission of the recording has taken the cost */
};

/** Paths that were joined recently, by a hash of what they were joined from. */
#define PP_FLATTEN_JOINS 32U

/** A path inside another. */
struct pp_flatten_join {
    pp_label_id outer, inner, region; /**< inner 0: none yet */
    pp_label_id joined;
};

/** Scratch memory for flattening; one for each queue. All zero is empty. */
struct pp_flatten {
    struct pp_flatten_join join[PP_FLATTEN_JOINS];
    uint32_t *map; /**< bracket of a command buffer -> of the batch; a stack over nested buffers */
    uint32_t maps, map_cap;
    struct pp_flatten_cpu *cpu; /**< CPU cost of recording, until the batch has memory for it */
    uint32_t cpus, cpu_cap;
};

/**
 * Fill readback->batch and the readback's lists. readback->batch may be NULL: queries are only reset. The
 * batch may borrow the action list of a command buffer that is submitted once; the command buffer then has
 * the batch's list until pp_flatten_undo().
 *
 * @param open Labels that are open on the queue before these command buffers.
 * @param collapse One pass of kind FRAME with the readback's own timestamps, instead of the recorded passes.
 * @retval 0.
 * @retval -ENOMEM The batch is incomplete and must be cancelled.
 */
__attribute__((warn_unused_result)) int pp_flatten(struct pp_flatten *flatten, struct pp_vk_queue *queue,
                                                   struct pp_vk_readback *readback,
                                                   struct pp_cmdbuf *const *buffers, uint32_t count,
                                                   const struct pp_vk_labels *open, bool collapse);

/** Undo the flattening for a readback that was not submitted: its command buffer may be submitted again. */
void pp_flatten_undo(struct pp_vk_readback *readback);

/** Free the scratch memory. */
void pp_flatten_finish(struct pp_flatten *flatten);

/** No pass, no bracket, no place in a map. */
#define PP_FLATTEN_NOWHERE UINT32_MAX

/** One flattening under way. */
struct pp_flatten_run {
    struct pp_flatten *scratch;
    struct pp_vk_queue *queue;
    struct pp_vk_readback *readback;
    struct pp_batch *batch; /**< may be NULL */
    pp_label_id label;      /**< label path around what is emitted */
    bool collapse;
    uint32_t frame_pass; /**< with collapse: index of the only pass */
    const struct pp_cmdbuf *first,
        *last;               /**< with collapse: the command buffers whose timestamps are the begin
                                and the end of the only pass; NULL: the readback has timestamps */
    uint32_t suspended_pass; /**< pass that was suspended and not resumed yet; PP_FLATTEN_NOWHERE: none */
};

/** Position in the flattening of one command buffer, and offsets of its results. */
struct pp_flatten_place {
    uint32_t exec;   /**< next execution */
    uint32_t action; /**< next action */
    uint32_t arg;    /**< next indirect arguments */
    uint32_t times;  /**< first timestamp */
    uint32_t args;   /**< first indirect arguments; PP_NO_ARGS: none */
    uint32_t map;    /**< index of its map in the scratch memory, which nested buffers may move */
    uint32_t inside; /**< pass that gets all passes of the command buffer; PP_FLATTEN_NOWHERE: each pass is a
                        row */
};

/** Offsets of the results of a command buffer's queries, by kind. */
struct pp_flatten_bases {
    uint32_t of[PP_QUERY_KINDS];
};

/** Offset of a timestamp; PP_NO_OFFSET: it was not written. */
static inline uint32_t
pp_flatten_time_offset(uint32_t base, uint32_t number)
{
    return number == PP_NO_QUERY ? PP_NO_OFFSET : base + number * PP_TIME_BYTES;
}

/** Timestamps of bracket @p b of a command buffer, as far as written. */
static inline struct pp_vk_bracket
pp_flatten_times(const struct pp_cmdbuf *cb, uint32_t b, uint32_t base)
{
    if (b >= cb->brackets.count || cb->queries[PP_QUERY_TIME].count == 0)
        return (struct pp_vk_bracket){PP_NO_OFFSET, PP_NO_OFFSET};
    return (struct pp_vk_bracket){pp_flatten_time_offset(base, cb->brackets.list[b].begin),
                                  pp_flatten_time_offset(base, cb->brackets.list[b].end)};
}

/** Join a recorded label path with the path around it. Hot: a cache holds recent joins. */
static inline pp_label_id
pp_flatten_label(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, pp_label_id inner)
{
    pp_label_id outer = flat->label;
    if (inner == 0 || (outer == 0 && cb->labels.closed_outer == 0))
        return inner != 0 ? inner : outer;
    struct pp_flatten_join *join = &flat->scratch->join[(outer * 31 + inner) % PP_FLATTEN_JOINS];
    if (join->outer != outer || join->inner != inner || join->region != cb->labels.region)
        *join = (struct pp_flatten_join){
            outer, inner, cb->labels.region,
            pp_session_label_join(cb->dev->session, outer, inner, cb->labels.region)};
    return join->joined;
}

/** Sum of what a list of command buffers contains. */
struct pp_flatten_sum {
    bool has_passes;  /**< passes were recorded */
    bool has_actions; /**< passes other than those of barriers were recorded */
    bool queries;     /**< passes with queries that a submission must reset */
    bool collapse;    /**< only the whole list can have a bracket */
    bool left_out;    /**< some passes have no brackets, as in frames that are left out */
};

/** Find out what command buffers contain, before they are flattened. @param level Level of the open frame. */
void pp_flatten_look(struct pp_cmdbuf *const *buffers, uint32_t count, enum pp_level level,
                     struct pp_flatten_sum *ret_sum);

/** Find the labels that are open after some command buffers. @param buffers NULL for unknown ones. */
void pp_flatten_labels(struct pp_session *session, struct pp_cmdbuf *const *buffers, uint32_t count,
                       struct pp_vk_labels *io_open);

/** Add the counts of a recorded pass to a pass of the batch. */
void pp_flatten_pass_count(struct pp_pass *to, const struct pp_pass *from);

/** Add a pass to the batch. @param label The pass's label path. @return NULL: no memory. */
struct pp_pass *pp_flatten_pass_new(struct pp_flatten_run *flat, const struct pp_pass *from,
                                    pp_label_id label, uint8_t want);

/** Status of a bracket's statistics if no query counts for the bracket. */
uint8_t pp_flatten_pass_wanted(const struct pp_cmdbuf *cb, const struct pp_pass *pass);

/** Add a command buffer's part of a bracket. Counters of a bracket are the sum of its parts, if all parts
 * were measured for the same events, all in passes or all in actions. */
void pp_flatten_pass_perf(struct pp_flatten_run *flat, struct pp_result_slot *slot,
                          const struct pp_cmdbuf *cb);

/** Add a recorded pass as a new pass, or to the suspended pass that it resumes. */
int pp_flatten_pass_emit(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_pass *from,
                         uint32_t base, uint32_t *map, uint32_t *ret_pass);

/** Merge a recorded pass into another. */
void pp_flatten_pass_merge(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb,
                           const struct pp_pass *from, uint32_t *map, uint32_t to_pass);

/** Add all queries of a command buffer. */
int pp_flatten_results_add(struct pp_flatten_run *flat, struct pp_cmdbuf *cb,
                           struct pp_flatten_bases *ret_bases);

/** Note the result slots of all statistics queries of a command buffer, and the brackets whose statistics are
 * incomplete. @param map From
 * the command buffer's brackets to the batch's; NULL: they are the same. */
int pp_flatten_results_statistics(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb,
                                  const uint32_t *map, const struct pp_flatten_bases *bases);

/** Bracket of a command buffer's only pass, for counters of the whole command buffer. PP_NO_BRACKET: there is
 * not exactly one pass. */
uint32_t pp_flatten_results_only_bracket(const struct pp_cmdbuf *cb, const uint32_t *map);

/** List the brackets that have a CPU cost of recording. @param map NULL: numbers are the batch's. */
int pp_flatten_results_costs(struct pp_flatten *scratch, struct pp_cmdbuf *cb, const uint32_t *map);

/** Write the CPU costs into the batch. */
void pp_flatten_results_put_costs(const struct pp_flatten *scratch, struct pp_batch *batch);

/** Note which brackets are whole parts of a command buffer. @param map NULL: numbers are the batch's. */
int pp_flatten_results_parts(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb,
                             const uint32_t *map);

#endif
