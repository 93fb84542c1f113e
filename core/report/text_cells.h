/** @file
 * Text cells that are written row after row, rendered once. Filled and read on the collector thread
 * only. Knows nothing of what the texts mean. */
#ifndef PP_CORE_REPORT_TEXT_CELLS_H
#define PP_CORE_REPORT_TEXT_CELLS_H

#include "core/report/csv_write.h"

/** Cells by the ids of their texts. Zero it first. */
struct pp_cells {
    struct pp_text_cell **cell; /**< by id; NULL: not rendered yet */
    uint32_t cap;
};

/** Append the cell of @p id; id 0 is the empty text (whose reason is the caller's to note). @return false: it
 * is not rendered yet, and nothing was appended. */
bool pp_cells_write(const struct pp_cells *cells, uint32_t id, struct pp_csv *csv);

/** Append the cell of a text, and keep it for pp_cells_write(). What there is no memory for is appended all
 * the same. */
void pp_cells_add(struct pp_cells *cells, uint32_t id, const char *text, struct pp_csv *csv);

/** Free them. */
void pp_cells_finish(struct pp_cells *cells);

#endif
