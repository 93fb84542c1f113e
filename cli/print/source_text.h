/** @file
 * A source file with the GPU time of its lines in the margin. */
#ifndef PP_CLI_PRINT_SOURCE_TEXT_H
#define PP_CLI_PRINT_SOURCE_TEXT_H

#include <stdio.h>

#include "cli/analysis/source_costs.h"

/** Where sources are. Texts are borrowed. */
struct pp_source_places {
    const char *const *map; /**< "OLD=NEW": a path that begins with OLD begins with NEW here */
    size_t maps;
    bool only_mapped;  /**< no file is read that no map names: the session may be anybody's */
    double recorded_s; /**< when the session began, in seconds since 1970; NaN: not known */
};

/** Print the lines with costs, and those around them. Without the source, the lines' numbers. */
void pp_source_text_print(FILE *out, const char *file, const struct pp_source_costs *costs, double all_ns,
                          const struct pp_source_places *places);

#endif
