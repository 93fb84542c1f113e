/** @file
 * The tables of `passprobe annotate`, and a source file with the GPU time of its lines in the margin. See
 * also analysis/annotation.h. */
#ifndef PP_CLI_PRINT_ANNOTATION_H
#define PP_CLI_PRINT_ANNOTATION_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/annotation.h"

/** How the tables look. */
struct pp_annotation_look {
    const char *counter; /**< whose values have a column; NULL: none */
    size_t entries;      /**< most rows */
    bool callers, callees;
    size_t wrapper;  /**< row that hides who asked for nearly all work; PP_NO_ROW: none does */
    bool serialized; /**< the session was recorded with --serialize */
    bool (*takes)(void *data, const struct pp_annotated *row); /**< which rows are printed; NULL: all */
    void *data;
};

/** Print how much of the GPU time has stacks, and the table of rows: shares, time and actions in a frame,
 * name.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_annotation_print(FILE *out, const struct pp_annotation *annotation,
                                                            const struct pp_annotation_look *look);

/** Print a line for each module whose symbols are missing, and why, where a function of it issued work. */
void pp_annotation_print_modules(FILE *out, const struct pp_annotation *annotation);

/** The next module whose symbols are missing, where a function of it issued work. @param after NULL: the
 * first one is wanted. @return NULL: there is none. */
const struct pp_saved_module *pp_annotation_lacking(const struct pp_annotation *annotation,
                                                    const struct pp_saved_module *after);

/** Why a module has no symbols, or not all; NULL: it has, or nothing was looked up. Static. */
const char *pp_annotation_why(enum pp_module_state state);

/** Where sources are. Texts are borrowed. */
struct pp_source_places {
    const char *const *map; /**< "OLD=NEW": a path that begins with OLD begins with NEW here */
    size_t maps;
    bool only_mapped;  /**< no file is read that no map names: the session may be anybody's */
    double recorded_s; /**< when the session began, in seconds since 1970; NaN: not known */
};

/** Print the lines with costs, and those around them. Without the source, the lines' numbers. */
void pp_source_text_print(FILE *out, const char *file, const struct pp_source_costs *costs, double all_ns,
                          const struct pp_source_places *places);

#endif
