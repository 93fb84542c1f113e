/** @file
 * Module: which functions and lines of the application cost how much GPU time, who calls whom, and what each
 * line of a source file costs. Prints nothing. See also print/annotation.h and commands/annotate.c. */
#ifndef PP_CLI_ANALYSIS_ANNOTATION_H
#define PP_CLI_ANALYSIS_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/analysis/stack_costs.h"

/** What a row of an annotation is. */
enum pp_annotate_by { PP_ANNOTATE_FUNCTION, PP_ANNOTATE_LINE, PP_ANNOTATE_FILE, PP_ANNOTATE_MODULE };

/** By which figure rows are ranked. */
enum pp_annotate_sort { PP_ANNOTATE_SELF, PP_ANNOTATE_TOTAL, PP_ANNOTATE_COUNTER };

/** Instead of a row: there is none. */
#define PP_NO_ROW SIZE_MAX

/** Rows of one stack at most: inlined functions make them more than its frames. */
#define PP_ANNOTATION_DEEPEST 4096U

/** A function, line, file or module. Texts belong to the stacks' pool or the annotation's; "": not known. */
struct pp_annotated {
    const char *name;     /**< for tables: function, FILE:LINE, file, module; MODULE+0xOFFSET where no symbol
                             is known */
    const char *function; /**< of rows that are functions or lines */
    const char *file;     /**< with its folder */
    const char *module;   /**< path; "" of code in no module */
    uint32_t line;        /**< of a row that is a line; else of the most expensive call; 0: not known */
    bool inlined;         /**< this function is only known inlined into others */
    double self_ns,
        total_ns;            /**< GPU time of work that it issued itself, and of all work that it asked for */
    double self_invocations; /**< of shaders, of its own actions; rows without times are ranked by it */
    uint64_t self_actions, total_actions;
    uint64_t self_passes;         /**< passes that it began itself */
    bool self_timed, total_timed; /**< GPU time of a part of this work was measured */
    double value, weight;         /**< of the counter, of all work that it asked for */
    double heaviest_ns;           /**< GPU time of `heaviest` */
    uint64_t heaviest_actions;    /**< actions of `heaviest` */
    size_t heaviest; /**< its most expensive stack, index: of the most GPU time, and where that is equal, of
                        the most actions; PP_NO_STACK: none */
};

/** A function in a stack. */
struct pp_annotated_place {
    size_t row;
    const struct pp_symbol *symbol; /**< NULL: none is known */
};

/** All rows. Everything in it is owned; begin with all zero. */
struct pp_annotation {
    const struct pp_call_stacks *stacks; /**< borrowed */
    const struct pp_stack_costs *costs;  /**< borrowed */
    enum pp_annotate_by by;
    struct pp_annotated *row; /**< ranked */
    size_t len, cap;
    size_t *first, *place; /**< rows of each address: place[first[a]] up to place[first[a + 1]], the innermost
                              first */
    uint32_t *seen;        /**< of each row, while stacks are added */
    size_t *first_cost, *of_row; /**< costs in whose stacks a row is: of_row[first_cost[r]] up to
                                    of_row[first_cost[r + 1]] */
    struct pp_text_pool texts;
    bool *skipped;                    /**< of each module: its functions issue no work themselves */
    const char *const *skip_function; /**< patterns of functions that issue none, borrowed */
    size_t skip_functions;
};

/** What is wanted. */
struct pp_annotation_wanted {
    enum pp_annotate_by by;
    enum pp_annotate_sort sort;
    const char *const *skip; /**< patterns of modules, borrowed */
    size_t skips;
    const char *const *skip_function; /**< patterns of functions, borrowed */
    size_t skip_functions;
};

/** Find what a row is by its name: "function", "line", "file", "module". @return false: there is none. */
bool pp_annotate_by_parse(const char *name, enum pp_annotate_by *ret);

/** The name of pp_annotate_by_parse() that is most like a wrong one. @return Static; NULL: none is near. */
const char *pp_annotate_by_near(const char *name);

/**
 * Make and rank the rows.
 *
 * @param ret Call pp_annotation_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_annotation_make(const struct pp_call_stacks *stacks,
                                                           const struct pp_stack_costs *costs,
                                                           const struct pp_annotation_wanted *wanted,
                                                           struct pp_annotation *ret);

/** The counter of a row: the sum, or the mean of a ratio; NaN: not measured. */
double pp_annotated_value(const struct pp_annotation *annotation, const struct pp_annotated *row);

/** Is the GPU time of the work known that a row issued itself? A row that issued none has 0, if any of the
 * work that it asked others for was measured. */
bool pp_annotated_has_self(const struct pp_annotated *row);

/** Places of a stack, the innermost first. What called main() is left out. @param ret Array for @p cap.
 * @return Their number, at most @p cap. */
size_t pp_annotation_stack(const struct pp_annotation *annotation, size_t stack,
                           struct pp_annotated_place *ret, size_t cap);

/** Does a pattern with * and ? match a function's name, or its name without namespaces and classes? */
bool pp_annotation_function_matches(const char *function, const char *pattern);

/** Free everything; the struct is all zero then. */
void pp_annotation_finish(struct pp_annotation *annotation);

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
