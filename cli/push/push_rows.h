/** @file
 * Makes the rows of many sessions' tables from one session, checks them, and gives them to what stores them.
 * Is a format of `passprobe export` (export_format.h). Knows no server. See also push_tables.h. */
#ifndef PP_CLI_PUSH_PUSH_ROWS_H
#define PP_CLI_PUSH_PUSH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/export_session.h"
#include "cli/push/push_facts.h"
#include "cli/push/push_tables.h"
#include "counters/util/sha256.h"

/** A counter with its value, or a tag with its text. */
struct pp_push_pair {
    const char *name;
    struct pp_export_value value;
};

/** A row of a table. Valid until the sink returns. */
struct pp_push_row {
    const struct pp_export_value *value; /**< as many as the table has columns; of a column that is not
                                            optional never NULL, and always in the range of its type */
    const struct pp_push_pair *pair;     /**< none of them is NULL */
    size_t pairs;
};

/** Takes rows. */
struct pp_push_sink {
    /** Take a row. The row of PP_PUSH_SESSIONS is the last one. @retval 0, -errno: pp_export_session() stops
     * and returns it. */
    int (*row)(void *data, enum pp_push_table table, const struct pp_push_row *row);
    void *data;
};

/** Most numbers of a set. A session has some hundred passes. */
#define PP_PUSH_SEEN_MOST 65536U

/** A set of numbers, to find out which one comes for the first time. Begin with all zero. */
struct pp_push_seen {
    uint64_t *number; /**< owned; open addressing; 0: free */
    size_t slots, len;
    bool zero; /**< the number 0 is in it */
};

struct pp_push_made;

/** What the rows of a session are made from, and what was found. */
struct pp_push_rows {
    struct pp_export_format format; /**< the first member: to be given to struct pp_export */
    const struct pp_export *e;      /**< borrowed */
    struct pp_push_sink sink;
    struct pp_push_facts facts;
    bool draws;                         /**< rows of draws.csv are wanted */
    uint64_t rows[PP_PUSH_TABLES];      /**< that were given to the sink */
    uint64_t left_out;                  /**< rows that had no usable value in a column that must have one */
    uint64_t cut;                       /**< texts that were too long and were cut, and tags left out */
    uint64_t misfits;                   /**< numbers that their column cannot have */
    char content[PP_SHA256_DIGITS + 1]; /**< set at the end: equal for equal rows, whatever the build, the
                                           day and the tags. Rows of draws.csv do not count */
    struct pp_sha256 sha;               /**< internal, like all below */
    struct pp_push_source *sources;
    const char **gpu; /**< of each surface, and at the end of the session; borrowed from session.json */
    double *bias;     /**< likewise, what an empty bracket measures; NaN: not known. Owned */
    size_t main_surface;
    struct pp_push_made *made; /**< texts of the row that were redacted */
    struct pp_push_seen seen;  /* passes that have their row of pass_names */
};

/**
 * Begin. The caller then sets e->format to &rows->format, and calls pp_export_session().
 *
 * @param e     Borrowed until pp_push_rows_finish().
 * @param facts Copied.
 * @param sink  Copied.
 */
void pp_push_rows_init(struct pp_push_rows *rows, const struct pp_export *e,
                       const struct pp_push_facts *facts, const struct pp_push_sink *sink, bool draws);

/** Free everything. */
void pp_push_rows_finish(struct pp_push_rows *rows);

/** Add a number. @param ret_new It was not in the set; false, too, if the set is full. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_push_seen_add(struct pp_push_seen *seen, uint64_t number,
                                                         bool *ret_new);

/** Free the numbers. */
void pp_push_seen_finish(struct pp_push_seen *seen);

#endif
