/** @file
 * Figures of the passes and of the label regions that a session shows, and their order. Prints nothing. See
 * also print/passes.h. */
#ifndef PP_CLI_ANALYSIS_PASS_TABLE_H
#define PP_CLI_ANALYSIS_PASS_TABLE_H

#include "cli/analysis/accuracy.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** A pass, or several passes in one row: of a session, or read from the JSON of a report (compare/run.h).
 * Times are less the bias. Numbers that are not known are NaN, texts are "" and borrowed. */
struct pp_pass_figures {
    const char *id, *kind, *name, *label;  /**< "" in a row of a queue */
    const char *queue, *surface;           /**< its surface is "" where the pass is in no frame */
    const char *attachments;               /**< of the render target */
    const char *bound_by;                  /**< unit of the hardware */
    const char *begun_at;                  /**< innermost call that began it; NULL: not known */
    const char *title;                     /**< as tables print it; NULL: not made */
    double width, height, layers, samples; /**< of the render target */
    double place;                          /**< in the frame */
    double passes;                         /**< in this row */
    double count;                     /**< how often it ran, without first frames where it ran in others */
    double frames;                    /**< with it, without first frames; NaN: a row of several passes */
    double per_frame;                 /**< how often it ran in a frame whose passes were measured */
    double draws, dispatches, copies; /**< in such a frame */
    double usual_draws;               /**< those that most of its rows have */
    double share_percent;             /**< of the GPU time of all passes */
    double frame_ns; /**< GPU time in such a frame: the mean. Lost times count as the others */
    double mean_ns, p5_ns, p50_ns, p95_ns, p99_ns, max_ns; /**< of one time that it ran */
    double mad_ns;                                         /**< median distance of such times from p50_ns */
    double max_frame;                                      /**< number of the frame with max_ns */
    struct pp_spread spread;
    json_t *counters; /**< object: mean of each counter and metric; NULL: none, or not made. Borrowed */
    bool by_place;    /**< its id depends on its place among equal passes */
    bool unresolved;  /**< the mean is below the resolution of brackets */
    bool in_a_frame;  /**< false: work that belongs to no frame */
    /* only in a table of a session */
    const struct pp_saved_pass *pass; /**< borrowed; of a folded row, the first of its passes */
    size_t folded;                    /**< passes in this row, if it is of several; else 0 */
    bool frameless;                   /**< of such a row: its passes are in no frame */
    bool only_first;                  /**< of such a row: its passes are in first frames only */
    bool other_level;                 /**< of such a row: one of them is in frames at another level only */
    bool of_queue;                    /**< of such a row: it has all passes of a queue */
};

/** The columns of tables of passes. */
extern const struct pp_columns pp_pass_columns;

/** The passes that a session shows, in the order of the view. Begin with all zero. */
struct pp_pass_table {
    struct pp_pass_figures *row; /**< owned */
    size_t len;
    size_t left_out;             /**< passes with smaller shares than the view's limit */
    double left_out_percent;     /**< their share */
    double all_ns;               /**< GPU time of all shown passes, less the bias: shares refer to it */
    struct pp_bracket_bias bias; /**< of the surface that is shown */
};

/** GPU time of all shown passes, less what empty brackets measure. A run of a pass whose time was lost counts
 * as its other runs. */
double pp_pass_table_total(const struct pp_saved_session *rec);

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

/* Figures of the label regions of a session, and their order. Prints nothing. See also print/passes.h. */

/** Figures of a region: of a session, or read from the JSON of a report. Times are less the bias of its
 * passes, and include the regions inside, except those named self; NaN: not known. */
struct pp_label_figures {
    const char *label;              /**< path; borrowed */
    const char *title;              /**< as tables print it; NULL: not made */
    double count;                   /**< rows of labels.csv: frames with this region */
    double share_percent;           /**< of the GPU time of all passes */
    double frame_ns, self_frame_ns; /**< GPU time in a frame whose passes were measured */
    double mean_ns, self_mean_ns;   /**< GPU time in a frame with this region */
    double p5_ns, p50_ns, p95_ns, p99_ns, max_ns, max_frame; /**< of frames with this region */
    struct pp_spread spread;
    bool unresolved, self_unresolved;   /**< the time is below the resolution of its brackets */
    const struct pp_saved_label *saved; /**< borrowed; NULL: not of a session */
};

/** The columns of tables of label regions. */
extern const struct pp_columns pp_label_columns;

/** Regions in the order of a view. Begin with all zero. */
struct pp_label_table {
    struct pp_label_figures *row; /**< owned */
    size_t len;
    size_t left_out; /**< regions with smaller shares than the view's limit */
    struct pp_bracket_bias bias;
};

/**
 * Compute the figures of regions.
 *
 * @param rec  Its series get sorted.
 * @param view A pattern takes a region if its path matches, or if a pass matches that is in it but in no
 * region inside it.
 * @param ret  The caller finishes it.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int
pp_label_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_label_table *ret);

/** Free a table. */
void pp_label_table_finish(struct pp_label_table *table);

#endif
