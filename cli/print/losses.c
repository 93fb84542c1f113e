/** @file
 * See losses.h. */
#include "cli/print/losses.h"

#include <stdio.h>

#include "cli/print/format.h"
#include "counters/util/array_size.h"

/* A number of session.json; 0 where it is not there. */
static double
count_of(const struct pp_saved_session *rec, const char *path)
{
    const json_t *number = pp_saved_json(rec, path);
    return json_is_number(number) ? json_number_value(number) : 0;
}

/* Write ", 22 % of them", or nothing where the whole is not known. */
static void
put_share(char *out, size_t size, double part, double whole)
{
    out[0] = '\0';
    if (whole >= part && whole > 0)
        snprintf(out, size, part < whole / 10 ? ", %.2g %% of them" : ", %.0f %% of them",
                 100 * part / whole);
}

size_t
pp_losses_list(const struct pp_saved_session *rec, char text[PP_LOSSES_MAX][PP_LOSS_TEXT])
{
    static const struct {
        const char *path, *one, *many;
        bool brackets; /* one a bracket */
    } loss[] = {
        {"dropped.frames", "frame was dropped", "frames were dropped", false},
        {"dropped.frames_incomplete", "frame lacks GPU results that did not arrive",
         "frames lack GPU results that did not arrive", false},
        {"dropped.kept_frames", "frame near a slow one without rows of passes and draws (too many waited)",
         "frames near slow ones without rows of passes and draws (too many waited)", false},
        {"dropped.coarser_frames",
         "frame is at level pass instead of draw because memory was short (--max-memory)",
         "frames are at level pass instead of draw because memory was short (--max-memory)", false},
        {"dropped.brackets", "GPU bracket was not measured because memory was short (--max-memory)",
         "GPU brackets were not measured because memory was short (--max-memory)", true},
        {"dropped.times_not_landed", "GPU time did not arrive", "GPU times did not arrive", true},
        {"dropped.times_rejected", "GPU time was rejected: it contradicts the CPU's clock",
         "GPU times were rejected: they contradict the CPU's clock", true},
        {"dropped.counters_lost", "result of a counter did not arrive", "results of counters did not arrive",
         false},
        {"dropped.counters_rejected", "result of a counter was rejected", "results of counters were rejected",
         false},
    };
    size_t lines = 0;
    char share[32];
    for (size_t i = 0; i < PP_ARRAY_SIZE(loss); i++) {
        double many = count_of(rec, loss[i].path);
        if (!(many > 0))
            continue;
        put_share(share, sizeof(share), many, loss[i].brackets ? count_of(rec, "counts.brackets") : 0);
        snprintf(text[lines++], PP_LOSS_TEXT, "%.0f %s%s", many,
                 pp_format_noun(many, loss[i].one, loss[i].many), share);
    }
    return lines;
}
