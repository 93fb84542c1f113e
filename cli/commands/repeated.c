/** @file
 * See repeated.h. */
#include "cli/commands/repeated.h"

#include <math.h>

#include "cli/commands/record_tell.h"
#include "cli/compare/spread.h"
#include "cli/print/message.h"
#include "pp_texts.h"

static void
ended(void *data, const struct pp_runs_ended *run, struct pp_runs_left *ret)
{
    const struct pp_repeated_runs *repeated = data;
    pp_record_tell(run->line, run->dir, run->how, repeated->closing_line, ret);
}

/* Read the figures of a run. @param side Always 0. */
static int
counted(void *data, unsigned side, const char *path)
{
    struct pp_repeated_runs *repeated = data;
    char why[PP_RUN_WHY];
    (void)side;
    if (!repeated->figures)
        return 0;
    int rc = pp_diff_side_read(&repeated->side, path, NULL, why);
    if (rc)
        pp_message("%s", why);
    return rc;
}

/* How well the mean of the frame is known: half of its interval, relative; NaN: not known. */
static double
known(const struct pp_repeated_runs *repeated)
{
    struct pp_runs_spread spread;
    if (!repeated->side.runs || pp_runs_spread_make(repeated->side.run, repeated->side.runs, &spread))
        return NAN;
    double ret = pp_runs_spread_of_frame(&spread);
    pp_runs_spread_finish(&spread);
    return ret;
}

static bool
enough(void *data)
{
    const struct pp_repeated_runs *repeated = data;
    return repeated->until > 0 && known(repeated) <= repeated->until;
}

void
pp_repeated_run(struct pp_repeated_runs *repeated, const struct pp_command_line *line,
                const struct pp_runs_options *options, struct pp_session_dir *dir, struct pp_runs_end *ret)
{
    static const struct pp_runs_ops ops = {.ended = ended, .counted = counted, .enough = enough};
    const struct pp_runs runs = {.options = options, .line = {line}, .sides = 1, .folder = dir};
    repeated->until = options->until;
    pp_runs_run(&runs, &ops, repeated, ret);
    bool complete = ret->status == 0 && !ret->signal;
    if (options->until > 0 && complete && !enough(repeated))
        pp_message(PP_FORMAT_RUNS_NOT_REACHED, ret->used, known(repeated) * 100, options->until * 100);
}

void
pp_repeated_finish(struct pp_repeated_runs *repeated)
{
    pp_diff_side_finish(&repeated->side);
}
