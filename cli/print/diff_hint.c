/** @file
 * See diff_hint.h. */
#include "cli/print/diff_hint.h"

#include <math.h>

#include "cli/print/diff_cells.h"
#include "cli/print/shorten.h"
#include "counters/stats/stats_runs.h"
#include "pp_texts.h"

/* Usual numbers of runs. */
#define RUNS_FEW  3U
#define RUNS_GOOD 5U

/* The row of the frame that decides and changed most, of those that are no guess; NULL: none is above the
 * threshold. */
static const struct pp_diff_row *
largest(const struct pp_diff *diff)
{
    const struct pp_diff_row *ret = NULL;
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++) {
            const struct pp_diff_row *row = &diff->part[p].row[i];
            if (row->kind == PP_DIFF_FRAME && row->decides && row->verdict == PP_DIFF_FEW_RUNS &&
                fabs(row->percent) > 100 * diff->options.threshold &&
                (!ret || fabs(row->percent) > fabs(ret->percent)))
                ret = row;
        }
    return ret;
}

void
pp_diff_hint_print(FILE *out, const struct pp_diff *diff)
{
    static const char *const why[] = {[PP_DIFF_GUESSED] = "",
                                      [PP_DIFF_NO_INTERVAL] = PP_TEXT_DIFF_NO_INTERVAL,
                                      [PP_DIFF_CORRELATED] = PP_TEXT_DIFF_CORRELATED,
                                      [PP_DIFF_WITHIN_RUN] = PP_TEXT_DIFF_WITHIN_RUN,
                                      [PP_DIFF_SMALL_CHANGE] = PP_TEXT_DIFF_SMALL_CHANGE};
    const struct pp_diff_row *row = largest(diff);
    char title[64], percent[PP_FORMATTED_MAX], line[800];
    if (!row)
        return;
    pp_diff_cell_percent(percent, row->percent);
    snprintf(
        line, sizeof(line),
        "%s %s%s cannot be judged from these runs: %s. Record %u runs per side: enough if runs of one build "
        "differ by at most %.1f %%. %u runs: at most %.1f %%. passprobe compare -n 3 -- CMD_OLD -- CMD_NEW",
        pp_diff_cell_title(title, sizeof(title), row), percent, pp_diff_cell_sign(percent),
        why[row->no_guess], RUNS_FEW, 100 * pp_change_spread_most(row->percent / 100, RUNS_FEW), RUNS_GOOD,
        100 * pp_change_spread_most(row->percent / 100, RUNS_GOOD));
    pp_format_wrap(out, 0, 2, line);
}
