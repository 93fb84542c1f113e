/** @file
 * What `annotate` was asked for: a function, or a file with a line. Prints nothing. */
#ifndef PP_CLI_ANALYSIS_ANNOTATION_TARGET_H
#define PP_CLI_ANALYSIS_ANNOTATION_TARGET_H

#include "cli/analysis/annotation.h"

/** Functions of a target at most; those with the most GPU time are taken. */
#define PP_TARGET_FUNCTIONS 16U

/** A target. Begin with all zero: then it takes all rows. */
struct pp_annotation_target {
    const char *function[PP_TARGET_FUNCTIONS]; /**< names, borrowed from the annotation */
    size_t functions;
    const char *file; /**< path, borrowed from the annotation; NULL: the target is no file */
    uint32_t line;    /**< 0: all lines */
};

/**
 * Find what a word means: a function by its whole name, by its name without namespaces and classes, or by a
 * part of its name; else a file by the end of its path, with ":LINE" after it or not.
 *
 * @param functions An annotation by function.
 * @param lines     An annotation by line.
 * @return Is there such a function or file?
 */
bool pp_annotation_target_find(const struct pp_annotation *functions, const struct pp_annotation *lines,
                               const char *word, struct pp_annotation_target *ret);

/** Is a row of the target? @param target A struct pp_annotation_target. */
bool pp_annotation_target_takes(void *target, const struct pp_annotated *row);

#endif
