/** @file
 * A report in forms of other programs: CSV, Prometheus' text, collapsed stacks, a flame graph. As CSV: one
 * table, RFC 4180, one header row, an empty cell where a figure was not measured. A few figures for
 * Prometheus: the text that node_exporter's textfile collector and promtool read. Prints the figures of
 * analysis/; decides nothing. */
#ifndef PP_CLI_PRINT_REPORT_FORMS_H
#define PP_CLI_PRINT_REPORT_FORMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/stack_costs.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/**
 * Write the table that a view asks for: passes, unless it asks for something else. All rows are written.
 *
 * @param rec Its series get sorted.
 * @retval 0, -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_report_csv_write(FILE *out, struct pp_saved_session *rec,
                                                            const struct pp_view *view);

/**
 * Write the figures: about 25 series, whatever the session holds. They describe the surface with the most GPU
 * time. A figure that is not known has no series. The names of the series are in docs/fleet.md.
 *
 * @param report  Made by pp_report_json_make().
 * @param session session.json, for its tags.
 */
void pp_openmetrics_write(FILE *out, const json_t *report, const json_t *session);

/* A tree of GPU time as text that other tools read, and as a picture. See also analysis/stack_costs.h. */

/** Print collapsed stacks, as flamegraph.pl, inferno, speedscope and the Firefox Profiler read them: a line
 * for each node with time of its own, "root;node;node NANOSECONDS", without the name of the root. */
void pp_flame_print_folded(FILE *out, const struct pp_flame_tree *tree);

/** What a picture says. Texts are borrowed. */
struct pp_flame_look {
    const char *title;
    double frames; /**< measured frames: times are means of them */
    bool html;     /**< a page with a search field around the picture, else only the picture (SVG) */
};

/** Print a flame graph: each node is a box as wide as its GPU time, above the one that caused it. A click
 * shows a node in the whole width. */
void pp_flame_print_picture(FILE *out, const struct pp_flame_tree *tree, const struct pp_flame_look *look);

/** The script and the style of a picture: flame.js and flame.css, as tools/gen_text.py makes them. */
extern const char pp_flame_script[];
extern const char pp_flame_style[];

#endif
