/** @file
 * Text cells that are written row after row, rendered once. Filled and read on the collector thread
 * only. Knows nothing of what the texts mean.
 *
 * Texts of render targets for cells: the attachments, and a name if the application gave none. */
#ifndef PP_CORE_REPORT_TEXT_CELLS_H
#define PP_CORE_REPORT_TEXT_CELLS_H

#include <stddef.h>

#include "core/model/row.h"
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

/** Text of the attachments: "color0=RGBA8:clear/keep depth=D24". Each attachment is role=format, then
 * load/store where either is known; attachments are separated by one blank. What @p row recorded later
 * overrides the render target's load and store. The text is cut at @p size and always terminated. @p
 * render_target may be NULL. */
void pp_render_target_attachments_text(const struct pp_render_target *render_target,
                                       const struct pp_pass_row *row, char *out, size_t size);

/** Name of a pass: the target's debug name, else its first named attachment, else made from kind, size and
 * formats: "render 1024x1024 D24", "compute". */
void pp_pass_name_text(const struct pp_render_target *render_target, enum pp_pass_kind kind, char *out,
                       size_t size);

#endif
