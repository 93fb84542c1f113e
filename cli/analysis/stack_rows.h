/** @file
 * The rows of passes.csv and draws.csv that stack_costs.h adds up, one by one. */
#ifndef PP_CLI_ANALYSIS_STACK_ROWS_H
#define PP_CLI_ANALYSIS_STACK_ROWS_H

#include "cli/analysis/stack_costs.h"
#include "cli/session/draw_work.h"
#include "cli/session/row_reader.h"

/** A row of passes.csv. Texts belong to the costs' pool. */
struct pp_stack_pass {
    double frame, pass; /**< its place; frame -1: work of no frame */
    double ns;          /**< its GPU time less what an empty bracket measures; NaN: not measured */
    double actions_ns;  /**< for the caller: sum of its actions' times */
    double brackets_ns; /**< for the caller: the same with what the actions' brackets take */
    size_t stack;       /**< index in pp_call_stacks.stack, PP_NO_STACK */
    const char *label, *name, *title;
    double value;     /**< of the counter; NaN: none */
    bool valued;      /**< for the caller: one of its actions has the counter */
    bool untimed;     /**< for the caller: one of its actions has no GPU time */
    bool has_actions; /**< draws.csv has rows of it, as far as this row says */
    bool coarse;      /**< its frame is at level pass */
};

/** A row of draws.csv. */
struct pp_stack_action {
    double frame, pass;                 /**< where it is; pass NaN: not known */
    double ns, value;                   /**< as of a pass */
    double bracket_ns;                  /**< the time as draws.csv has it */
    double work[PP_DRAWS_BY_COUNT + 1]; /**< by measure; 0: not known, and of the time */
    size_t stack;
    const char *call; /**< of the costs' pool; "" without the detail */
};

/** A file that is being read. The caller sets the first four members; the others are zero. */
struct pp_stack_rows {
    const struct pp_call_stacks *stacks;
    const struct pp_stack_costs_wanted *wanted;
    struct pp_stack_costs *costs;  /**< gets texts, and which columns the files have */
    double bias_ns;                /**< what an empty bracket measures; NaN: not known */
    bool has_row;                  /**< there is a row: */
    struct pp_stack_pass pass;     /**< of passes.csv */
    struct pp_stack_action action; /**< or of draws.csv */
    struct pp_row_reader r;        /**< internal, like the members below */
    struct pp_csv_file *file;      /**< NULL: it is not there, or has ended */
    bool actions;                  /**< it is draws.csv */
    bool header;                   /**< its header was read */
    size_t counter_at;             /**< column; SIZE_MAX: none */
    struct pp_draw_work_columns work;
};

/** Open draws.csv (@p actions) or passes.csv, which need not exist, and read the first row. Rows of first
 * frames and those outside of the window are left out. @retval 0, -ENOMEM, -errno As pp_csv_read(). */
__attribute__((warn_unused_result)) int pp_stack_rows_open(struct pp_stack_rows *rows,
                                                           struct pp_saved_session *rec, bool actions);

/** Read the next row. @retval 0 has_row says whether there is one. @retval -errno As pp_csv_read(). */
__attribute__((warn_unused_result)) int pp_stack_rows_next(struct pp_stack_rows *rows);

/** Close the file, if it is open. */
void pp_stack_rows_close(struct pp_stack_rows *rows);

#endif
