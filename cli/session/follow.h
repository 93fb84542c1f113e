/** @file
 * Reads the new rows of a CSV file that another process still writes. Knows no column. See also csv_read.h.
 */
#ifndef PP_CLI_SESSION_FOLLOW_H
#define PP_CLI_SESSION_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/csv_read.h"

/** A file being followed. Begin with all zero. */
struct pp_follow {
    char *header; /**< the file's first row with its line break; owned; NULL: not read yet */
    size_t header_len;
    uint64_t at;   /**< bytes of the file whose rows were given */
    char last[64]; /**< the bytes before them, to notice that the file was written anew */
    size_t last_len;
    bool again;    /**< the file was written anew: rows that were given before may be given again */
    uint64_t tail; /**< set before the first call: begin with the rows in this many bytes at the file's end;
                      0: with the first row */
};

/**
 * Give the complete rows that were appended since the last call. The header is given once in each call with
 * rows, or more often. Where the file was replaced, or where other rows are in place of a draft
 * (docs/formats/session.md), all its rows are given, and follow->again is set.
 *
 * @param dir_fd Folder that @p name is in.
 * @param reader Its header() and row(), which must not return false.
 * @retval 0       Given, or there is nothing new; also where the file does not exist yet.
 * @retval -errno  It cannot be read; -EMSGSIZE: a row has more than 1 MiB.
 */
__attribute__((warn_unused_result)) int pp_follow_read(struct pp_follow *follow, int dir_fd, const char *name,
                                                       const struct pp_csv_reader *reader);

/** Free everything; the struct is all zero then, except for `tail`. */
void pp_follow_finish(struct pp_follow *follow);

#endif
