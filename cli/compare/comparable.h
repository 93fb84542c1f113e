/** @file
 * Can two sides be compared? A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_COMPARABLE_H
#define PP_CLI_COMPARE_COMPARABLE_H

#include "cli/compare/diff.h"

/** Append a note, as printf() makes it. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result, format(printf, 3, 4))) int
pp_diff_note_add(struct pp_diff *diff, bool refuses, const char *format, ...);

/** Are these names of the same device? Versions of drivers in parentheses after them may differ: Mesa names
 * "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0-13-amd64)". */
bool pp_diff_same_device(const char *a, const char *b);

/** Note how the sides of a part differ, and how the runs of a side do: what makes them incomparable, and what
 * makes times doubtful. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_differences(struct pp_diff *diff,
                                                                 const struct pp_diff_part *part);

#endif
