/** @file
 * Goes through the frames of the first run, and writes the merged rows of each. */
#ifndef PP_CLI_MERGE_MERGE_FRAMES_H
#define PP_CLI_MERGE_MERGE_FRAMES_H

#include <stdio.h>

#include "cli/merge/merge_columns.h"
#include "counters/util/random.h"

/** A merge. */
struct pp_merge {
    struct pp_merge_run *run; /**< the first one has the rows; the others are merged with it */
    size_t runs;
    size_t merged_runs; /**< of the others: not left out */
    struct pp_merge_columns columns[PP_MERGE_FILES];
    FILE *out[PP_MERGE_FILES];         /**< NULL: the first run has no such file */
    uint64_t rows[PP_MERGE_FILES];     /**< that were written */
    uint64_t framed[PP_MERGE_FILES];   /**< of these, rows with a frame: they were compared */
    uint64_t agree[PP_MERGE_FILES];    /**< of these, rows in which all runs agree */
    struct pp_merge_frame *frame;      /**< internal */
    char session_id[PP_RANDOM_ID_MAX]; /**< of the merged session; "": the kernel gave no random bytes */
};

/**
 * Merge all frames. The row of a frame is written after its rows of passes and draws, as in any session.
 * Rows of the first run without a frame follow; they are not compared.
 *
 * @param merge run, runs, columns and out are set.
 * @retval 0
 * @retval -ENOMEM
 * @retval -errno  Reading the first run or writing failed.
 */
__attribute__((warn_unused_result)) int pp_merge_frames(struct pp_merge *merge);

#endif
