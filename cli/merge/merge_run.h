/** @file
 * One of the runs that are merged: its session's files.
 *
 * Where the rows of each frame are in a CSV file of a session. Rows of a frame are neighbours as a rule, but
 * need not be. */
#ifndef PP_CLI_MERGE_MERGE_RUN_H
#define PP_CLI_MERGE_MERGE_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/session/csv_read.h"

/** Neighbouring rows of one frame. */
struct pp_frame_place {
    uint64_t frame;
    uint64_t offset;  /**< of the first row */
    uint32_t surface; /**< of frames.csv; 0 in the other files */
    bool done;        /**< for the user of the index */
};

/** The index of a file; sorted by surface, frame and offset. Begin with all zero. */
struct pp_frame_places {
    struct pp_frame_place *place;
    size_t len, cap;
    uint64_t rows; /**< of the file, with or without a frame */
};

/** Read a cell that is a whole number. @return false: it is none. */
bool pp_frame_places_number(const struct pp_cell *cell, uint64_t *ret);

/**
 * Index the rest of a file.
 *
 * @param frame_at   Column `frame`.
 * @param surface_at Column `surface`; SIZE_MAX: the file has none.
 * @retval 0       Read. Rows without a frame are counted only.
 * @retval -EFBIG  There are more than 16,777,216 places.
 * @retval -ENOMEM, -errno As for pp_csv_file_next().
 */
__attribute__((warn_unused_result)) int pp_frame_places_read(struct pp_csv_file *file, size_t frame_at,
                                                             size_t surface_at, struct pp_frame_places *ret);

/** Find the first place of a frame. @return SIZE_MAX: there is none. */
size_t pp_frame_places_find(const struct pp_frame_places *places, uint32_t surface, uint64_t frame);

/** Find the first place of a surface. @return SIZE_MAX: there is none. */
size_t pp_frame_places_of_surface(const struct pp_frame_places *places, uint32_t surface);

/** Is place @p at + 1 of the same frame as place @p at? */
bool pp_frame_places_goes_on(const struct pp_frame_places *places, size_t at);

/** Has the file frames of several surfaces? */
bool pp_frame_places_several(const struct pp_frame_places *places);

/** Free the index. */
void pp_frame_places_finish(struct pp_frame_places *places);

/** Most runs: one without counters, and two for each of PP_ROTATION_SETS. */
#define PP_MERGE_RUNS 129U

/** Some of the runs. */
struct pp_run_set {
    uint64_t bit[(PP_MERGE_RUNS + 63) / 64];
};

/** Add a run. */
static inline void
pp_run_set_add(struct pp_run_set *set, size_t run)
{
    set->bit[run / 64] |= UINT64_C(1) << run % 64;
}

/** Is this run one of them? */
static inline bool
pp_run_set_has(const struct pp_run_set *set, size_t run)
{
    return (set->bit[run / 64] >> run % 64 & 1) != 0;
}

/** The files whose rows are merged. */
enum pp_merge_file { PP_MERGE_FRAMES, PP_MERGE_PASSES, PP_MERGE_DRAWS, PP_MERGE_FILES };

/** Name of a file. */
const char *pp_merge_file_name(enum pp_merge_file file);

/** One CSV file of a run. */
struct pp_merge_table {
    bool there;               /**< false: the session has no such file (levels frame and pass) */
    struct pp_csv_file *file; /**< owned; NULL: nothing is open */
    char **column;            /**< the names in its header; owned */
    size_t columns;
    struct pp_csv_row row; /**< that was read last */
    struct pp_frame_places places;
    uint64_t first;                              /**< offset of the first row after the header */
    size_t frame_at, surface_at, id_at, pass_at; /**< columns; SIZE_MAX: none */
};

/** Why a row of a run is not merged. */
enum pp_merge_difference {
    PP_MERGE_NO_FRAME, /**< the run has no such frame */
    PP_MERGE_NO_ROW,   /**< the frame has no such pass or action, or in another order */
    PP_MERGE_COUNTS,   /**< a count differs */
    PP_MERGE_PARTS,    /**< a part of it differs: an action of the pass, a pass of the frame */
    PP_MERGE_DIFFERENCES
};

/** Rows that were not merged for one reason, and the first of them. */
struct pp_merge_differing {
    uint64_t rows;
    uint64_t frame, pass, draw; /**< of the first row; UINT64_MAX: it has none */
    char column[64];            /**< the count that differs; "": none */
};

/** A run. */
struct pp_merge_run {
    int dir_fd; /**< borrowed */
    json_t *json;
    struct pp_merge_table table[PP_MERGE_FILES];
    const char *left_out; /**< why nothing of it is merged; NULL: it is merged */
    uint64_t merged[PP_MERGE_FILES];
    struct pp_merge_differing differing[PP_MERGE_FILES][PP_MERGE_DIFFERENCES];
};

/** A column of a file. @return SIZE_MAX: there is none of this name. */
size_t pp_merge_column_of(const struct pp_merge_table *table, const char *name);

/** Open the files of a run's session, and index them. What is wrong with them becomes `left_out`.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_merge_run_open(struct pp_merge_run *ret, int dir_fd);

/** Find out whether a run can be merged with the first one: the same device and level. What is wrong becomes
 * `left_out`. */
void pp_merge_run_check(struct pp_merge_run *run, const struct pp_merge_run *first);

/** Close and free everything. */
void pp_merge_run_finish(struct pp_merge_run *run);

#endif
