/** @file
 * See limit_note.h. */
#include "cli/compare/limit_note.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pp_texts.h"

/* Frames that a percentile needs: the share above it holds a whole frame. 0: it is no such percentile. */
static unsigned
frames_needed(enum pp_diff_stat stat)
{
    return stat == PP_DIFF_P99 ? 100 : stat == PP_DIFF_P95 ? 20 : 0;
}

/* The most frames of a run of a side: those that a limit of frames or of passes looks at. */
static double
most_frames(const struct pp_diff_side *side)
{
    double most = 0;
    for (size_t i = 0; i < side->runs; i++)
        if (side->run[i].surfaces)
            most = fmax(most, side->run[i].surface[0].plain.time[PP_TIME_FRAME].frames); /* not NaN */
    return most;
}

int
pp_limit_note_frames(const struct pp_limit *limit, const struct pp_diff *diff, char **ret)
{
    double olds = most_frames(diff->olds), news = most_frames(diff->news);
    unsigned needed = frames_needed(limit->stat);
    char *text = NULL;
    if (fmin(olds, news) < needed &&
        asprintf(&text, PP_FORMAT_LIMIT_FEW_FRAMES, pp_diff_stat_name(limit->stat), needed, olds, news) < 0)
        return -ENOMEM;
    *ret = text;
    return 0;
}

int
pp_limit_note_p5(const struct pp_diff_row *row, char **ret)
{
    char *figure = pp_limit_figure_of(row), *text = NULL;
    int length = figure ? asprintf(&text, PP_FORMAT_LIMIT_P5_ABOVE, figure, row->percent) : -1;
    free(figure);
    if (length < 0)
        return -ENOMEM;
    *ret = text;
    return 0;
}
