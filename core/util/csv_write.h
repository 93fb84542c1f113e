/** @file
 * RFC 4180 rows into a file that is valid at every moment: rows are gathered and written whole. Numbers
 * never pass through the locale. Knows nothing of what the cells mean. */
#ifndef PP_CORE_UTIL_CSV_WRITE_H
#define PP_CORE_UTIL_CSV_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/collect/output.h"

/** Files that are written before another one is. */
#define PP_CSV_BEFORES 3U

/** A row that waits: which bytes of other files must be there before it. */
struct pp_csv_mark {
    size_t end; /**< of the row in the buffer */
    uint64_t need[PP_CSV_BEFORES];
};

/** Files that can have a tail. */
#define PP_CSV_TAIL_FILES 4U

/** Rows at the ends of files that are written for now: rows of frames of which it is not known yet whether
 * they are frames. They are there after a kill; else other rows take their place. They stay in the files
 * until the first of these rows is written. Zero it first. */
struct pp_csv_tail {
    struct pp_csv *file[PP_CSV_TAIL_FILES]; /**< a file stands behind those whose rows its rows name */
    uint64_t from[PP_CSV_TAIL_FILES];       /**< where the tail of each begins */
    uint32_t files;
    bool there; /**< rows that are written now belong to the tail */
    bool stale; /**< the files have a tail that other rows will take the place of */
};

/** A CSV file being written. */
struct pp_csv {
    int fd;
    struct pp_empty *empty; /**< where reasons of empty cells are noted; borrowed; NULL: nowhere */
    int error;              /**< first -errno; nothing is written after it */
    uint64_t written;       /**< bytes in the file, always at the end of a row */
    char *buffer;
    size_t len;
    size_t cap;
    size_t row;     /**< where the row being written begins in the buffer */
    uint32_t cells; /**< of that row */
    uint64_t rows;  /**< complete ones, the header too */
    bool sums;      /**< rows are sums over passes: they lack the columns that sums do not have */
    struct pp_csv *const
        *before;              /**< written before this one is: frames.csv names rows of theirs; NULL: none */
    uint32_t befores;         /**< PP_CSV_BEFORES at most */
    struct pp_csv_mark *mark; /**< of each row that waits; lacks some without memory */
    uint32_t marks, mark_cap;
    int failed_before;        /**< -errno of those files; 0: none */
    int dir_fd;               /**< with a spare: its directory; borrowed */
    const char *name;         /**< with a spare: the file's name, */
    const char *spare;        /**< and that of the spare, by which pp_csv_widen() can write the file anew */
    int spare_fd;             /**< -1: none */
    struct pp_csv_tail *tail; /**< NULL: it can have none */
    bool behind; /**< the caller's: more waits to be written. Then all that is gathered goes into one write: a
                    third of the cost, but a SIGKILL in the middle of it likely tears a row */
};

/** Make a file in a directory; it must not exist, symbolic links are not followed. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_csv_open(struct pp_csv *csv, int dir_fd, const char *name);

/** The same, and a second, empty file beside it for pp_csv_widen(). Both names are borrowed as long as the
 * file is open, and so is the directory. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_csv_open_spare(struct pp_csv *csv, int dir_fd, const char *name,
                                                          const char *spare);

/** Flush and close. An empty spare is removed, where names may be touched. */
void pp_csv_close(struct pp_csv *csv);

/** Append a column's name to the header row, and to csv->empty. */
void pp_csv_column(struct pp_csv *csv, const char *name);

/** Append a text cell as pp_csv_text(); an empty text is an empty cell, for this reason. */
void pp_csv_text_or(struct pp_csv *csv, const char *text, enum pp_why why);

/** Append a text cell, quoted where RFC 4180 asks for it; bytes that are no UTF-8 become U+FFFD. */
void pp_csv_text(struct pp_csv *csv, const char *text);

/** Append a cell as it stands: what pp_csv_text() once made of a text. */
void pp_csv_rendered(struct pp_csv *csv, const char *bytes, size_t length);

/** Append a number. */
void pp_csv_u64(struct pp_csv *csv, uint64_t value);

/** Append a finite number: as many significant digits, from 15 on, as it takes to read the same number back;
 * whatever the locale. */
void pp_csv_f64(struct pp_csv *csv, double value);

/** Append an id as 16 hexadecimal digits. */
void pp_csv_id(struct pp_csv *csv, uint64_t id);

/** Append a value; empty if it is missing, for the reason that is its status. */
void pp_csv_value(struct pp_csv *csv, struct pp_value value);

/** Where the row goes on, for several cells written at once, with the commas before them: room for @p bytes.
 * @return NULL: nowhere, the file has failed. */
char *pp_csv_reserve(struct pp_csv *csv, size_t bytes);

/** Take what was written from pp_csv_reserve() up to @p end: so many cells. */
void pp_csv_advance(struct pp_csv *csv, const char *end, uint32_t cells);

/** Append the headers of a session's counters that such a file has; hidden ones have none. */
void pp_csv_columns(struct pp_csv *csv, const struct pp_session *session);

/** Append the counters of a row: session->columns values. */
void pp_csv_counters(struct pp_csv *csv, const struct pp_session *session, const struct pp_value *counter);

/**
 * Add columns at the right of a file that has a spare; the rows that it has get empty cells. Between two rows
 * only.
 *
 * The wider rows go into the spare, whose first byte is NUL until it is whole. Then both exchange their
 * names, and the older one is emptied. Where names must not be touched the wider rows are then copied over
 * the file, and the spare is emptied after it. So a reader takes the file or its spare, whichever begins with
 * the wider header; of two equal ones the spare.
 *
 * @retval 0, -errno: the file is as it was.
 */
__attribute__((warn_unused_result)) int pp_csv_widen(struct pp_csv *csv, const char *const *column,
                                                     uint32_t columns);

/** Append an empty cell, and note why it is empty. */
void pp_csv_empty(struct pp_csv *csv, enum pp_why why);

/** End the row; writes when enough is gathered. @retval 0, -errno of the first failure of this file. */
__attribute__((warn_unused_result)) int pp_csv_row(struct pp_csv *csv);

/** Write all complete rows. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_csv_flush(struct pp_csv *csv);

/** The file can have a tail from now on. Files come in the order in which they begin. NULL is allowed. */
void pp_csv_tail_add(struct pp_csv_tail *tail, struct pp_csv *csv);

/** Rows of all files belong to the tail from now on, until pp_csv_tail_drop(). */
void pp_csv_tail_begin(struct pp_csv_tail *tail);

/** The rows of the tail do not count any more, and other rows will take their place. */
void pp_csv_tail_drop(struct pp_csv_tail *tail);

/** Bytes of all complete rows, those that wait to be written too. */
uint64_t pp_csv_size(const struct pp_csv *csv);

#endif
