/** @file
 * What the files of the flattening share: flatten.c walks through the command buffers, flatten_pass.c adds
 * their passes to the batch, flatten_results.c places the results of their queries. Other files use
 * flatten.h. */
#ifndef PP_LAYER_SUBMIT_FLATTEN_PRIVATE_H
#define PP_LAYER_SUBMIT_FLATTEN_PRIVATE_H

#include "layer/submit/flatten.h"

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

#endif
