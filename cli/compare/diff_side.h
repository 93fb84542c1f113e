/** @file
 * A side of a comparison: runs of the same build. See diff.h. */
#ifndef PP_CLI_COMPARE_DIFF_SIDE_H
#define PP_CLI_COMPARE_DIFF_SIDE_H

#include "cli/compare/run.h"

/** A side. Begin with all zero. */
struct pp_diff_side {
    struct pp_run_figures *run; /**< owned */
    size_t runs, cap;
};

/** Read the run of a session, all runs of a file of summaries, or all runs of a folder of repeated runs that
 * count (session/runs_file.h), and append them to a side. @param why PP_RUN_WHY bytes. @retval As
 * pp_run_figures_read(). */
__attribute__((warn_unused_result)) int pp_diff_side_read(struct pp_diff_side *side, const char *path,
                                                          const struct pp_window_given *window, char *why);

/** Append a run to a side. @param run All zero then; unchanged on failure. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_side_append(struct pp_diff_side *side,
                                                            struct pp_run_figures *run);

/** Free the runs of a side; the struct is all zero then. */
void pp_diff_side_finish(struct pp_diff_side *side);

#endif
