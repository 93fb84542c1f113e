/** @file
 * See session_shown.h. */
#include "cli/session/session_shown.h"

#include <stdlib.h>
#include <string.h>

/* A level with a smaller share of all frames does not represent them. */
#define FEW_SHARE 0.1

size_t
pp_levels_coarsest(const size_t frames[PP_SAVED_LEVELS])
{
    size_t all = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        all += frames[i];
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        if (all && (double)frames[i] >= FEW_SHARE * (double)all)
            return i;
    return 0; /* no level has frames */
}

size_t
pp_levels_cpu(const struct pp_saved_surface *s)
{
    size_t frames[PP_SAVED_LEVELS];
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        frames[i] = s->times[i].frame_time.len;
    return pp_levels_coarsest(frames);
}

/* Are rows of this surface in the tables? */
static bool
saved_is_shown(const struct pp_saved_session *rec, size_t surface)
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
    int shown = saved_is_shown(rec, y->surface) - saved_is_shown(rec, x->surface);
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
    int shown = saved_is_shown(rec, y->surface) - saved_is_shown(rec, x->surface);
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
    while (rec->shown_passes < rec->passes && saved_is_shown(rec, rec->pass[rec->shown_passes].surface))
        rec->shown_passes++;
    while (rec->shown_draws < rec->draws && saved_is_shown(rec, rec->draw[rec->shown_draws].surface))
        rec->shown_draws++;
    rec->measured_frames = rec->draws_frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++) {
        rec->measured_frames += saved_is_shown(rec, i) ? rec->surface[i].measured : 0;
        rec->draws_frames += saved_is_shown(rec, i) ? rec->surface[i].draws_measured : 0;
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

/* Most events that are read. Sessions of passprobe have fewer; other files may have more. */
#define MANY_EVENTS  4096U
#define MANY_DEVICES 16U

/* Does the list name this event, with this reason? */
static bool
names_missing(const json_t *list, const char *event, const char *reason)
{
    for (size_t i = 0; i < json_array_size(list) && i < MANY_EVENTS; i++) {
        const char *other = json_string_value(json_object_get(json_array_get(list, i), "event"));
        const char *why = json_string_value(json_object_get(json_array_get(list, i), "reason"));
        if (other && why && strcmp(other, event) == 0 && strcmp(why, reason) == 0)
            return true;
    }
    return false;
}

/* Lists of missing events, by device; the last one is that of frames. */
static const json_t *
missing_list(const struct pp_saved_session *rec, size_t list)
{
    const json_t *devices = pp_saved_json(rec, "devices");
    if (list < json_array_size(devices))
        return json_object_get(json_array_get(devices, list), "events_missing");
    return pp_saved_json(rec, "frames.events_missing");
}

/* Did another context of the same driver lack the event for the same reason? Then the event is already in the
 * list. */
static bool
is_in_list_before(const struct pp_saved_session *rec, size_t list, const char *event, const char *reason)
{
    for (size_t before = 0; before < list && before < MANY_DEVICES; before++)
        if (names_missing(missing_list(rec, before), event, reason))
            return true;
    return false;
}

/* Add an event to the groups. @return Groups there are now, also beyond cap. */
static size_t
add_missing(struct pp_saved_missing *ret, size_t len, size_t cap, const char *event, const char *reason)
{
    size_t at = 0;
    while (at < len && at < cap && strcmp(ret[at].reason, reason) != 0)
        at++;
    if (at >= cap)
        return len < cap ? len : len + 1;
    if (at == len)
        ret[len++] = (struct pp_saved_missing){event, reason, 0};
    ret[at].events++;
    return len;
}

size_t
pp_saved_missing(const struct pp_saved_session *rec, size_t device, struct pp_saved_missing *ret, size_t cap)
{
    size_t devices = json_array_size(pp_saved_json(rec, "devices")), len = 0;
    for (size_t d = 0; d <= devices; d++) {
        const json_t *list = missing_list(rec, d);
        bool all = device == PP_SAVED_ALL_DEVICES;
        if (!all && d != device && !(d == devices && device == 0))
            continue;
        for (size_t i = 0; i < json_array_size(list) && i < MANY_EVENTS; i++) {
            const char *event = json_string_value(json_object_get(json_array_get(list, i), "event"));
            const char *reason = json_string_value(json_object_get(json_array_get(list, i), "reason"));
            if (event && reason && !(all && is_in_list_before(rec, d, event, reason)))
                len = add_missing(ret, len, cap, event, reason);
        }
    }
    return len;
}
