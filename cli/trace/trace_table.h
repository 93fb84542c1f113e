/** @file
 * The tables of an export as a trace needs them: columns by name, values of a row. */
#ifndef PP_CLI_TRACE_TRACE_TABLE_H
#define PP_CLI_TRACE_TRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/export/export_format.h"
#include "cli/trace/trace_tracks.h"

/** Columns that have a meaning of their own. All others are what is known of a slice. */
enum pp_trace_column {
    AT_FRAME,
    AT_SURFACE,
    AT_CPU_START,
    AT_FRAME_TIME,
    AT_CPU_BUSY,
    AT_CPU_WAIT,
    AT_GPU_START,
    AT_GPU_TIME,
    AT_STACK,
    AT_NAME,
    AT_KIND,
    AT_CALL,
    AT_QUEUE,
    AT_MARK_TIME,
    AT_MARK_LABEL,
    AT_COLUMNS
};

/** Tables by what the trace shows of them. */
enum pp_trace_table_kind {
    TABLE_OTHER, /**< nothing */
    TABLE_MARKS,
    TABLE_FRAMES,
    TABLE_PASSES,
    TABLE_DRAWS
};

/** A table of the export. */
struct pp_trace_table {
    struct pp_trace_table *next; /**< for the owner */
    enum pp_trace_table_kind kind;
    size_t columns;
    size_t at[AT_COLUMNS];    /**< SIZE_MAX: the table has no such column */
    char **name;              /**< of each column; owned. NULL: it is not shown with slices */
    uint32_t *counter;        /**< of each column: its track; 0: it is no counter; owned */
    struct pp_trace_arg *arg; /**< of a row; owned */
};

/** A row of a table. Borrowed. */
struct pp_trace_row {
    const struct pp_trace_table *table;
    const struct pp_export_value *value;
};

/** Begin a table, and the tracks of its counters. @param ret pp_trace_table_finish() must be called, whatever
 * is returned. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_trace_table_begin(struct pp_trace_tracks *tracks, const char *name,
                                                             const struct pp_export_column *column,
                                                             size_t columns, struct pp_trace_table *ret);

/** Free what a table owns. */
void pp_trace_table_finish(struct pp_trace_table *table);

/** A whole number of a row that is not negative. @return false: it is not there. */
bool pp_trace_row_number(const struct pp_trace_row *row, enum pp_trace_column column, int64_t *ret);

/** A text of a row; "": it is not there. */
const char *pp_trace_row_text(const struct pp_trace_row *row, enum pp_trace_column column);

/** Write what is known of a row to table->arg, and give it to a slice. */
void pp_trace_row_args(const struct pp_trace_row *row, struct pp_trace_slice *slice);

#endif
