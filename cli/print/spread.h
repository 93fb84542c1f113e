/** @file
 * Repeated runs as a table, 80 columns wide: what `stat -r` prints. Prints the figures of compare/spread.h;
 * decides nothing. */
#ifndef PP_CLI_PRINT_SPREAD_H
#define PP_CLI_PRINT_SPREAD_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/compare/spread.h"

/** What the table says that the runs do not have. */
struct pp_runs_spread_look {
    const char *command; /**< as typed */
    const char *folder;  /**< of the runs */
    bool verbose;        /**< all passes and counters */
};

/** Print repeated runs. */
void pp_runs_spread_print(FILE *out, const struct pp_runs_spread *spread,
                          const struct pp_runs_spread_look *look);

#endif
