/** @file
 * Reads CSV row by row, from files that may be truncated, foreign or hostile, and splits a row of CSV into
 * cells where it is in memory: nearly all rows are plain ones, which take this way. Knows no column by name.
 * Next module: saved_session.h. */
#ifndef PP_CLI_SESSION_CSV_READ_H
#define PP_CLI_SESSION_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** One cell. Valid until the row's callback returns. */
struct pp_cell {
    const char *text; /**< NUL-terminated; "" if absent */
    size_t len;
    bool present; /**< false: an empty cell, or a row that was too short: not measured */
};

/** Columns of a file at most. */
#define PP_CSV_COLUMNS_MOST 4096U

/** Receives a file's rows; the header first. Return false to stop reading. */
struct pp_csv_reader {
    bool (*header)(void *data, const struct pp_cell *cell, size_t cells);
    bool (*row)(void *data, const struct pp_cell *cell,
                size_t cells); /**< cells: as many as the header has */
    void *data;
    uint64_t *damaged; /**< counts rows that hold a NUL byte, which are left out; NULL: not counted */
    uint64_t *rows;    /**< counts all rows after the header, damaged ones too; NULL: not counted */
    uint64_t *place; /**< set to the byte of the file at which a row begins, before row(); NULL: not needed */
    bool keeps_blanks; /**< cells without quotes keep the blanks at their ends */
};

/**
 * Read a file in a folder that is open. A last row without a line break was torn by a kill and is left out.
 *
 * @retval 0         Read to the end, or a callback stopped it.
 * @retval -ENODATA  No whole header row.
 * @retval -EINVAL   A header row with a NUL byte.
 * @retval -EMSGSIZE A cell of more than 1 MiB, or a header row of more than 4096 cells.
 * @retval -ENOMEM   No memory.
 * @retval -errno    The file cannot be read; -ENOTSUP: it is a FIFO, a device or the like.
 */
__attribute__((warn_unused_result)) int pp_csv_read(int dir_fd, const char *name,
                                                    const struct pp_csv_reader *reader);

/** Read CSV from memory as pp_csv_read() reads a file; for tests and the fuzz target. */
__attribute__((warn_unused_result)) int pp_csv_read_text(const char *text, size_t len,
                                                         const struct pp_csv_reader *reader);

/** A row. Valid until the next call for its file. */
struct pp_csv_row {
    const struct pp_cell *cell; /**< as many as the header has */
    size_t cells;
    uint64_t begin, end; /**< bytes of the file where the row begins, and after it */
};

/** A file that is read row by row. */
struct pp_csv_file;

/**
 * Open a file, of which nothing is read yet.
 *
 * @param reader Is copied. Only pp_csv_file_part() calls its functions; its counts are those of all rows.
 * NULL: none.
 * @retval 0, -errno As pp_csv_read().
 */
__attribute__((warn_unused_result)) int
pp_csv_file_open(int dir_fd, const char *name, const struct pp_csv_reader *reader, struct pp_csv_file **ret);

/**
 * Read the next row, the header first.
 *
 * @retval 1      There is a row.
 * @retval 0      The end of the file.
 * @retval -errno As pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_csv_file_next(struct pp_csv_file *file, struct pp_csv_row *ret);

/** Go to a byte of the file at which a row begins: it is the next one. After the header was read. @retval 0,
 * -errno. */
__attribute__((warn_unused_result)) int pp_csv_file_seek(struct pp_csv_file *file, uint64_t to);

/** Read a part of the file after the header: the rows from the byte @p from on, at which a row begins, up to
 * the byte @p to. @retval 0, -errno As pp_csv_read(). */
__attribute__((warn_unused_result)) int pp_csv_file_part(struct pp_csv_file *file, uint64_t from,
                                                         uint64_t to);

/** Close a file, and free what it has. NULL is fine. */
void pp_csv_file_close(struct pp_csv_file *file);

/** Numbers beyond this one are in damaged files only. */
#define PP_CELL_MOST PP_VALUE_REAL_MAX

/** The cell as a decimal number of PP_CELL_MOST at most, whatever the locale. @return false: absent or none.
 */
__attribute__((warn_unused_result)) bool pp_cell_number(const struct pp_cell *cell, double *ret);

/** The cell as a number. @return NaN: it is absent, or none. */
double pp_cell_value(const struct pp_cell *cell);

/** Is the cell this text? */
bool pp_cell_is(const struct pp_cell *cell, const char *text);

/** Bytes after a text that pp_csv_split() may read, and does not use. */
#define PP_CSV_SPLIT_BEHIND 64U

/** What a text begins with. */
enum pp_csv_row_kind {
    PP_CSV_PLAIN, /**< a plain row, which was split */
    PP_CSV_OPEN,  /**< a row that goes on after the text, as far as can be seen */
    PP_CSV_OTHER, /**< another row; the text is unchanged */
};

/**
 * Split the first row of a text, if it is plain: its cells neither begin nor end with a blank or a tab, and
 * are either without quotes or as a whole in quotes, without quotes inside.
 *
 * @param text     Does not begin with a line end. Each cell of a plain row gets a NUL after it here.
 * @param len      Bytes of @p text; PP_CSV_SPLIT_BEHIND more bytes can be read.
 * @param cell     Memory for @p cells cells. Missing cells become absent ones, surplus ones are left out.
 * @param ret_size Bytes of a plain row with the first byte of its line end.
 */
enum pp_csv_row_kind pp_csv_split(char *text, size_t len, struct pp_cell *cell, size_t cells,
                                  size_t *ret_size);

/**
 * Put the bytes back that the NULs of a plain row represent. A line end becomes '\n'.
 *
 * @param text The row, with anything before it.
 * @param end  Bytes of @p text up to and with the row's line end.
 * @param cell What pp_csv_split() made of the row.
 */
void pp_csv_join(char *text, size_t end, const struct pp_cell *cell, size_t cells);

#endif
