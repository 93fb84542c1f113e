/** @file
 * `passprobe sessions`: what was recorded, the newest session first. docs/formats/sessions.schema.json
 * describes its JSON. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/session/session_open.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/session_place.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/* Version of the format. It rises when a member is added. */
#define PP_SESSIONS_JSON_SCHEMA 2

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
    pp_json_put_known(ret, "program", s->program);
    pp_json_put_known(ret, "start", start);
    pp_json_put_number(ret, "frames", s->frames >= 0 ? (double)s->frames : (double)NAN);
    pp_json_put_number(ret, "bytes", (double)s->bytes);
    pp_json_put_text(ret, "ended", end[s->end]);
    if (s->runs)
        pp_json_put_number(ret, "runs", (double)s->runs);
    return ret;
}

/* Make the frame of the list, without folders. @return A new reference; NULL: no memory. */
static json_t *
sessions_json_make(void)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "format", "passprobe-sessions");
    pp_json_put_number(ret, "schema", PP_SESSIONS_JSON_SCHEMA);
    pp_json_put(ret, "folders", json_array());
    return ret;
}

/* Add a folder with its sessions. @param bounded Only its newest sessions stay there. */
static void
sessions_json_add(json_t *sessions, const char *folder, const struct pp_session_list *list, bool bounded)
{
    json_t *entry = json_object(), *all = json_array();
    pp_json_put_text(entry, "folder", folder);
    pp_json_put_truth(entry, "bounded", bounded);
    for (size_t i = 0; i < list->len; i++)
        pp_json_append(all, session_json(folder, &list->session[i]));
    pp_json_put(entry, "sessions", all);
    pp_json_append(json_object_get(sessions, "folders"), entry);
}

/* What the command line says. */
struct options {
    PP_SESSIONS_OPTIONS
};

/* How a session ended; "" if it ended with its application. */
static const char *
end_text(enum pp_listed_end end)
{
    static const char *const text[] = {[PP_LISTED_EXIT] = "",
                                       [PP_LISTED_RUNNING] = "still written",
                                       [PP_LISTED_KILLED] = "killed",
                                       [PP_LISTED_EARLY] = "stopped early",
                                       [PP_LISTED_UNKNOWN] = "damaged"};
    return text[end];
}

/* Print a session. Repeated runs are one row: `passprobe sessions FOLDER` shows each of them. */
static void
print_session(const struct pp_listed_session *s)
{
    char runs[64] = "";
    char frames[PP_FORMATTED_MAX] = "-";
    char size[PP_FORMATTED_MAX];
    char program[200];
    char name[1100];
    if (s->frames >= 0)
        pp_format_count(frames, (double)s->frames, 0);
    pp_format_bytes(size, (double)s->bytes);
    if (s->runs)
        snprintf(runs, sizeof(runs), " " PP_FORMAT_SESSIONS_RUNS, s->runs,
                 pp_format_noun((double)s->runs, "run", "runs"));
    pp_print(stdout, "  %-19s %-18s %9s %9s  %s%s%s%s%s\n", s->start,
             pp_format_name(program, sizeof(program), *s->program ? s->program : "-", 18), frames, size,
             pp_format_name(name, sizeof(name), s->name, 255), runs, *end_text(s->end) ? " (" : "",
             end_text(s->end), *end_text(s->end) ? ")" : "");
}

/* Print the sessions of a folder. */
static void
print_folder(const char *folder, const struct pp_session_list *list, bool bounded)
{
    char name[4200];
    char bytes[PP_FORMATTED_MAX], most[PP_FORMATTED_MAX];
    uint64_t sum = 0;
    for (size_t i = 0; i < list->len; i++)
        sum += list->session[i].bytes;
    pp_format_bytes(bytes, (double)sum);
    pp_print(stdout, PP_FORMAT_SESSIONS_FOLDER "\n", pp_format_name(name, sizeof(name), folder, 1000),
             list->len, pp_format_noun((double)list->len, "session", "sessions"), bytes);
    if (bounded)
        pp_print(stdout, PP_FORMAT_SESSIONS_BOUND "\n", PP_PLACE_SESSIONS,
                 pp_format_bytes(most, (double)PP_PLACE_BYTES));
    pp_print(stdout, "  %-19s %-18s %9s %9s  %s\n", "begin", "application", "frames", "size", "session");
    for (size_t i = 0; i < list->len; i++)
        print_session(&list->session[i]);
}

/* List a folder. @param bounded Only its newest sessions stay there. @param json Gets the sessions; NULL:
 * they are printed. @return The number of sessions, -errno. */
static int
list_folder(const char *folder, bool bounded, json_t *json)
{
    struct pp_session_list list;
    int rc = pp_session_list_read(folder, &list);
    if (rc || list.len == 0)
        return rc;
    if (json)
        sessions_json_add(json, folder, &list, bounded);
    else
        print_folder(folder, &list, bounded);
    int len = (int)list.len;
    pp_session_list_finish(&list);
    return len;
}

/* List the configured place, or this folder, and the default folder. */
static int
list_usual(json_t *json)
{
    char place[PATH_MAX];
    char folder[PATH_MAX];
    char data[PATH_MAX];
    int found = 0;
    (void)pp_session_place(place);
    bool known = pp_session_list_folder(place, folder);
    if (known) {
        int rc = list_folder(folder, false, json);
        if (rc < 0 && rc != -ENOENT)
            return pp_fail("%s: %s", folder, strerror(-rc));
        found += rc > 0 ? rc : 0;
    }
    if (pp_place_default(environ, data) && !(known && strcmp(data, folder) == 0)) {
        int rc = list_folder(data, true, json);
        if (rc < 0 && rc != -ENOENT)
            return pp_fail("%s: %s", data, strerror(-rc));
        found += rc > 0 ? rc : 0;
    }
    if (!found && !json)
        pp_message(PP_FORMAT_SESSIONS_NONE, known ? folder : ".");
    return 0;
}

/* List what the command line names. @return Exit status. */
static int
list(const char *folder, json_t *json)
{
    if (!folder)
        return list_usual(json);
    int rc = list_folder(folder, false, json);
    if (rc < 0)
        return pp_fail("%s: %s", folder, strerror(-rc));
    if (rc == 0 && !json)
        pp_message(PP_FORMAT_SESSIONS_NONE, folder);
    return 0;
}

/* List as JSON. */
static int
list_json(const char *folder)
{
    json_t *json = sessions_json_make();
    int status = json ? list(folder, json) : pp_fail(PP_TEXT_OUT_OF_MEMORY);
    if (status == 0 && pp_json_write(stdout, json))
        status = pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(errno));
    json_decref(json);
    return status;
}

int
pp_cmd_sessions(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_SESSIONS_ROWS(struct options)};
    struct options options = {.json = false};
    const struct pp_command_options own = {
        .name = "sessions", .usage = PP_TEXT_USAGE_SESSIONS, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    if (given.words > 1)
        return pp_fail(PP_TEXT_SESSIONS_ONE);
    return options.json ? list_json(given.word[0]) : list(given.word[0], NULL);
}
