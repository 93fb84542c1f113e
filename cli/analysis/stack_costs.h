/** @file
 * Module: the GPU time of each call stack of a session, and the same as a tree: functions of the application,
 * then the label path, the pass and the call. Prints nothing. Reads passes.csv and draws.csv in step. See
 * also annotation.h, which makes functions and lines of stacks, and print/report_forms.h. */
#ifndef PP_CLI_ANALYSIS_STACK_COSTS_H
#define PP_CLI_ANALYSIS_STACK_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/analysis/draw_table.h"
#include "cli/session/saved_session.h"
#include "cli/symbols/call_stacks.h"

/** Instead of a stack: the work has none. */
#define PP_NO_STACK SIZE_MAX

/** The name of all labels, passes and calls together that are too many. */
#define PP_STACK_COSTS_OTHER "(other)"

/** What work of one stack cost; with the detail, work of one stack, label, pass and call. Texts belong to the
 * costs' pool. */
struct pp_stack_cost {
    size_t stack;      /**< index in pp_call_stacks.stack; PP_NO_STACK */
    const char *label; /**< label path; "" without the detail */
    const char *pass;  /**< name of the pass, or its kind; "" without the detail */
    const char *title; /**< label and pass in one text, which distinguishes them */
    const char *call;  /**< of the action; "": the pass itself, and without the detail */
    double ns;         /**< GPU time, or what pp_stack_costs.measure says */
    uint64_t actions;  /**< draws and other actions that this stack issued */
    uint64_t passes;   /**< passes that it began */
    uint64_t timed;    /**< of both, those whose GPU time was measured */
    double value;      /**< sum of the counter; of a ratio: sum of value x GPU time */
    double weight;     /**< of a ratio: GPU time of the rows that have the counter; else their number */
    double work[PP_DRAWS_BY_COUNT + 1]; /**< of its actions, by measure; 0 of the time */
};

/** All costs of a session. Owned; begin with all zero. */
struct pp_stack_costs {
    struct pp_stack_cost *cost;
    size_t len, cap;
    enum pp_draw_measure measure; /**< the measure of costs: GPU time, or what replaces it with
                                     pp_stack_costs_wanted.rank */
    double gpu_ns;   /**< GPU time of all passes without the first frames, less what empty brackets measure */
    double total_ns; /**< the sum of all costs: gpu_ns, or all of the measure */
    double stacked_ns;   /**< the part of it that has a stack */
    double undivided_ns; /**< with pp_stack_costs_wanted.rank, the part of total_ns that is in no cost: what
                            passes took besides their measured actions, where others have no GPU time */
    uint64_t untimed;    /**< actions without a measured GPU time */
    uint64_t frames;     /**< measured frames */
    bool no_actions;     /**< actions were not recorded, because no frame has level draw */
    bool has_column;     /**< one of the files has a column `stack` */
    bool has_counter;    /**< one of the files has the counter */
    bool is_ratio;       /**< values of the counter must not be added */
    struct pp_text_pool texts;
};

/** What is wanted of the costs. */
struct pp_stack_costs_wanted {
    bool detail;         /**< also by label, pass and call */
    bool rank;           /**< never give the GPU time of actions to the call that began their pass. Where that
                            is half of all time or more, take the actions' invocations of shaders, or else
                            vertices, or else number, in the place of times */
    const char *counter; /**< column of draws.csv or passes.csv; NULL: none */
};

/**
 * Add up the GPU time of each stack. The time of a pass belongs to the stacks of its actions, as far as times
 * of actions were measured. If they overlapped, so that their sum is larger, they share the pass's time in
 * proportion. The rest belongs to the stack that began the pass; with wanted->rank it belongs to no stack if
 * actions of the pass have no time. Rows of a frame follow each other in both files, in whatever order the
 * frames are.
 *
 * @param rec Read from a directory, with its window; counts of rows in it grow.
 * @param ret Call pp_stack_costs_finish() whatever is returned.
 * @retval 0, -ENOMEM, -errno (a file cannot be read).
 */
__attribute__((warn_unused_result)) int pp_stack_costs_read(struct pp_saved_session *rec,
                                                            const struct pp_call_stacks *stacks,
                                                            const struct pp_stack_costs_wanted *wanted,
                                                            struct pp_stack_costs *ret);

/** Free everything; the struct is all zero then. */
void pp_stack_costs_finish(struct pp_stack_costs *costs);

/** What a node is. */
enum pp_flame_kind { PP_FLAME_ROOT, PP_FLAME_FUNCTION, PP_FLAME_LABEL, PP_FLAME_PASS, PP_FLAME_CALL };

/** Instead of a node: there is none. */
#define PP_FLAME_NONE SIZE_MAX

/** A node. Node 0 is the root. */
struct pp_flame_node {
    const char *name; /**< of the tree's pool */
    enum pp_flame_kind kind;
    size_t parent;
    size_t first, next; /**< its first child, and the next child of its parent: in no order until the tree is
                           made, then by name; PP_FLAME_NONE */
    size_t depth;       /**< 0: the root */
    double self_ns;     /**< GPU time of this node without those below it */
    double ns;          /**< with them */
};

/** A tree. Everything in it is owned; begin with all zero. */
struct pp_flame_tree {
    struct pp_flame_node *node;
    size_t len, cap;
    size_t deepest; /**< largest depth */
    struct pp_text_pool texts;
};

/**
 * Make the tree.
 *
 * @param stacks Those of the costs; without any stack, the tree begins with labels.
 * @param costs  With the detail.
 * @param ret    Call pp_flame_tree_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_flame_tree_make(const struct pp_call_stacks *stacks,
                                                           const struct pp_stack_costs *costs,
                                                           struct pp_flame_tree *ret);

/** Free everything; the struct is all zero then. */
void pp_flame_tree_finish(struct pp_flame_tree *tree);

#endif
