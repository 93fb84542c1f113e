/** @file
 * See diff_side.h. */
#include "cli/compare/diff_side.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/run_open.h"
#include "pp_texts.h"

/* Append runs to a side. */
static int
append(struct pp_diff_side *side, const struct pp_run_figures *run, size_t runs)
{
    if (side->cap - side->runs < runs) {
        size_t cap = 2 * side->cap + runs;
        struct pp_run_figures *grown = reallocarray(side->run, cap, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        side->run = grown;
        side->cap = cap;
    }
    memcpy(side->run + side->runs, run, runs * sizeof(*run));
    side->runs += runs;
    return 0;
}

int
pp_diff_side_read(struct pp_diff_side *side, const char *path, const struct pp_window_given *window,
                  char *why)
{
    struct pp_run_figures *run = NULL;
    size_t runs = 0;
    int rc = pp_run_figures_read(path, window, &run, &runs, why);
    if (rc)
        return rc;
    rc = append(side, run, runs);
    for (size_t i = 0; rc && i < runs; i++)
        pp_run_figures_finish(&run[i]);
    if (rc)
        snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_COMMAND_MEMORY);
    free(run);
    return rc;
}

void
pp_diff_side_finish(struct pp_diff_side *side)
{
    for (size_t i = 0; i < side->runs; i++)
        pp_run_figures_finish(&side->run[i]);
    free(side->run);
    *side = (struct pp_diff_side){.runs = 0};
}
