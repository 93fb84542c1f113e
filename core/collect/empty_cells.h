/** @file
 * Module: why cells of the CSV files are empty. Each file has a list of its columns, each column the set of
 * reasons for which a cell of it was left empty; session.json tells them. Collector thread only. Knows no
 * file format. */
#ifndef PP_CORE_COLLECT_EMPTY_CELLS_H
#define PP_CORE_COLLECT_EMPTY_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/util/json_write.h"
#include "counters/snapshot/value.h"

struct pp_session;

/** Why a cell is empty. The first ones are the statuses of missing values (enum pp_status). */
enum pp_why {
    PP_WHY_STATUSES = PP_STATUS_COUNT - 1,
    PP_WHY_FRAME_LEVEL, /**< at level frame passes are not told apart */
    PP_WHY_ONE_BRACKET, /**< one bracket spans the frame, gaps included */
    PP_WHY_NO_ACTION,   /**< no work on the GPU was measured */
    PP_WHY_NO_FRAME,    /**< work of no frame */
    PP_WHY_INCOMPLETE,  /**< results did not come */
    PP_WHY_CLOCKS,      /**< the clocks are not that exact */
    PP_WHY_NO_TARGET,   /**< the pass has no render target */
    PP_WHY_NO_LABEL,    /**< no label region was open */
    PP_WHY_NO_PIPELINE, /**< the command uses none, or none is known */
    PP_WHY_NO_NAME,     /**< the application, or the driver, gave none */
    PP_WHY_ARGUMENT,    /**< the command has no such argument, or it was not copied from GPU memory */
    PP_WHY_STACK,       /**< not taken in this version */
    PP_WHY_NO_MODEL,    /**< no counter of the row says what bounded it */
    PP_WHY_SHARED,      /**< passes that several regions share hold the commands */
    PP_WHY_APP,         /**< the application had not given the counter, or no finite number */
    PP_WHY_FORMULA,     /**< the metric's formula has no result here */
    PP_WHY_NO_TIME,     /**< the frame took no time */
    PP_WHY_COUNT
};

/** One column of a file. */
struct pp_empty_column {
    char *name;
    uint32_t why;  /**< bit enum pp_why */
    uint32_t told; /**< those that session.json has */
};

/** The columns of one file. */
struct pp_empty {
    const char *file; /**< a literal */
    struct pp_empty_column *column;
    uint32_t columns, cap;
};

/** The files of a session that can have empty cells. */
#define PP_EMPTY_FILES 4U

/** Begin the list of a file, without columns. @param file A literal. @return It, until pp_empty_finish();
 * NULL: the session has more files than that. */
struct pp_empty *pp_empty_begin(struct pp_session *session, const char *file);

/** Append a column to the file's list. Without memory it is left out. NULL is allowed. */
void pp_empty_column(struct pp_empty *empty, const char *name);

/** A cell of column number @p column is empty. NULL is allowed. */
static inline void
pp_empty_note(struct pp_empty *empty, uint32_t column, enum pp_why why)
{
    if (empty && column < empty->columns)
        empty->column[column].why |= UINT32_C(1) << why;
}

/** Write the reasons as an array "empty_cells". */
void pp_empty_json(const struct pp_session *session, struct pp_json *json);

/** Is there a reason that session.json does not have? */
bool pp_empty_has_news(const struct pp_session *session);

/** session.json has all reasons now. */
void pp_empty_told(struct pp_session *session);

/** Free a session's lists. */
void pp_empty_finish(struct pp_session *session);

#endif
