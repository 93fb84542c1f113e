/** @file
 * See session_missing.h. */
#include "cli/session/session_missing.h"

#include <string.h>

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
