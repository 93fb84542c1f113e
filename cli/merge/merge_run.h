/** @file
 * Runs of one workload become one session: the runs' files, the merge of a frame, and of all. */
#ifndef PP_CLI_MERGE_MERGE_RUN_H
#define PP_CLI_MERGE_MERGE_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/session/csv_read.h"
#include "counters/util/random.h"

/* Where the rows of each frame are in a CSV file of a session. Rows of a frame are neighbours as a rule, but
 * need not be. */

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

/* Which columns of the runs' files are compared, and which become cells of merged rows. Writes these rows. */

/** Where the cells of a merged column come from. */
enum pp_merge_rule {
    PP_MERGE_FIRST,      /**< the first run: times, places, texts */
    PP_MERGE_ANY,        /**< the first of the runs that has a value */
    PP_MERGE_BOTTLENECK, /**< likewise; but a unit is preferred to `under-used` */
    PP_MERGE_LEAST,      /**< the smallest value of all runs */
    PP_MERGE_MOST,       /**< the largest value of all runs */
    PP_MERGE_DIFFER      /**< number of runs that are not merged in this row */
};

/** A column of a merged file. */
struct pp_merge_column {
    const char *name; /**< borrowed from a run's header, or static */
    enum pp_merge_rule rule;
    size_t *at;     /**< column of each run; SIZE_MAX: the run has none */
    bool has_empty; /**< a merged row has no value here */
};

/** A count that is compared. */
struct pp_merge_compared {
    const char *name;  /**< borrowed */
    size_t first, run; /**< columns of the first run and of the other run */
    bool may_lack;     /**< equal if one of the cells is empty: a result may be lost */
};

/** The columns of one merged file. */
struct pp_merge_columns {
    struct pp_merge_column *column;
    size_t columns;
    size_t *memory;                      /**< of column[].at */
    struct pp_merge_compared **compared; /**< of each run */
    size_t *compared_len;
    size_t runs;
    const char **left_out; /**< names of columns that do not fit into PP_MERGE_COLUMNS, each once; borrowed
                              from the runs' headers. At most PP_MERGE_COLUMNS of them are noted */
    size_t left_outs, left_out_cap;
};

/**
 * Find the columns of a merged file: those of the first run, then in front of the metrics those that only
 * other runs have. What does not fit becomes `left_out`.
 *
 * @param run  Borrowed. The first one has the file.
 * @param ret  Owned by the caller, for pp_merge_columns_finish(), also on failure.
 * @retval 0, -ENOMEM. @retval -EFBIG The first run alone has too many.
 */
__attribute__((warn_unused_result)) int pp_merge_columns_make(const struct pp_merge_run *run, size_t runs,
                                                              enum pp_merge_file file,
                                                              struct pp_merge_columns *ret);

/** Compare the counts of two rows. @return The first count that differs; NULL: all are equal. */
const struct pp_merge_compared *pp_merge_columns_differ(const struct pp_merge_columns *columns, size_t run,
                                                        const struct pp_csv_row *first,
                                                        const struct pp_csv_row *other);

/** A cell of a row; an empty one where the row has none. */
struct pp_cell pp_merge_cell(const struct pp_csv_row *row, size_t at);

/** Free the memory. */
void pp_merge_columns_finish(struct pp_merge_columns *columns);

/** Write the header row. Errors stay in the stream. */
void pp_merge_cells_header(FILE *out, const struct pp_merge_columns *columns);

/**
 * Write a merged row from the rows that the runs' tables hold. Errors stay in the stream.
 * Notes which columns have empty cells.
 *
 * @param agree  Runs whose row is merged, with the first one.
 * @param differ Number of runs whose row is not; -1: the row is not compared.
 */
void pp_merge_cells_row(FILE *out, struct pp_merge_columns *columns, const struct pp_merge_run *run,
                        enum pp_merge_file file, const struct pp_run_set *agree, int differ);

/* Merges runs of one workload into one session: the first run has times and texts, each other run has the
 * counters of one counter set. Rows are merged where the counts of the work are equal. */

/** What to merge. */
struct pp_merge_request {
    const int *dir_fd;        /**< the sessions of the runs; -1: the run left none */
    const char *const *place; /**< where each session is kept; NULL: it is deleted */
    size_t runs;              /**< 1 to PP_MERGE_RUNS */
    const char *events;       /**< `-e` and `--runs-for` together */
    const char *runs_for;     /**< value of --runs-for */
    uint32_t wanted;          /**< runs that the events need */
    const char *ended;        /**< why there are fewer runs than that; NULL: there are not */
};

/**
 * Merge sessions into a directory.
 *
 * session.json is written first, with an `ended` that says that the session is not complete, and again at the
 * end. So a session whose merge was killed says so. The sessions of the runs are not changed.
 *
 * @param out_fd An empty directory; borrowed.
 * @retval 0
 * @retval -ENODATA The session of the first run cannot be read.
 * @retval -ENOMEM
 * @retval -errno   Writing failed; what was written is a session that is not complete.
 */
__attribute__((warn_unused_result)) int pp_merge(const struct pp_merge_request *request, int out_fd);

/* Goes through the frames of the first run, and writes the merged rows of each. */

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
