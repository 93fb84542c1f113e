/** @file
 * See diff_side.h. */
#include "cli/compare/diff_side.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/run_open.h"
#include "pp_texts.h"

int
pp_diff_side_read(struct pp_diff_side *side, const char *path, const struct pp_window_given *window,
                  char *why)
{
    if (side->runs == side->cap) {
        size_t cap = side->cap ? 2 * side->cap : 8;
        struct pp_run_figures *run = reallocarray(side->run, cap, sizeof(*run));
        if (!run) {
            snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_COMMAND_MEMORY);
            return -ENOMEM;
        }
        side->run = run;
        side->cap = cap;
    }
    int rc = pp_run_figures_read(path, window, &side->run[side->runs], why);
    side->runs += rc == 0;
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
