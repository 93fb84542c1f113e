/** @file
 * Figures of one row of a table of draws. A part of draw_table.h, for its files only. */
#ifndef PP_CLI_ANALYSIS_DRAW_FIGURES_H
#define PP_CLI_ANALYSIS_DRAW_FIGURES_H

#include "cli/analysis/draw_table.h"

/** A draw's sum of a measure, as the CSV file has it. */
double pp_draw_value(const struct pp_saved_draw *draw, enum pp_draw_measure measure);

/** A draw's sum of the table's measure; of times, less the empty brackets. */
double pp_draw_net(const struct pp_saved_draw *draw, const struct pp_draw_table *table);

/** What the figures of one or several draws are made from. Begin with all zero. */
struct pp_draw_sums {
    double gross, net; /**< of the measure; net: of times, less the bias */
    uint64_t timed, rows;
    struct pp_saved_sum vertices, instances;
};

/** Add a draw. */
void pp_draw_sums_add(struct pp_draw_sums *sums, const struct pp_saved_draw *draw,
                      const struct pp_draw_table *table);

/** Make the figures of sums, as of one draw. @param times Of all its draws; sorted. */
struct pp_draw_figures pp_draw_figures_make(const struct pp_draw_table *table, struct pp_saved_draw *draw,
                                            const struct pp_draw_sums *sums, struct pp_series *times);

/** Compare two rows for qsort(): in the order of the view; rows that are equal there by their totals and
 * places. */
int pp_draw_figures_order(const struct pp_draw_figures *a, const struct pp_draw_figures *b,
                          const struct pp_view *view);

/** Is the share of a row large enough for the view? If not, the row counts as left out. */
bool pp_draw_table_takes(struct pp_draw_table *table, const struct pp_draw_figures *row,
                         const struct pp_view *view);

#endif
