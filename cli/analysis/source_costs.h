/** @file
 * The GPU time of each line of one source file. Prints nothing. See also annotation.h. */
#ifndef PP_CLI_ANALYSIS_SOURCE_COSTS_H
#define PP_CLI_ANALYSIS_SOURCE_COSTS_H

#include "cli/analysis/annotation.h"

/** A line with calls that cost GPU time. */
struct pp_source_cost {
    uint32_t line;
    double self_ns, total_ns;
    uint64_t self_actions;
    bool self_timed, total_timed; /**< GPU time of a part of this work was measured */
};

/** Lines of a file, ascending. Owned; begin with all zero. */
struct pp_source_costs {
    struct pp_source_cost *line;
    size_t len, cap;
};

/**
 * Add up the costs of a file's lines.
 *
 * @param file     As the rows of the annotation have it.
 * @param function Only lines of this function; NULL: of all.
 * @param ret      The caller frees ret->line.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_source_costs_make(const struct pp_annotation *annotation,
                                                             const char *file, const char *function,
                                                             struct pp_source_costs *ret);

#endif
