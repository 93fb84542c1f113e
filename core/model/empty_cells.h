/** @file
 * Module: why cells of the CSV files are empty. Each file has a list of its columns, and each column has the
 * set of reasons for its empty cells. session.json lists these reasons. Collector thread only. This file
 * knows no file format. */
#ifndef PP_CORE_MODEL_EMPTY_CELLS_H
#define PP_CORE_MODEL_EMPTY_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/util/json_write.h"
#include "counters/snapshot/value.h"

struct pp_empty_cells;

/** Reasons for an empty cell. The first values are the statuses of missing values (enum pp_status). */
enum pp_why {
    PP_WHY_STATUSES = PP_STATUS_COUNT - 1,
    PP_WHY_FRAME_LEVEL, /**< at level frame, passes are not distinguished */
    PP_WHY_ONE_BRACKET, /**< one bracket spans the frame, gaps included */
    PP_WHY_NO_ACTION,   /**< no GPU work was measured */
    PP_WHY_NO_FRAME,    /**< the action belongs to no frame */
    PP_WHY_INCOMPLETE,  /**< results are missing */
    PP_WHY_CLOCKS,      /**< the clocks are not exact enough */
    PP_WHY_NO_TARGET,   /**< the pass has no render target */
    PP_WHY_NO_LABEL,    /**< no label region was open */
    PP_WHY_NO_PIPELINE, /**< the command uses no pipeline, or it is not known */
    PP_WHY_NO_NAME,     /**< neither the application nor the driver gave a name */
    PP_WHY_ARGUMENT,    /**< the command has no such argument, or it was not copied from GPU memory */
    PP_WHY_STACK,       /**< no stack was recorded */
    PP_WHY_NO_MODEL,    /**< no counter of the row shows what bounded it */
    PP_WHY_SHARED,      /**< the commands are in passes that several regions share */
    PP_WHY_APP,         /**< the application had not set the counter, or set no number that a value may be */
    PP_WHY_FORMULA,     /**< the metric's formula has no result for this row */
    PP_WHY_NO_TIME,     /**< the frame took no time */
    PP_WHY_COUNT
};

/** One column of a file. */
struct pp_empty_column {
    char *name;
    uint32_t why;      /**< bits 1 << enum pp_why of all reasons */
    uint32_t reported; /**< reasons that session.json lists already */
};

/** The columns of one file. */
struct pp_empty {
    const char *file; /**< a literal */
    const struct pp_empty_cells *all;
    struct pp_empty_column *column;
    uint32_t columns, cap;
};

/** Maximum number of files of a session that can have empty cells. */
#define PP_EMPTY_FILES 8U

/** The files of a session. Zero it first. */
struct pp_empty_cells {
    struct pp_empty file[PP_EMPTY_FILES];
    bool lacks_surface;            /**< session.json does not name a surface that rows refer to, or does not
                                      count frames before them that were not recorded */
    void (*report)(void *context); /**< writes session.json now; NULL: there is no such file */
    void *context;                 /**< for report() */
};

/** Begin the list of a file, without columns. @param file A literal. @return The list, valid until
 * pp_empty_finish(); NULL: the session has more than PP_EMPTY_FILES files. */
struct pp_empty *pp_empty_begin(struct pp_empty_cells *all, const char *file);

/** Append a column to the file's list. Without memory the column is left out. @p empty may be NULL. */
void pp_empty_column(struct pp_empty *empty, const char *name);

/** Note that a cell of column number @p column is empty, and why. @p empty may be NULL. */
static inline void
pp_empty_note(struct pp_empty *empty, uint32_t column, enum pp_why why)
{
    if (empty && column < empty->columns)
        empty->column[column].why |= UINT32_C(1) << why;
}

/** Write the reasons as an array "empty_cells". */
void pp_empty_json(const struct pp_empty_cells *all, struct pp_json *json);

/** Does session.json lack a reason, or the name of a surface? */
bool pp_empty_has_unreported(const struct pp_empty_cells *all);

/** Call before rows or cells of the file can be seen: writes session.json by pp_empty_cells.report if it
 * lacks a reason or the name of a surface. If that fails, the rows are still written. Collector thread only.
 * NULL is allowed. */
void pp_empty_report(const struct pp_empty *empty);

/** Note that session.json lists all reasons and names all surfaces now. */
void pp_empty_set_reported(struct pp_empty_cells *all);

/** Free a session's lists. */
void pp_empty_finish(struct pp_empty_cells *all);

#endif
