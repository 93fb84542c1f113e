/** @file
 * See session_about.h. */
#include "cli/top/session_about.h"

#include <jansson.h>

#include "cli/analysis/summary.h"
#include "cli/session/session_files.h"
#include "cli/session/session_paused.h"

static bool
is_software(const json_t *devices)
{
    bool ret = json_array_size(devices) > 0;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        ret = ret && (pp_summary_is_software(json_string_value(json_object_get(device, "name"))) ||
                      pp_summary_is_software(json_string_value(json_object_get(device, "driver"))));
    }
    return ret;
}

void
pp_session_about_read(struct pp_session_about *about, int dir_fd)
{
    char why[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    if (!json)
        return;
    about->pid = (long)json_integer_value(json_object_get(json_object_get(json, "program"), "pid"));
    about->software = is_software(json_object_get(json, "devices"));
    about->paused = pp_session_is_paused(json);
    json_decref(json);
}
