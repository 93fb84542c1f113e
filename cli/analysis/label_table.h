/** @file
 * Figures of the label regions of a session, and their order. Prints nothing. See also print/passes.h. */
#ifndef PP_CLI_ANALYSIS_LABEL_TABLE_H
#define PP_CLI_ANALYSIS_LABEL_TABLE_H

#include "cli/analysis/accuracy.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

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
