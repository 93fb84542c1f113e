/** @file
 * Which passes of two frames are the same pass? Equal ids decide where they are sure. Where several passes
 * look alike, ids contain an ordinal, which a new pass shifts; there an alignment of the two sequences
 * decides, as diff aligns lines. Knows no session and no statistics. See also match.c. */
#ifndef PP_CLI_COMPARE_MATCH_H
#define PP_CLI_COMPARE_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Instead of an index: none. */
#define PP_MATCH_NONE SIZE_MAX

/** Most comparisons of two passes in one alignment. Beyond, only ids decide: about 4,000 passes that look
 * alike. */
#define PP_MATCH_CELLS_MOST ((size_t)16 << 20)

/** Most difference in time between a removed and an added pass that may be one renamed pass. */
#define PP_MATCH_RENAMED_PERCENT 20.0

/** What is known of a pass. Texts are borrowed and never NULL. */
struct pp_match_pass {
    const char *pass_id;     /**< empty: none */
    const char *kind;        /**< render, compute, ... */
    const char *label;       /**< path of label regions; empty: none */
    const char *name;        /**< of the render target */
    const char *attachments; /**< as in passes.csv: `role=format:load/store`, separated by blanks */
    uint32_t width, height;  /**< 0: not known */
    uint32_t samples;        /**< 0: not known */
    double draws;            /**< actions of the pass: draws, or where it has none, dispatches or copies */
    double time;             /**< its cost, in any unit; NaN: not known */
};

/** How a row of a match was found. */
enum pp_match_how {
    PP_MATCH_ID,      /**< both passes have this id */
    PP_MATCH_ALIGNED, /**< the ids differ; the alignment paired the passes. Tables mark such rows with ~ */
    PP_MATCH_REMOVED, /**< only the old frame has the pass */
    PP_MATCH_ADDED,   /**< only the new frame has the pass */
};

/** A pass of one frame or of both. */
struct pp_match_row {
    enum pp_match_how how;
    size_t old_at;  /**< index of the old pass; PP_MATCH_NONE: there is none */
    size_t new_at;  /**< index of the new pass; PP_MATCH_NONE: there is none */
    size_t renamed; /**< of a removed or added pass: index of the row that may be the same pass under another
                       name; PP_MATCH_NONE: no such row */
};

/** All passes of both frames, in the order of the new frame; removed ones are where they were. */
struct pp_match {
    struct pp_match_row *row; /**< owned */
    size_t len;
    bool capped; /**< there were too many passes to align: some rows were matched only by id */
};

/**
 * Match the passes of two frames.
 *
 * A pass whose id both frames have is the same pass, unless one of the frames has several passes with the
 * same kind and label, or without labels with the same kind, name, and formats and roles of attachments. Such
 * passes are aligned: passes of one kind are paired in order so that attachments, sizes, samples, names,
 * labels and draws differ as little as possible; of pairs that are equally good, those with the same id and
 * similar times. Ordinals do not count. Time and memory are bounded by PP_MATCH_CELLS_MOST.
 *
 * @param olds, news  Passes of each frame, in their order in the frame. Either may be empty.
 * @param ret         The caller finishes it; unchanged on failure.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_match_make(const struct pp_match_pass *old_pass, size_t olds,
                                                      const struct pp_match_pass *new_pass, size_t news,
                                                      struct pp_match *ret);

/** Free the memory of a match. The struct is empty afterwards. */
void pp_match_finish(struct pp_match *match);

#endif
