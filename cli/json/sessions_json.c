/** @file
 * See sessions_json.h. */
#include "cli/json/sessions_json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "cli/json/json_values.h"

static json_t *
session_json(const char *folder, const struct pp_listed_session *s)
{
    static const char *const end[] = {[PP_LISTED_EXIT] = "exit",
                                      [PP_LISTED_RUNNING] = "running",
                                      [PP_LISTED_KILLED] = "killed",
                                      [PP_LISTED_EARLY] = "early",
                                      [PP_LISTED_UNKNOWN] = "unknown"};
    json_t *ret = json_object();
    char path[PATH_MAX + NAME_MAX + 2], start[40] = "";
    time_t seconds = (time_t)s->order_s;
    struct tm tm;
    snprintf(path, sizeof(path), "%s/%s", folder, s->name);
    if (gmtime_r(&seconds, &tm))
        (void)!strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &tm);
    pp_json_put_text(ret, "name", s->name);
    pp_json_put_text(ret, "path", path);
    (void)!json_object_set_new(ret, "program", *s->program ? pp_json_text(s->program) : json_null());
    (void)!json_object_set_new(ret, "start", *start ? pp_json_text(start) : json_null());
    pp_json_put_number(ret, "frames", s->frames >= 0 ? (double)s->frames : (double)NAN);
    pp_json_put_number(ret, "bytes", (double)s->bytes);
    pp_json_put_text(ret, "ended", end[s->end]);
    if (s->runs)
        pp_json_put_number(ret, "runs", (double)s->runs);
    return ret;
}

json_t *
pp_sessions_json_make(void)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "format", "passprobe-sessions");
    pp_json_put_number(ret, "schema", PP_SESSIONS_JSON_SCHEMA);
    (void)!json_object_set_new(ret, "folders", json_array());
    return ret;
}

void
pp_sessions_json_add(json_t *sessions, const char *folder, const struct pp_session_list *list, bool bounded)
{
    json_t *entry = json_object(), *all = json_array();
    pp_json_put_text(entry, "folder", folder);
    (void)!json_object_set_new(entry, "bounded", json_boolean(bounded));
    for (size_t i = 0; i < list->len; i++)
        (void)!json_array_append_new(all, session_json(folder, &list->session[i]));
    (void)!json_object_set_new(entry, "sessions", all);
    (void)!json_array_append_new(json_object_get(sessions, "folders"), entry);
}
