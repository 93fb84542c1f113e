/** @file
 * --indirect: the arguments of draws and dispatches that are in GPU memory. A command buffer copies them
 * where copies are allowed: before a dispatch, and after the render pass of a draw. The copies go to staging
 * memory. Each submission then copies them to CPU memory, as it does with query results. Buffers that the
 * application created without transfer-source usage are not copied. See also readback.h. */
#ifndef PP_LAYER_RECORD_INDIRECT_H
#define PP_LAYER_RECORD_INDIRECT_H

#include "layer/record/staging.h"

struct pp_cmdbuf;
struct pp_vk_readback;
struct pp_action_list;

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

/** Indirect arguments of a readback that are not available yet. An empty one is all zero. */
struct pp_readback_args {
    struct {
        VkBuffer from;
        uint32_t offset, size, to;
    } * copy;
    uint32_t copies, copy_cap;
    struct {
        struct pp_vk_args args;
        uint32_t action, at, count_at; /**< action of the batch; offsets in the readback's memory */
    } * slot;
    uint32_t slots, slot_cap;
};

/** Forget the arguments of the last recording. */
void pp_indirect_reset(struct pp_cmdbuf *cb);

/** Begin to note arguments of a recording, after pp_indirect_reset(), when its level is known. */
void pp_indirect_begin(struct pp_cmdbuf *cb);

/** Record the copies that must be before an indirect command. Only while pp_vk_arglist.on. */
void pp_indirect_before(struct pp_cmdbuf *cb, const struct pp_vk_args *args);

/** Note an indirect command after it was recorded. In a render pass, its arguments will be copied after the
 * pass. */
void pp_indirect_behind(struct pp_cmdbuf *cb, const struct pp_vk_args *args);

/**
 * Reserve staging memory for the arguments of secondaries that are executed.
 *
 * @return Offset of that memory; PP_NO_ARGS: there is none.
 */
uint32_t pp_indirect_execute(struct pp_cmdbuf *cb, const struct pp_cmdbuf *secondary);

/** Record the copies that had to wait for the end of a render pass, or for the end of the recording (@p
 * last). */
void pp_indirect_flush(struct pp_cmdbuf *cb, bool last);

/** Free the arguments of a command buffer whose executions are complete. */
void pp_indirect_free(struct pp_cmdbuf *cb);

#endif
