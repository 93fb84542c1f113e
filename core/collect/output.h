/** @file
 * The interface of a writer, and the rows that it gets. One file per written format beside this one. Writers
 * run on the collector thread only; they may allocate and write files, and report errors instead of logging
 * them. Knows no graphics API. */
#ifndef PP_CORE_COLLECT_OUTPUT_H
#define PP_CORE_COLLECT_OUTPUT_H

#include <stdint.h>

#include "core/engine/session_private.h"
#include "counters/snapshot/value.h"

/** A value that may be missing. */
struct pp_value {
    uint64_t value;
    enum pp_status status;
};

static inline struct pp_value
pp_value_ok(uint64_t value)
{
    return (struct pp_value){.value = value, .status = PP_OK};
}

static inline struct pp_value
pp_value_missing(enum pp_status status)
{
    return (struct pp_value){.status = status};
}

/** One row of passes.csv. */
struct pp_pass_row {
    uint32_t number;
    uint64_t id;   /**< stable from frame to frame and run to run */
    bool by_place; /**< nothing but the place tells it from others with its signature (stable_id.h) */
    enum pp_pass_kind kind;
    pp_render_target_id render_target;
    pp_label_id label;
    pp_string_id queue;
    uint32_t cleared;
    uint32_t discarded;
    uint32_t undefined;
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    struct pp_value gpu_start_ns;
    struct pp_value gpu_time_ns;
    struct pp_value *counter; /**< session->columns of them */
    bool partial;         /**< it may have gone on in results that did not come: its counts are not known */
    bool suspended;       /**< waits for its resumption (assembly only) */
    bool conditional;     /**< some of it was under conditional rendering (assembly only) */
    uint8_t sums;         /**< is this the sum of its work? (assembly only) */
    uint64_t begin_ticks; /**< of a suspended one (assembly only) */
};

/** One row of draws.csv. */
struct pp_action_row {
    uint32_t pass; /**< number of its pass row */
    uint64_t id;
    bool by_place;                  /**< as in pp_pass_row */
    const struct pp_action *action; /**< borrowed from the batch */
    struct pp_value gpu_start_ns;
    struct pp_value gpu_time_ns;
    struct pp_value *counter;
    bool clean; /**< every counter is PP_OK */
};

/** One row of frames.csv with all that belongs to it. Borrowed for the call. */
struct pp_frame_row {
    bool incomplete; /**< some of its results did not come, so that its counts are not known */
    bool is_frame;   /**< false: work of no frame; only its passes and works are written, with an empty frame
                        cell */
    uint64_t first_pass;   /**< number of its first pass: 0 in a frame, counted through where there is none */
    uint64_t first_action; /**< and of its first action */
    uint64_t frame;
    const struct pp_timeline *timeline;
    enum pp_level level;
    struct pp_value cpu_start_ns;
    struct pp_value frame_time_ns;
    struct pp_value cpu_busy_ns;
    struct pp_value cpu_wait_ns;
    struct pp_value gpu_start_ns;
    struct pp_value gpu_latency_ns;
    struct pp_value gpu_time_ns;
    struct pp_value gpu_busy_ns;
    struct pp_value gpu_wait_ns;
    const char *bound_by; /**< "" where nothing can be said */
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    struct pp_value *counter;
    const double *user_counters; /**< the application's own first counters, NaN: none; borrowed */
    uint32_t apps;
    struct pp_pass_row *pass;
    uint32_t passes;
    struct pp_action_row *action;
    uint32_t actions;
    bool behind; /**< more waits than the collector gets through: rows are to be written with little ado */
};

/** A writer. `self` is the implementation's own object. Writers begin in the order of the list below, take a
 * frame in that order, and end in the reverse one. */
struct pp_writer_ops {
    const char *file; /**< name inside the session directory */

    /** Mandatory. Make the file in the directory @p dir_fd, which does not have it yet, and stays open
     * as long as the writer. @retval 0, -errno: no
     * object. */
    int (*begin)(struct pp_session *session, int dir_fd, void **ret_self);

    /** Mandatory. Take the rows of a frame. Rows of passes.csv, labels.csv and draws.csv are written before
     * that of frames.csv that names them. @retval 0, -errno: the file ends with the last complete row. */
    int (*frame)(void *self, const struct pp_frame_row *frame);

    /** Mandatory. Let everything taken so far survive a SIGKILL. Called several times a second. @retval 0,
     * -errno. */
    int (*flush)(void *self);

    /** Mandatory. Bytes of all rows taken so far, those that wait to be written too. */
    uint64_t (*size)(const void *self);

    /** Mandatory. Flush and free; NULL is allowed. */
    void (*end)(void *self);
};

extern const struct pp_writer_ops pp_writer_passes;
extern const struct pp_writer_ops pp_writer_labels;
extern const struct pp_writer_ops pp_writer_draws;
extern const struct pp_writer_ops pp_writer_frames;

#endif
