/** @file
 * Interface of a writer, and the rows that writers get. Each written format has one file in core/report.
 * Writers run only on the collector thread. They may allocate memory and write files. They return errors
 * instead of logging them. This file knows no graphics API. */
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
    bool by_place; /**< only its place distinguishes the pass from others with the same signature
                      (stable_id.h) */
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
    struct pp_value *counter; /**< values of session->columns counters */
    bool partial;         /**< the pass may continue in results that are missing: its counts are not known */
    bool suspended;       /**< the pass waits for its resumption (used while rows are made) */
    bool conditional;     /**< a part was under conditional rendering (used while rows are made) */
    uint8_t sums;         /**< whether the pass is the sum of its actions (used while rows are made) */
    uint64_t begin_ticks; /**< begin of a suspended pass (used while rows are made) */
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

/** One row of frames.csv with its passes and actions. Borrowed for the call. */
struct pp_frame_row {
    bool incomplete; /**< results are missing, so the frame's counts are not known */
    bool is_frame; /**< false: rows without a frame; only passes and actions are written, with an empty frame
                      cell */
    uint64_t first_pass;   /**< number of the first pass: 0 in a frame; rows without a frame are numbered
                              through the session */
    uint64_t first_action; /**< number of the first action, likewise */
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
    const char *bound_by; /**< "" if the verdict is not known */
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    struct pp_value *counter;
    const double *user_counters; /**< first user counters of the application, NaN: no value; borrowed */
    uint32_t apps;
    struct pp_pass_row *pass;
    uint32_t passes;
    struct pp_action_row *action;
    uint32_t actions;
    bool behind; /**< more rows wait than the collector can write: writers should write with the least
                    overhead */
};

/** A writer. `self` is the implementation's object. Writers begin and take frames in the order of
 * collector.c's list, and end in reverse order. */
struct pp_writer_ops {
    const char *file; /**< name inside the session directory */

    /** Mandatory. Make the file in the directory @p dir_fd. The file must not exist there; the directory
     * stays open as long as the writer. @retval 0, -errno: no object. */
    int (*begin)(struct pp_session *session, int dir_fd, void **ret_self);

    /** Mandatory. Take the rows of a frame. Rows of passes.csv, labels.csv and draws.csv are written
     * before the row of frames.csv that names them. @retval 0, -errno: the file ends with the last
     * complete row. */
    int (*frame)(void *self, const struct pp_frame_row *frame);

    /** Mandatory. Write everything taken so far, so that it survives a SIGKILL. Called several times a
     * second. @retval 0, -errno. */
    int (*flush)(void *self);

    /** Mandatory. Bytes of all rows taken so far, including rows that wait to be written. */
    uint64_t (*size)(const void *self);

    /** Mandatory. Flush the file and free the object. @p self may be NULL. */
    void (*end)(void *self);
};

extern const struct pp_writer_ops pp_writer_passes;
extern const struct pp_writer_ops pp_writer_labels;
extern const struct pp_writer_ops pp_writer_draws;
extern const struct pp_writer_ops pp_writer_frames;

#endif
