/** @file
 * See session_shown.h. */
#include "cli/session/session_shown.h"

#include <stdlib.h>
#include <string.h>

bool
pp_saved_is_shown(const struct pp_saved_session *rec, size_t surface)
{
    if (surface == PP_SAVED_NO_SURFACE)
        return !rec->frames_only;
    return rec->shown == PP_SAVED_NO_SURFACE || surface == rec->shown;
}

static int
by_total_descending(const void *a, const void *b, void *rec)
{
    const struct pp_saved_pass *x = a;
    const struct pp_saved_pass *y = b;
    int shown = pp_saved_is_shown(rec, y->surface) - pp_saved_is_shown(rec, x->surface);
    if (shown)
        return shown;
    double x_ns = pp_saved_scale(x->total_ns, x->gpu_time.len, x->kept);
    double y_ns = pp_saved_scale(y->total_ns, y->gpu_time.len, y->kept);
    if (x_ns != y_ns)
        return x_ns < y_ns ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->pass_id, y->pass_id);
}

static int
by_shown(const void *a, const void *b, void *rec)
{
    const struct pp_saved_draw *x = a;
    const struct pp_saved_draw *y = b;
    int shown = pp_saved_is_shown(rec, y->surface) - pp_saved_is_shown(rec, x->surface);
    return shown ? shown : strcmp(x->draw_id, y->draw_id);
}

static void
sort_shown(struct pp_saved_session *rec)
{
    if (rec->passes)
        qsort_r(rec->pass, rec->passes, sizeof(*rec->pass), by_total_descending, rec);
    if (rec->draws)
        qsort_r(rec->draw, rec->draws, sizeof(*rec->draw), by_shown, rec);
    rec->shown_passes = rec->shown_draws = 0;
    while (rec->shown_passes < rec->passes && pp_saved_is_shown(rec, rec->pass[rec->shown_passes].surface))
        rec->shown_passes++;
    while (rec->shown_draws < rec->draws && pp_saved_is_shown(rec, rec->draw[rec->shown_draws].surface))
        rec->shown_draws++;
    rec->measured_frames = rec->draws_frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++) {
        rec->measured_frames += pp_saved_is_shown(rec, i) ? rec->surface[i].measured : 0;
        rec->draws_frames += pp_saved_is_shown(rec, i) ? rec->surface[i].draws_measured : 0;
    }
}

void
pp_saved_show(struct pp_saved_session *rec, size_t surface)
{
    rec->shown = surface;
    rec->frames_only = false;
    sort_shown(rec);
}

void
pp_saved_show_frames_only(struct pp_saved_session *rec)
{
    rec->frames_only = true;
    sort_shown(rec);
}
