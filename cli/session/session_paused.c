/** @file
 * See session_paused.h. */
#include "cli/session/session_paused.h"

#include <string.h>

static bool
begins_paused(const json_t *json)
{
    return json_is_true(json_object_get(json_object_get(json, "options"), "paused"));
}

bool
pp_session_is_paused(const json_t *json)
{
    const json_t *changes = json_object_get(json_object_get(json, "recording"), "changes");
    bool ret = begins_paused(json);
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const char *what = json_string_value(json_object_get(json_array_get(changes, i), "what"));
        if (what && strcmp(what, "level") != 0)
            ret = strcmp(what, "stop") == 0;
    }
    return ret;
}

bool
pp_session_never_recorded(const json_t *json)
{
    const json_t *changes = json_object_get(json_object_get(json, "recording"), "changes");
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const char *what = json_string_value(json_object_get(json_array_get(changes, i), "what"));
        if (what && strcmp(what, "start") == 0)
            return false;
    }
    return begins_paused(json);
}
