/** @file
 * How a render target reads in a cell: its attachments, and a name where the application gave none. */
#ifndef PP_CORE_REPORT_RENDER_TARGET_TEXT_H
#define PP_CORE_REPORT_RENDER_TARGET_TEXT_H

#include <stddef.h>

#include "core/collect/output.h"

/** "color0=RGBA8:clear/keep depth=D24": role=format, then load/store where either is known, one blank between
 * attachments. What @p row found out late wins over the shape's. Cut at @p size, always terminated. @p shape
 * may be NULL. */
void pp_render_target_attachments_text(const struct pp_render_target *render_target,
                                       const struct pp_pass_row *row, char *out, size_t size);

/** Name of a pass: the target's debug name, else its first named attachment, else made from kind, size and
 * formats: "render 1024x1024 D24", "compute". */
void pp_pass_name_text(const struct pp_render_target *render_target, enum pp_pass_kind kind, char *out,
                       size_t size);

#endif
