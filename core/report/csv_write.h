/** @file
 * Writer of RFC 4180 rows. The file is valid at every moment, because rows are gathered and written whole.
 * Preliminary rows at the ends of the files (their tail) are replaced by other rows later. Writing numbers is
 * the collector's most frequent task; their text never depends on the locale. Collector thread only. This
 * file does not know what the cells mean. */
#ifndef PP_CORE_REPORT_CSV_WRITE_H
#define PP_CORE_REPORT_CSV_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/model/empty_cells.h"
#include "core/model/row.h"

/** Bytes that any number needs: 20 digits, written eight at a time. */
#define PP_NUMBER_ROOM 24U

/** Bytes that an id needs. */
#define PP_ID_ROOM 16U

/** The numbers 0 to 99 as two digits each. */
static const char pp_digit_pair[] = "00010203040506070809101112131415161718192021222324"
                                    "25262728293031323334353637383940414243444546474849"
                                    "50515253545556575859606162636465666768697071727374"
                                    "75767778798081828384858687888990919293949596979899";

/** Write a number of 10,000 or more. @p to holds PP_NUMBER_ROOM bytes. @return The byte after the last
 * digit. */
char *pp_put_long_number(char *to, uint64_t value);

/** Write an id as 16 hexadecimal digits. @p to holds PP_ID_ROOM bytes. @return The byte after the last
 * digit. */
char *pp_put_id(char *to, uint64_t id);

/** Write a number without leading zeros. @p to holds PP_NUMBER_ROOM bytes. @return The byte after the last
 * digit. Hot. */
static inline char *
pp_put_number(char *to, uint64_t value)
{
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    if (value >= 10000)
        return pp_put_long_number(to, value);
    uint32_t high = (uint32_t)value / 100, low = (uint32_t)value % 100;
    if (high >= 10) {
        memcpy(to, pp_digit_pair + 2 * (size_t)high, 2);
        to += 2;
    } else if (high) {
        *to++ = (char)('0' + high);
    }
    memcpy(to, pp_digit_pair + 2 * (size_t)low, 2);
    return to + 2;
}

/** Maximum number of CSV files of a session. */
#define PP_CSV_FILES PP_EMPTY_FILES

/** A waiting row, and the bytes of other files that must be written before it. */
struct pp_csv_mark {
    size_t end; /**< of the row in the buffer */
    uint64_t need[PP_CSV_FILES];
};

struct pp_csv_tail;

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
    uint32_t cells; /**< cells of the row being written */
    uint64_t rows;  /**< complete rows, including the header */
    bool sums;      /**< rows are sums over passes: columns that are not defined for sums are left out */
    struct pp_csv *const *before; /**< files that are written before this one, because frames.csv names their
                                     rows; NULL: none */
    uint32_t befores;             /**< PP_CSV_FILES at most */
    struct pp_csv_mark *mark;     /**< one for each waiting row; some are missing after -ENOMEM */
    uint32_t marks, mark_cap;
    int failed_before;        /**< first -errno of the files in `before`; 0: none */
    int dir_fd;               /**< with a spare: its directory; borrowed */
    const char *name;         /**< the file's name, if it has a spare */
    const char *spare;        /**< name of the spare, with which pp_csv_widen() can write the file anew */
    int spare_fd;             /**< descriptor of the spare; -1: none */
    struct pp_csv_tail *tail; /**< NULL: the file cannot have a tail */
    bool behind; /**< set by the caller: more rows wait to be written. Then all gathered rows go into one
                    write, at a third of the cost; a SIGKILL during that write likely tears a row */
};

/** Make a file in a directory. The file must not exist; symbolic links are not followed. @retval 0,
 * -errno. */
__attribute__((warn_unused_result)) int pp_csv_open(struct pp_csv *csv, int dir_fd, const char *name);

/** Make a file like pp_csv_open(), and a second, empty file next to it (the spare) for pp_csv_widen().
 * Both names and the directory are borrowed until pp_csv_close(). @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_csv_open_spare(struct pp_csv *csv, int dir_fd, const char *name,
                                                          const char *spare);

/** Flush and close the file. An empty spare is removed, if file names may be changed. */
void pp_csv_close(struct pp_csv *csv);

/** Append a column's name to the header row and to csv->empty. */
void pp_csv_column(struct pp_csv *csv, const char *name);

/** Append a text cell like pp_csv_text(). An empty text gives an empty cell, with @p why as its reason. */
void pp_csv_text_or(struct pp_csv *csv, const char *text, enum pp_why why);

/** Append a text cell, quoted where RFC 4180 requires it. Bytes that are not UTF-8 become U+FFFD. */
void pp_csv_text(struct pp_csv *csv, const char *text);

/** Append an already rendered cell: bytes that pp_csv_text() has made of a text. */
void pp_csv_rendered(struct pp_csv *csv, const char *bytes, size_t length);

/** Append a number. */
void pp_csv_u64(struct pp_csv *csv, uint64_t value);

/** Append a number; 0 gives an empty cell, with @p why as its reason. */
void pp_csv_number_or(struct pp_csv *csv, uint64_t value, enum pp_why why);

/** Append a finite number with at least 15 significant digits, and as many as are needed to read the same
 * number back. Does not depend on the locale. */
void pp_csv_f64(struct pp_csv *csv, double value);

/** Append an id as 16 hexadecimal digits. */
void pp_csv_id(struct pp_csv *csv, uint64_t id);

/** Append a value. A missing value gives an empty cell; the value's status is the reason. */
void pp_csv_value(struct pp_csv *csv, struct pp_value value);

/** Reserve @p bytes at the end of the row, to write several cells at once with the commas before them.
 * @return Where to write; NULL: the file has failed. */
char *pp_csv_reserve(struct pp_csv *csv, size_t bytes);

/** Append the cells that the caller has written from pp_csv_reserve() up to @p end. @p cells is their
 * number. */
void pp_csv_advance(struct pp_csv *csv, const char *end, uint32_t cells);

/** Append an empty cell, and note the reason. */
void pp_csv_empty(struct pp_csv *csv, enum pp_why why);

/** End the row. Writes to the file when enough rows are gathered. @retval 0, or the first -errno of this
 * file. */
__attribute__((warn_unused_result)) int pp_csv_row(struct pp_csv *csv);

/** Write all complete rows. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_csv_flush(struct pp_csv *csv);

/** Bytes of all complete rows, including rows that wait to be written. */
uint64_t pp_csv_size(const struct pp_csv *csv);

/** Preliminary rows at the ends of files. They belong to frames for which it is still open whether they
 * are frames. The rows survive a kill of the application. Otherwise other rows replace them, and they
 * stay in the files until the first of those rows is written. Zero the struct before use. */
struct pp_csv_tail {
    struct pp_csv *file[PP_CSV_FILES]; /**< a file comes after the files whose rows it names */
    uint64_t from[PP_CSV_FILES];       /**< offset at which the tail of each file begins */
    uint32_t files;
    bool there; /**< rows that are written now belong to the tail */
    bool stale; /**< the files have a tail that other rows will replace */
};

/** Allow the file to have a tail from now on. Add files in the order in which they begin. @retval 0, -ENOSPC:
 * too many files. */
__attribute__((warn_unused_result)) int pp_csv_tail_add(struct pp_csv_tail *tail, struct pp_csv *csv);

/** Start the tail: rows of all files belong to it until pp_csv_tail_drop(). */
void pp_csv_tail_begin(struct pp_csv_tail *tail);

/** Drop the tail: its rows do not count any more, and later rows will replace them. */
void pp_csv_tail_drop(struct pp_csv_tail *tail);

/** Remove a tail that is not valid any more from the files. A file is cut before the files whose rows it
 * names. @p tail may be NULL. */
void pp_csv_tail_cut(struct pp_csv_tail *tail);

/** Remove a file that will be closed from its tail. */
void pp_csv_tail_leave(struct pp_csv *csv);

/** Find the offset at which the tail of the file begins. @return NULL: the file has no tail now. */
uint64_t *pp_csv_tail_from(const struct pp_csv *csv);

#endif
