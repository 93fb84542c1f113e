/** @file
 * The data of command buffers and their pools, and what hooks do with them at each command. record/record.h
 * records them. The application synchronises a command buffer, its pool and all that belongs to them, as
 * Vulkan demands. Therefore recording takes no lock. See also query_pool.h (query slots). */
#ifndef PP_LAYER_BASE_CMDBUF_H
#define PP_LAYER_BASE_CMDBUF_H

#include "core/engine/tracker.h"
#include "layer/base/device.h"
#include "layer/base/query_pool.h"
#include "layer/base/staging.h"
#include "layer/counters/perf.h"
#include "vk_hooks.h"

#define PP_NO_ARGS UINT32_MAX

/** Layout of indirect arguments. */
enum pp_indirect_form {
    PP_ARGS_NONE = 0, /**< not in a Vulkan buffer: the arguments stay unknown */
    PP_ARGS_DRAW,     /**< VkDrawIndirectCommand */
    PP_ARGS_INDEXED,  /**< VkDrawIndexedIndirectCommand */
    PP_ARGS_GROUPS,   /**< VkDispatchIndirectCommand, or another struct of three group counts */
    PP_ARGS_TASKS,    /**< VkDrawMeshTasksIndirectCommandNV */
    PP_ARGS_BYTES, /**< a byte count (vkCmdDrawIndirectByteCountEXT): `count` is subtracted, `stride` is the
                      bytes of a vertex */
};

/** Indirect arguments of a command, as generated hooks describe them. */
struct pp_vk_args {
    uint8_t form; /**< enum pp_indirect_form */
    VkBuffer buffer;
    VkDeviceSize offset;
    uint32_t count; /**< most draws */
    uint32_t stride;
    VkBuffer count_buffer; /**< VK_NULL_HANDLE: `count` is exact */
    VkDeviceSize count_offset;
};

/** Arguments of one action. */
struct pp_vk_arg {
    struct pp_vk_args args;
    uint32_t action;   /**< number in the command buffer's action list */
    uint32_t at;       /**< offset in the command buffer's bytes; PP_NO_ARGS: not copied */
    uint32_t count_at; /**< offset of the number of draws; PP_NO_ARGS: `args.count` is exact */
};

/** Memory that copies go to. */
struct pp_vk_staging {
    struct pp_vk_staging *next;
    struct pp_staging_piece piece;
    uint32_t used;  /**< bytes in use; 0: the recording does not use the piece */
    uint32_t start; /**< offset of its first byte in the command buffer's bytes */
};

/** Indirect arguments that a command buffer copies, with --indirect only. A secondary inside a render pass
 * has no staging memory: its primary makes the copies, once for each execution. */
struct pp_vk_arglist {
    bool on;    /**< this recording copies */
    bool lends; /**< the primary copies */
    bool full;  /**< there was no memory: the recording does not ask again */
    bool added; /**< the last element of `arg` belongs to the command whose pp_indirect_behind() comes next */
    struct pp_vk_arg *arg;
    uint32_t args, arg_cap;
    uint32_t copied; /**< number of arguments whose copies are recorded */
    uint32_t execs;  /**< number of executions whose copies are recorded */
    uint32_t bytes;
    struct pp_vk_staging *first, *last;
};

/** The CPU cost of one command buffer. */
struct pp_vk_cpu_cost {
    bool on;       /**< this recording measures its cost */
    bool used;     /**< a submission has taken the values */
    uint8_t set;   /**< number of the counter set */
    size_t bytes;  /**< bytes of a snapshot */
    uint8_t *row;  /**< snapshots: two for each bracket */
    uint8_t *ends; /**< one for each bracket; bit 0: the begin is taken, bit 1: the end is taken */
    uint32_t cap;
};

#define PP_NO_QUERY   UINT32_MAX

#define PP_CACHE_LINE ((size_t)64)

/** After this many consecutive single-use recordings of a buffer, assume that the next one is single-use. */
#define PP_SINGLE_USES_KNOWN 8U

/** Entries of a command pool's cache of render targets, which are found by a hash of their attachments. */
#define PP_RENDER_TARGET_CACHE 64U

/** A command pool of the application. */
struct pp_cmdpool {
    struct pp_vk_device *dev;
    VkCommandPool handle;
    uint32_t family;
    bool inject; /**< queries may be written: the queues of its family have valid timestamps, and the pool is
                    not protected */
    VkQueryPipelineStatisticFlags statistics;
    struct pp_query_chunk *free_chunks[PP_QUERY_KINDS];
    uint32_t free_queries; /**< queries in `free_chunks` */
    uint32_t look;         /**< number of checks for unneeded chunks: pp_query_chunks_shrink() */
    uint64_t looked_ns;    /**< time of the last check */
    struct pp_query_chunk_returns *returns;
    struct pp_cmdbuf *buffers; /**< pp_cmdbuf.pool_next */
    struct {
        uint64_t key;
        pp_render_target_id render_target;
    } render_target[PP_RENDER_TARGET_CACHE];
};

/** Numbers of the two timestamp queries of a bracket; PP_NO_QUERY: not written. */
struct pp_vk_bracket {
    uint32_t begin;
    uint32_t end;
};

/** Bind points as bits. */
#define PP_VK_GRAPHICS 1U
#define PP_VK_COMPUTE  2U

/** The last timestamp of a bracket. Another bracket that meets this one may share it: a timestamp is one
 * snapshot, while the begin and the end of a statistics query are two. */
struct pp_vk_last_time {
    uint32_t time; /**< number of its query; PP_NO_QUERY: none, or a command of the application followed that
                      neither sets state nor is a barrier */
    bool barrier;  /**< a barrier followed; with pp_vk_quirks.deferred_times, it took the timestamp */
};

/** What the barriers of the open pass do, if that is a pass of barriers. See pass.c. */
struct pp_cmdbuf_barrier {
    uint32_t images; /**< images that change their layout or their queue family */
    VkImage last;    /**< the last of them */
    bool layout;     /**< some of them change their layout */
};

/** A secondary that was executed, with its place in the action list. */
struct pp_vk_exec {
    struct pp_cmdbuf *secondary;
    uint32_t pass;   /**< inside: the pass that contains it; else: the pass before which it ran */
    uint32_t action; /**< inside: the action before which it ran */
    bool inside;
    pp_label_id label; /**< label path in force at that place */
    uint32_t bracket;  /**< the primary's bracket around the secondary; PP_NO_BRACKET: the secondary measures
                          its own times */
    uint32_t args_at;  /**< offset of the copies of its indirect arguments; PP_NO_ARGS: none */
};

/** How statistics of the open render pass are counted. */
enum pp_vk_scope {
    PP_VK_SCOPE_NONE,    /**< not in this command buffer: secondaries or draws have queries instead */
    PP_VK_SCOPE_OUTSIDE, /**< one query around the whole instance */
    PP_VK_SCOPE_INSIDE,  /**< one query for each subpass, begun and ended in the subpass */
};

/** Uses that the application announced for a command buffer. */
struct pp_cmdbuf_usage {
    bool secondary;
    bool inherits_pass; /**< records inside the primary's render pass */
    bool simultaneous;
    bool one_time; /**< submitted once: the results of its queries stay until the CPU has read them */
};

/** The render pass instance that is recorded now. */
struct pp_cmdbuf_instance {
    bool open;      /**< commands are inside of an instance, of this buffer or inherited */
    bool suspended; /**< between a suspending end and its resuming begin */
    bool suspends;  /**< the open instance will suspend */
    bool resumes;   /**< the instance that begins resumes one */
    uint8_t scope;  /**< enum pp_vk_scope of the open pass */
    uint8_t views;  /**< query slots of the open subpass: set bits of its view mask, at least 1 */
};

/** The subpasses of the open render pass. */
struct pp_cmdbuf_subpasses {
    const uint32_t *view_masks; /**< one for each subpass; NULL: dynamic rendering or none */
    uint32_t count;
    uint32_t open; /**< number of the open one */
};

/** The timestamps of a command buffer's brackets. */
struct pp_cmdbuf_brackets {
    struct pp_vk_bracket *list; /**< indexed by bracket number */
    uint32_t count;             /**< entries made */
    uint32_t cap;
    struct pp_vk_last_time last;
};

/** Timestamps around everything that a command buffer records, at level frame. */
struct pp_cmdbuf_whole {
    bool on;        /**< timestamps may be at its begin and its end */
    uint32_t begin; /**< number of the query; PP_NO_QUERY: nothing that takes time was recorded so far */
    uint32_t end;   /**< number of the query; PP_NO_QUERY: not written */
};

/** The statistics queries of a command buffer. */
struct pp_cmdbuf_statistics {
    bool on;               /**< statistics queries may be written */
    bool app;              /**< a statistics query of the application is active */
    bool active;           /**< a statistics query of the layer is active: `query` */
    uint8_t bound;         /**< bind points that have a pipeline: PP_VK_GRAPHICS, PP_VK_COMPUTE */
    uint8_t early_state;   /**< bind points that got constants or descriptors before a pipeline: with
                                pp_vk_quirks.needs_pipeline */
    uint32_t awaiting;     /**< a pass whose statistics begin with the first pipeline; PP_NO_BRACKET: none */
    struct pp_query query; /**< the active query */
    struct pp_queries *counting; /**< element of pp_cmdbuf.queries: queries of the kind that counts the open
                                    pass or action */
    uint32_t *gap; /**< brackets that were not counted completely, because of application queries */
    uint32_t gaps, gap_cap;
};

/** The debug labels of a command buffer. */
struct pp_cmdbuf_labels {
    uint32_t open;         /**< labels that this buffer pushed and that are open */
    uint32_t closed_outer; /**< regions that this buffer closes and another buffer opened */
    bool ends_frame;       /**< the buffer, or a secondary of it, has the label that ends a frame */
    pp_label_id region;    /**< region of the annotate API that was open when recording began */
};

/** The secondaries that a command buffer executes, in order. */
struct pp_cmdbuf_execs {
    struct pp_vk_exec *list;
    uint32_t count;
    uint32_t cap;
};

/** The readback from which the CPU reads the results of a command buffer's last run. */
struct pp_cmdbuf_reader {
    struct pp_vk_readback
        *readback;         /**< readback of the last run, if the CPU reads its results; NULL: none */
    uint64_t uses;         /**< pp_vk_readback.uses of that run */
    uint32_t first, count; /**< first of the readback's copies for this buffer, and their number */
};

/** Number and delay of the runs of a command buffer's recordings: see record_level() in record.c. */
struct pp_cmdbuf_history {
    uint64_t begun;      /**< number of frames that had a number when the recording began */
    uint8_t single_uses; /**< consecutive recordings that ran once each, up to PP_SINGLE_USES_KNOWN */
    bool rerun;          /**< a recording ran more than once */
    /* guarded by the submitting thread, as Vulkan demands of a buffer that is not simultaneous */
    _Atomic(uint64_t) segment; /**< number of the submission that is being built: finds a second use in the
                                  same submission */
    _Atomic(uint32_t) runs;    /**< number of submissions of this recording so far */
};

/** A command buffer of the application. */
struct pp_cmdbuf {
    /* hot: first cache line */
    const struct pp_vk_device_next *next;
    VkCommandBuffer handle;
    bool recording;  /**< the hooks measure */
    bool quick;      /**< a draw only counts in the open pass: the level is not draw, and a pass is open */
    bool inject;     /**< queries may be written into it */
    bool no_queries; /**< no query may be written: the buffer resumes a pass, and may do so twice in a
                        submission */
    struct pp_cmdbuf_usage usage;
    struct pp_cmdbuf_instance instance;
    struct pp_tracker tracker;
    struct pp_action_list action_list;
    struct pp_vk_device *dev;
    struct pp_cmdpool *pool;
    struct pp_cmdbuf *pool_next;
    struct pp_queries queries[PP_QUERY_KINDS];
    struct pp_cmdbuf_brackets brackets;
    struct pp_cmdbuf_barrier barrier;
    struct pp_cmdbuf_whole whole;
    struct pp_cmdbuf_statistics statistics;
    struct pp_perf_cmdbuf perf; /**< counters */
    struct pp_vk_cpu_cost cpu;  /**< CPU cost of its recording */
    struct pp_split *split;     /**< parts that it is recorded in; NULL: it is recorded as one */
    struct pp_vk_arglist args;  /**< indirect arguments */
    struct pp_cmdbuf_labels labels;
    pp_string_id pipeline[PP_PASS_KIND_COUNT]; /**< bound pipeline, by kind of pass that uses it */
    struct pp_vk_surface *surface; /**< the first window that one of its passes renders to; NULL: none */
    struct pp_cmdbuf_execs execs;
    struct pp_cmdbuf_subpasses subpasses;
    struct pp_cmdbuf_reader reader;
    struct pp_cmdbuf_history history;
};

/** One action, as generated hooks describe it. */
struct pp_vk_action {
    uint16_t call;    /**< enum pp_vk_call */
    uint8_t kind;     /**< enum pp_action_kind */
    uint8_t indirect; /**< the counts are in GPU memory */
    uint32_t instances;
    uint64_t vertices;
    uint64_t groups;
};

/** Interned names of pp_vk_call; filled by pp_vk_record_init(). */
extern pp_string_id pp_vk_call_id[PP_VK_CALLS];

/** The layer's record of a command buffer; NULL: there is none. Hot: no lock. */
static inline struct pp_cmdbuf *
pp_cmdbuf_find(VkCommandBuffer handle)
{
    return pp_map_get(&pp_vk_root.command_buffers, (uint64_t)(uintptr_t)handle);
}

/** Does the layer measure anything in this command buffer? Hot. */
static inline bool
pp_cmdbuf_ready(const struct pp_cmdbuf *cb)
{
    return cb && cb->recording;
}

/** Next functions for a command buffer that may be unknown to the layer. */
static inline const struct pp_vk_device_next *
pp_cmdbuf_next(const struct pp_cmdbuf *cb, VkCommandBuffer handle)
{
    return cb ? cb->next : &pp_vk_device_of(handle)->next;
}

/** Record an execution barrier of all commands: the commands before it are complete when the commands
 * after it begin. Without an access, the last stage before it and the first one after it mean the same as
 * ALL_COMMANDS (Vulkan 1.3, "Pipeline Stages"). The validation layer's best practices warn of
 * ALL_COMMANDS. */
static inline void
pp_vk_execution_barrier(const struct pp_vk_device_next *next, VkCommandBuffer commands)
{
    next->CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                             VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
}

/** Note a command after which no bracket shares the timestamps before it: it runs on the GPU, or waits. */
static inline void
pp_vk_lies_between(struct pp_cmdbuf *cb)
{
    cb->brackets.last.time = PP_NO_QUERY;
}

/** Close the run of compute or transfer actions that is open outside of render passes, if there is one. */
static inline void
pp_vk_close_run(struct pp_cmdbuf *cb)
{
    if (!cb->instance.open && !cb->usage.inherits_pass && !cb->instance.suspended)
        pp_track_end(&cb->tracker);
}

/** Do debug labels apply to the commands that are recorded now? */
static inline bool
pp_vk_has_labels(const struct pp_cmdbuf *cb)
{
    return cb->labels.open + cb->labels.closed_outer > 0;
}

/** Outside of debug labels, put actions into the region that the thread opened by the annotate API. */
static inline void
pp_vk_follow_region(struct pp_cmdbuf *cb)
{
    pp_label_id region = pp_annotate_label();
    if (region == cb->tracker.label)
        return;
    pp_vk_close_run(cb);
    pp_track_label(&cb->tracker, region);
}

/** Count a draw, if counting is all that the draw needs. @param cb May be NULL. Hot: when idle, a draw costs
 * only this. */
static inline bool
pp_vk_count_quick(struct pp_cmdbuf *cb)
{
    if (!cb || !cb->quick)
        return false;
    cb->action_list.pass[cb->tracker.open_pass].draws++;
    return true;
}

/** Choose how the draws of a pass are counted, after the pass has begun. */
static inline void
pp_vk_enter_pass(struct pp_cmdbuf *cb)
{
    cb->instance.open = true;
    cb->quick = cb->tracker.level < PP_LEVEL_DRAW && pp_track_open_pass(&cb->tracker);
}

/** End the counting of a pass's draws, before the pass ends. */
static inline void
pp_vk_leave_pass(struct pp_cmdbuf *cb)
{
    cb->instance.open = cb->quick = false;
}

/** Begin an action, before its command. Hot. */
static inline void
pp_vk_action_begin(struct pp_cmdbuf *cb, const struct pp_vk_action *action)
{
    /* A pass has the region of its begin. Only level draw needs the regions of its draws. */
    if (!pp_vk_has_labels(cb) && (!cb->instance.open || cb->tracker.level == PP_LEVEL_DRAW))
        pp_vk_follow_region(cb);
    if (cb->tracker.level < PP_LEVEL_DRAW) {
        pp_track_action(&cb->tracker, (enum pp_action_kind)action->kind, 1);
        return;
    }
    /* A clear runs no pipeline. */
    pp_track_pipeline(&cb->tracker,
                      action->kind == PP_ACTION_CLEAR
                          ? 0
                          : cb->pipeline[pp_action_pass_kind((enum pp_action_kind)action->kind)]);
    const struct pp_action_info info = {
        .call = pp_vk_call_id[action->call],
        .vertices = action->vertices,
        .instances = action->instances,
        .groups = action->groups,
        .indirect = action->indirect,
    };
    pp_track_action_begin(&cb->tracker, (enum pp_action_kind)action->kind, &info);
}

/** End an action, after its command. Hot. */
static inline void
pp_vk_action_end(struct pp_cmdbuf *cb)
{
    if (cb->tracker.open_action_bracket == PP_NO_BRACKET)
        pp_vk_lies_between(cb); /* the action has no bracket */
    else
        pp_track_action_end(&cb->tracker);
}

#endif
