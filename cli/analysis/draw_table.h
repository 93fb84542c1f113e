/** @file
 * Figures of the draws that a session shows, alone and in groups, and their order. Prints nothing. See also
 * print/report.h. */
#ifndef PP_CLI_ANALYSIS_DRAW_TABLE_H
#define PP_CLI_ANALYSIS_DRAW_TABLE_H

#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** What the draws of a table are ranked by. Draws without GPU time are ranked by the first of the other
 * measures that any of them has. */
enum pp_draw_measure { PP_DRAWS_BY_TIME, PP_DRAWS_BY_INVOCATIONS, PP_DRAWS_BY_VERTICES, PP_DRAWS_BY_COUNT };

/** Figures of a draw, or of a group of draws. Times are less the bias. Numbers that are not known are NaN,
 * texts that differ in a group are "". Texts are borrowed. */
struct pp_draw_figures {
    struct pp_saved_draw *draw; /**< borrowed; of a group, one of its draws */
    const char *id, *call, *pipeline, *label, *pass_id, *surface;
    const char *begun_at;         /**< innermost call that issued it; NULL: not known */
    const char *name;             /**< shader program or pipeline, or of draws without any, the call */
    const char *ranked_by;        /**< the measure, as JSON names it */
    const char *shape, *shown_id; /**< as tables print them; NULL: not made */
    size_t group;                 /**< draws of the same group have the same number */
    bool member;                  /**< a draw of the group whose row is above */
    bool one_pass;                /**< all draws of the group are in the pass of `draw` */
    bool is_call;                 /**< `name` is that of the call */
    double place;                 /**< in the frame */
    double draws;                 /**< in this row: 1, or those of the group */
    double count;                 /**< rows of draws.csv */
    double rows_per_frame;        /**< such rows in a frame whose draws were measured */
    double total;                 /**< of the measure, over all frames */
    double share_percent;         /**< of the table's draws */
    double per_frame;             /**< of the measure, in a frame whose draws were measured */
    double frame_ns, invocations; /**< the same, where this is the measure */
    double mean, p95, p99, max;   /**< of one row; percentiles and maximum of times only */
    double mean_ns;               /**< the mean, where the measure is time */
    double max_frame;             /**< number of the frame with max */
    double vertices, instances;   /**< means of the rows that have them */
    bool unresolved;              /**< the mean is below the resolution of brackets */
};

/** The columns of tables of draws, and of the draw groups of JSON. */
extern const struct pp_columns pp_draw_columns;

/** Draws with GPU time, or draws without. Owned. */
struct pp_draw_table {
    struct pp_draw_figures *row;
    size_t len;
    size_t draws;            /**< in all rows */
    bool grouped;            /**< rows are groups, or draws below their groups */
    enum pp_by by;           /**< of groups: PP_BY_PROGRAM or PP_BY_CALL */
    size_t left_out;         /**< draws with smaller shares than the view's limit */
    double left_out_percent; /**< their share */
    enum pp_draw_measure measure;
    double frames;                      /**< whose draws were measured */
    double all;                         /**< the measure's sum over all shown draws */
    const struct pp_saved_session *rec; /**< borrowed */
};

/** Both tables. Begin with all zero. */
struct pp_draw_tables {
    struct pp_draw_table table[2];
    size_t len; /**< tables that have draws */
};

/**
 * Compute the figures of the draws that pp_saved_show() chose.
 *
 * Draws are in groups if the view asks for groups. They are also in groups, by shader program or pipeline, if
 * a table would have more than @p most rows: then each group has a row, and the rows that are left show the
 * most expensive draws below the rows of their groups, by place.
 *
 * @param rec  Its draws get sorted. The tables are valid until pp_saved_show() is called again.
 * @param most Rows that will be printed; SIZE_MAX: all draws, without groups.
 * @param ret  The caller finishes it.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_draw_tables_make(struct pp_saved_session *rec,
                                                            const struct pp_view *view, size_t most,
                                                            struct pp_draw_tables *ret);

/** Free both tables. */
void pp_draw_tables_finish(struct pp_draw_tables *tables);

#endif
