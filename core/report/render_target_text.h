/** @file
 * Texts of render targets for cells: the attachments, and a name if the application gave none. */
#ifndef PP_CORE_REPORT_RENDER_TARGET_TEXT_H
#define PP_CORE_REPORT_RENDER_TARGET_TEXT_H

#include <stddef.h>

#include "core/model/row.h"

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
