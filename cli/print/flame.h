/** @file
 * A tree of GPU time as text that other tools read, and as a picture. See also analysis/stack_costs.h. */
#ifndef PP_CLI_PRINT_FLAME_H
#define PP_CLI_PRINT_FLAME_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/stack_costs.h"

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
