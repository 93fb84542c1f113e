/** @file
 * Finished rows: the figures of a frame, of its passes, of its actions and of its label regions, and the
 * columns of their counters. core/collect makes the rows; the writers of core/report only write them. Types
 * only. This file knows no graphics API and no file format. */
#ifndef PP_CORE_MODEL_ROW_H
#define PP_CORE_MODEL_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/action_list.h"
#include "counters/snapshot/value.h"

struct pp_timeline;

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

/** A column of the rows: a counter, or a user metric. */
struct pp_column {
    char *name; /**< "pipeline:vertex_shader_invocations", ... */
    enum pp_unit unit;
    enum pp_number number; /**< kind of its values' images: U64, I64, F64 */
    bool not_additive;     /**< values of several brackets must not be added */
    bool single;           /**< only for passes and actions: rows that are sums of them lack it */
    bool hidden;           /**< raw: other columns are computed from it; it is not written */
    bool computed;         /**< computed from hidden columns when the rows are made */
    bool of_frame;         /**< the value belongs to a frame and is not the sum of its passes */
    uint16_t estimate;     /**< 1 + the column that says which of this one's values are estimates; 0: none */
    bool said_none;        /**< the collector has reported that a value was not finite */
};

/** Sum of two brackets' values of one column; missing if the column is not additive. */
static inline struct pp_value
pp_column_add(const struct pp_column *column, struct pp_value a, struct pp_value b)
{
    enum pp_status worse = pp_status_worse(a.status, b.status);
    if (column->not_additive)
        return pp_value_missing(PP_UNSUPPORTED);
    uint64_t sum = pp_number_add(column->number, a.value, b.value);
    if (column->number == PP_NUMBER_U64 && sum > PP_VALUE_MAX && pp_status_has_value(worse))
        return pp_value_missing(PP_REJECTED);
    return (struct pp_value){sum, worse};
}

/** One pass. */
struct pp_pass_row {
    uint32_t number;
    uint64_t id;   /**< stable from frame to frame and run to run */
    bool by_place; /**< only its place distinguishes the pass from others with the same signature
                      (stable_id.h) */
    enum pp_pass_kind kind;
    pp_render_target_id render_target;
    pp_label_id label;
    pp_string_id queue;
    uint16_t program; /**< as in pp_pass */
    uint32_t cleared;
    uint32_t discarded;
    uint32_t undefined;
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    struct pp_value gpu_start_ns;
    struct pp_value gpu_time_ns;
    const char *bound_by;     /**< bottleneck; NULL: not known; valid for the process */
    struct pp_value *counter; /**< values of the session's columns, then of its user metrics */
    uint32_t stack;           /**< number of the call stack that began the pass; 0: none */
    uint32_t submit_stack;    /**< number of the call stack that submitted it; 0: none */
    bool partial; /**< the pass may continue in results that are missing: its counts are not known */
};

/** One action. */
struct pp_action_row {
    uint32_t pass; /**< number of its pass row */
    uint64_t id;
    bool by_place;                  /**< as in pp_pass_row */
    const struct pp_action *action; /**< borrowed from the batch */
    struct pp_value gpu_start_ns;
    struct pp_value gpu_time_ns;
    const char *bound_by;     /**< as in pp_pass_row */
    struct pp_value *counter; /**< as in pp_pass_row */
    uint32_t stack;           /**< number of the action's call stack; 0: none */
    bool clean;               /**< every counter of the columns is PP_OK */
};

/** One label region of a frame, with the cost of the regions inside it. */
struct pp_label_row {
    pp_label_id label;
    uint32_t depth;
    uint32_t passes;
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    struct pp_value gpu_start_ns;
    struct pp_value gpu_inclusive_ns;
    struct pp_value gpu_exclusive_ns;
    struct pp_value *counter; /**< values of the session's columns, including inner regions */
};

/** Which rows of a frame are written. Fine rows are those of its passes, actions and label regions. */
enum pp_row_choice {
    PP_ROWS_ALL,
    PP_ROWS_FRAME, /**< only the row of frames.csv */
    PP_ROWS_FINE,  /**< only the fine rows: the row of frames.csv is written */
};

/** One frame with its passes, actions and label regions. */
struct pp_frame_row {
    uint8_t choice;      /**< enum pp_row_choice */
    bool incomplete;     /**< results are missing, so the frame's counts are not known */
    bool is_frame;       /**< false: rows without a frame; only passes, actions and regions are written, with
                            an empty frame cell */
    uint64_t first_pass; /**< number of the first pass: 0 in a frame; rows without a frame are numbered
                            through the session */
    uint64_t first_action; /**< number of the first action, likewise */
    uint64_t frame;
    const struct pp_timeline *timeline;
    uint8_t level; /**< enum pp_level */
    struct pp_value cpu_start_ns;
    struct pp_value frame_time_ns;
    struct pp_value cpu_busy_ns;
    struct pp_value cpu_wait_ns;
    struct pp_value gpu_start_ns;
    struct pp_value gpu_latency_ns;
    struct pp_value gpu_time_ns;
    struct pp_value gpu_busy_ns;
    struct pp_value gpu_wait_ns;
    uint32_t stack;       /**< number of the call stack that ended the frame; 0: none */
    const char *bound_by; /**< "" if the verdict is not known */
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    uint64_t cpu_sync_ns;        /**< part of cpu_busy_ns: the application waited for the GPU */
    uint64_t cpu_acquire_ns;     /**< part of cpu_busy_ns: it waited for an image to render to */
    struct pp_value *counter;    /**< as in pp_pass_row */
    const double *user_counters; /**< first user counters of the application, NaN: no value; borrowed */
    uint32_t user_counter_count; /**< values in user_counters */
    struct pp_pass_row *pass;
    uint32_t passes;
    struct pp_action_row *action;
    uint32_t actions;
    struct pp_label_row *label; /**< none if the frame is incomplete: a sum over some actions could be
                                   mistaken for the sum over all */
    uint32_t labels;
    bool behind; /**< more rows wait than the collector can write: writers should write with the least
                    overhead */
};

#endif
