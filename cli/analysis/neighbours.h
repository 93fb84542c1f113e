/** @file
 * Who calls a function of an annotation, and what it calls. Prints nothing. See also annotation.h. */
#ifndef PP_CLI_ANALYSIS_NEIGHBOURS_H
#define PP_CLI_ANALYSIS_NEIGHBOURS_H

#include "cli/analysis/annotation.h"

/** A row that calls another one, or is called by it. */
struct pp_annotated_neighbour {
    size_t row;       /**< PP_NO_ROW: the application's start, or the call to the graphics API */
    double ns;        /**< GPU time of the stacks in which both are neighbours; NaN: not measured */
    uint64_t actions; /**< of these stacks */
};

/**
 * Find the rows that call a row, or that it calls, with the GPU time in which they do. The largest comes
 * first; where times are equal or not known, the one with the most actions.
 *
 * @param ret_len At most @p cap are written.
 */
__attribute__((warn_unused_result)) int pp_annotation_neighbours(const struct pp_annotation *annotation,
                                                                 size_t row, bool callers,
                                                                 struct pp_annotated_neighbour *ret,
                                                                 size_t cap, size_t *ret_len);

/** Find the function, or line, through which nearly all work goes (more than 90 %) for several callers:
 * engines draw through one function. What it calls may be what issued the work, if it has no other caller.
 * @param ret PP_NO_ROW: there is none. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_annotation_wrapper(const struct pp_annotation *annotation,
                                                              size_t *ret);

#endif
