/** @file
 * See losses.h. */
#include "cli/print/losses.h"

#include <stdio.h>

#include "cli/print/format.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

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
        {"dropped.frames", PP_TEXT_LOST_FRAME, PP_TEXT_LOST_FRAMES, false},
        {"dropped.frames_incomplete", PP_TEXT_LOST_RESULT, PP_TEXT_LOST_RESULTS, false},
        {"dropped.kept_frames", PP_TEXT_LOST_KEPT, PP_TEXT_LOST_KEPTS, false},
        {"dropped.coarser_frames", PP_TEXT_LOST_COARSER, PP_TEXT_LOST_COARSERS, false},
        {"dropped.brackets", PP_TEXT_LOST_BRACKET, PP_TEXT_LOST_BRACKETS, true},
        {"dropped.times_not_landed", PP_TEXT_LOST_TIME, PP_TEXT_LOST_TIMES, true},
        {"dropped.times_rejected", PP_TEXT_LOST_REJECTED, PP_TEXT_LOST_REJECTEDS, true},
        {"dropped.counters_lost", PP_TEXT_LOST_COUNTER, PP_TEXT_LOST_COUNTERS, false},
        {"dropped.counters_rejected", PP_TEXT_LOST_BAD, PP_TEXT_LOST_BADS, false},
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
