/** @file
 * The tables of many sessions: their columns, which column of a session's file each comes from, and its type
 * in ClickHouse. Knows no session and no server. docs/formats/fleet.md describes the columns.
 * See also push_rows.h, which makes the rows. */
#ifndef PP_CLI_PUSH_PUSH_TABLES_H
#define PP_CLI_PUSH_PUSH_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/** A table of many sessions. */
enum pp_push_table {
    PP_PUSH_FRAMES,
    PP_PUSH_PASSES,
    PP_PUSH_PASS_NAMES,
    PP_PUSH_LABELS,
    PP_PUSH_MARKS,
    PP_PUSH_DRAWS, /**< only if draws are asked for */
    PP_PUSH_COUNTERS_MISSING,
    PP_PUSH_SESSIONS, /**< one row for each session, which is written last */
    PP_PUSH_TABLES
};

/** What the values of a column are. */
enum pp_push_type {
    PP_PUSH_SESSION_ID, /**< a text of 32 hexadecimal digits */
    PP_PUSH_WORK_ID,    /**< a text of 16 hexadecimal digits: the id of a pass or an action */
    PP_PUSH_TEXT,       /**< at most PP_PUSH_TEXT_MAX bytes of UTF-8 */
    PP_PUSH_DATE,       /**< a text: 2026-01-31 */
    PP_PUSH_FLAG,       /**< 0 or 1 */
    PP_PUSH_COUNT,      /**< a whole number from 0 to UINT32_MAX */
    PP_PUSH_WHOLE,      /**< a whole number from 0 to INT64_MAX, such as nanoseconds */
    PP_PUSH_REAL,       /**< a finite number */
    PP_PUSH_TYPES
};

/** Bytes of a text in a table. Longer ones are cut between two characters. */
#define PP_PUSH_TEXT_MAX 4096U

/** A column of a table. */
struct pp_push_column {
    const char *name;
    enum pp_push_type type;
    bool optional;    /**< it may be NULL: not measured */
    const char *from; /**< column of the session's file; NULL: push_rows.h makes the value */
};

/** What a row has in addition to its columns: pairs of a name and a value. */
enum pp_push_pairs {
    PP_PUSH_NO_PAIRS,
    PP_PUSH_COUNTERS, /**< values of counters and metrics: finite numbers. Missing values have no pair */
    PP_PUSH_TAGS      /**< texts */
};

/** A table. */
struct pp_push_model {
    const char *name;
    const char
        *file; /**< table of `passprobe export` that the rows come from; NULL: push_rows.h makes them */
    const struct pp_push_column *column;
    size_t columns;
    enum pp_push_pairs pairs;
};

/** Most columns of a table. */
#define PP_PUSH_COLUMNS_MAX 40U

/** Describe a table. @return Static. */
const struct pp_push_model *pp_push_model_of(enum pp_push_table table);

/** The place of a column in its table; SIZE_MAX: the table has no such column. */
size_t pp_push_column_of(enum pp_push_table table, const char *name);

/** The type of a column in ClickHouse, such as "Nullable(UInt64)". @return Static. */
const char *pp_push_clickhouse_type(const struct pp_push_column *column);

/** The name of the pairs of a table: "counters" or "tags". @return Static; NULL: the table has none. */
const char *pp_push_pairs_name(enum pp_push_table table);

#endif
