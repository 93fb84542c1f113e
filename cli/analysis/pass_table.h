/** @file
 * Figures of the passes that a session shows, and their order. Prints nothing. See also print/passes.h. */
#ifndef PP_CLI_ANALYSIS_PASS_TABLE_H
#define PP_CLI_ANALYSIS_PASS_TABLE_H

#include "cli/analysis/bracket_bias.h"
#include "cli/analysis/view.h"
#include "cli/session/saved_session.h"

/** Figures of one pass, or of several passes that ran once. Times are less the bias; NaN: not known. */
struct pp_pass_figures {
    const struct pp_saved_pass *pass; /**< borrowed; of a folded row, the first of its passes */
    size_t folded;                    /**< passes in this row, if it represents several; else 0 */
    bool frameless;                   /**< of such a row: its passes are in no frame */
    bool only_first;                  /**< of such a row: its passes are in first frames only */
    const char *queue;                /**< the queue of all these passes; NULL: a row of passes. Borrowed */
    uint64_t count;                   /**< how often it ran, without first frames where it ran in others */
    double per_frame;                 /**< how often it ran in a frame whose passes were measured */
    double draws;                     /**< draws in such a frame */
    double share_percent;             /**< of the GPU time of all passes */
    double frame_ns;                  /**< GPU time in such a frame */
    double mean_ns, p5_ns, p50_ns, p95_ns, p99_ns, max_ns;
    double max_frame; /**< number of the frame with max_ns */
    bool unresolved;  /**< the mean is below the resolution of brackets */
};

/** The passes that a session shows, in the order of the view. Begin with all zero. */
struct pp_pass_table {
    struct pp_pass_figures *row; /**< owned */
    size_t len;
    size_t left_out;         /**< passes with smaller shares than the view's limit */
    double left_out_percent; /**< their share */
    double all_ns;           /**< GPU time of all shown passes, less the bias: shares refer to it */
    struct pp_bracket_bias bias;
};

/** Is there a pass to show? At level frame there is none: all work is work of no frame, measured as a
 * whole. */
bool pp_pass_table_any(const struct pp_saved_session *rec);

/** GPU time of all shown passes, less what empty brackets measure. */
double pp_pass_table_total(const struct pp_saved_session *rec, const struct pp_bracket_bias *bias);

/**
 * Compute the figures of the passes that pp_saved_show() chose.
 *
 * @param rec  Its series get sorted. The table is valid until pp_saved_show() is called again.
 * @param view Which of them, and their order. Passes in one row with others count as one pass there.
 * @param ret  Empty at level frame. The caller finishes it.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int
pp_pass_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_pass_table *ret);

/** Free a table. */
void pp_pass_table_finish(struct pp_pass_table *table);

#endif
