/** @file
 * See html_page.h. The page without its sessions is compare.html. */
#include "cli/html/html_page.h"

#include <errno.h>
#include <string.h>

#include "cli/html/html_out.h"
#include "cli/json/diff_json.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_open.h"
#include "cli/text/json_values.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define ANSWERS_MOST 30U /* most rows in the table of what is slower or faster */

/* The data of a run; NULL: it has no files of frames, or they cannot be read. @retval 0, -ENOMEM. */
static int
side_json(const struct pp_diff_side *side, const struct pp_window_given *given, json_t **ret)
{
    struct pp_opened_session session;
    struct pp_saved_session rec;
    struct pp_frame_window window;
    char why[PP_SESSION_OPEN_WHY];
    *ret = NULL;
    if (!side->runs || pp_frame_window_parse(given, &window) ||
        pp_session_open(side->run[0].name, &session, why))
        return 0;
    int rc = pp_saved_read_window(session.fd, &window, given->between, &rec);
    if (rc == 0) {
        rc = pp_html_data_make(&rec, session.path, ret);
        if (rc == 0)
            (void)!json_object_set(*ret, "tags", pp_saved_json(&rec, "tags"));
        pp_saved_finish(&rec);
    }
    pp_session_close(&session);
    return rc == -ENOMEM ? rc : 0;
}

int
pp_html_compare_make(const struct pp_diff *diff, const struct pp_limit_checks *checks,
                     const struct pp_window_given *window, json_t **ret)
{
    json_t *data = json_object(), *old = NULL, *new = NULL;
    int rc = side_json(diff->olds, window, &old);
    rc = rc ? rc : side_json(diff->news, window, &new);
    pp_json_put(data, "diff", pp_diff_json_make(diff, checks, true));
    pp_json_put(data, "old", old ? old : json_null());
    pp_json_put(data, "new", new ? new : json_null());
    if (rc == 0 && data) {
        *ret = data;
        return 0;
    }
    json_decref(data);
    return -ENOMEM;
}

static void
put_title(FILE *out, const json_t *data)
{
    const json_t *diff = json_object_get(data, "diff");
    const char *old = pp_html_string(json_array_get(json_object_get(diff, "old"), 0), "session");
    const char *new = pp_html_string(json_array_get(json_object_get(diff, "new"), 0), "session");
    const char *old_build = pp_html_string(data, "old.tags.build");
    const char *new_build = pp_html_string(data, "new.tags.build");
    if (*old_build && *new_build && strcmp(old_build, new_build) != 0)
        pp_html_textf(out, "%s (build %s) against %s (build %s)", old, old_build, new, new_build);
    else
        pp_html_textf(out, "%s against %s", old, new);
}

/* The row of the frame time by the statistic that is compared or, without one, of whatever is first;
 * NULL: there is none. */
static const json_t *
main_row(const json_t *diff)
{
    const json_t *rows = json_object_get(json_array_get(json_object_get(diff, "surfaces"), 0), "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(pp_html_string(row, "name"), "frame_time") == 0 &&
            json_is_true(json_object_get(row, "chosen")))
            return row;
    }
    return json_array_get(rows, 0);
}

/* What to say of the whole comparison. */
static const char *
sentence_of(const json_t *diff, const json_t *row)
{
    const char *verdict = pp_html_string(row, "verdict");
    bool slower = json_is_true(json_object_get(diff, "slower")); /* the frame, or a pass */
    return slower && strcmp(verdict, "slower") == 0 ? "New is slower."
           : slower                                 ? "A part of new is slower: see the rows that say so."
           : strcmp(verdict, "faster") == 0         ? "New is faster."
           : strcmp(verdict, "same") == 0           ? "New is as fast as old."
                                          : "These runs do not show whether new is slower or faster.";
}

/* Write the cells of a row after its name. @param limit Also what limits say of it. */
static void
put_cells(FILE *out, const json_t *row, bool limit)
{
    static const char *const text[] = {"old_text", "new_text", "change_text", "interval_text"};
    pp_html_element(out, "td", pp_html_string(row, "table"));
    for (size_t i = 0; i < PP_ARRAY_SIZE(text); i++)
        pp_html_element(out, "td class=\"n\"", pp_html_string(row, text[i]));
    pp_html_element(out, "td", pp_html_string(row, "verdict_text"));
    if (limit)
        pp_html_element(out, "td", pp_html_string(row, "limit_text"));
    pp_html_raw(out, "</tr>\n");
}

/* A row that is slower or faster, with a link to its place in the tables of all changes. */
static void
put_answer(FILE *out, const json_t *row, size_t part, size_t at)
{
    pp_html_raw(out, "<tr><td class=\"name\"><a href=\"");
    pp_html_textf(out, "#row-%zu-%zu", part, at);
    pp_html_raw(out, "\">");
    pp_html_text(out, pp_html_string(row, "title"));
    pp_html_raw(out, "</a></td>");
    put_cells(out, row, false);
}

/* Write the rows with a verdict. @param len Rows that are in the table. @return The same, with these. */
static size_t
put_answers_of(FILE *out, const json_t *parts, const char *verdict, size_t len)
{
    static const char *const heads[] = {"<what",    "<table",        "old",      "new",
                                        "change %", "95 % interval", "<verdict", NULL};
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *rows = json_object_get(json_array_get(parts, i), "rows");
        for (size_t k = 0; k < json_array_size(rows); k++) {
            const json_t *row = json_array_get(rows, k);
            if (strcmp(pp_html_string(row, "verdict"), verdict) != 0)
                continue;
            if (len == 0)
                pp_html_begin_table(out, "What is slower or faster", heads, NULL);
            if (len++ < ANSWERS_MOST)
                put_answer(out, row, i, k);
        }
    }
    return len;
}

/* Write what is slower, then what is faster, as a table; nothing, if no row is. */
static void
put_answers(FILE *out, const json_t *diff)
{
    const json_t *parts = json_object_get(diff, "surfaces");
    size_t len = put_answers_of(out, parts, "slower", 0);
    len = put_answers_of(out, parts, "faster", len);
    if (len)
        pp_html_end_table(out);
    if (len > ANSWERS_MOST)
        pp_html_elementf(out, "p", PP_FORMAT_HTML_MORE, len - ANSWERS_MOST);
}

/* What limits say. */
static void
put_limits(FILE *out, const json_t *diff)
{
    const json_t *limits = json_object_get(diff, "limits");
    for (size_t i = 0; i < json_array_size(limits); i++) {
        const json_t *limit = json_array_get(limits, i);
        pp_html_elementf(out, "p class=\"sentence\"", "Limit %s: %s.", pp_html_string(limit, "limit"),
                         pp_html_string(limit, "state"));
    }
}

static void
put_verdict(FILE *out, const json_t *data)
{
    const json_t *diff = json_object_get(data, "diff"), *row = main_row(diff);
    if (!json_is_true(json_object_get(diff, "comparable")))
        pp_html_element(out, "p class=\"warning\"", "These sessions are not comparable: see below.");
    pp_html_element(out, "p class=\"sentence\"", sentence_of(diff, row));
    if (row)
        pp_html_elementf(out, "p class=\"sentence\"", "%s: %s before, %s now, %s %%",
                         pp_html_string(row, "title"), pp_html_string(row, "old_text"),
                         pp_html_string(row, "new_text"), pp_html_string(row, "change_text"));
    put_limits(out, diff);
    put_answers(out, diff);
}

static void
put_side(FILE *out, const char *name, const json_t *runs)
{
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "th scope=\"row\"", name);
        pp_html_element(out, "td class=\"name\"", pp_html_string(run, "session"));
        pp_html_element(out, "td", pp_html_string(run, "start"));
        pp_html_element(out, "td class=\"name\"", pp_html_string(run, "executable"));
        pp_html_element(out, "td", pp_html_string(run, "host"));
        pp_html_element(out, "td class=\"n\"", pp_html_string(run, "frames_text"));
        pp_html_raw(out, "</tr>\n");
    }
}

static void
put_sides(FILE *out, const json_t *data)
{
    static const char *const heads[] = {"<side", "<session", "<start", "<executable",
                                        "<host", "frames",   NULL};
    pp_html_begin_table(out, "The sessions of both sides", heads, NULL);
    put_side(out, "old", pp_html_value(data, "diff.old"));
    put_side(out, "new", pp_html_value(data, "diff.new"));
    pp_html_end_table(out);
}

static void
put_change(FILE *out, const json_t *row, size_t part, size_t at)
{
    pp_html_raw(out, "<tr id=\"");
    pp_html_textf(out, "row-%zu-%zu", part, at);
    pp_html_raw(out, "\">");
    pp_html_element(out, "td class=\"name\"", pp_html_string(row, "title"));
    put_cells(out, row, true);
}

static void
put_changes(FILE *out, const json_t *data)
{
    static const char *const heads[] = {"<what",         "<table",   "old",    "new", "change %",
                                        "95 % interval", "<verdict", "<limit", NULL};
    const json_t *parts = pp_html_value(data, "diff.surfaces");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i), *rows = json_object_get(part, "rows");
        pp_html_begin_table(out, pp_html_string(part, "surface"), heads, NULL);
        for (size_t k = 0; k < json_array_size(rows); k++)
            put_change(out, json_array_get(rows, k), i, k);
        pp_html_end_table(out);
    }
}

static void
put_notes(FILE *out, const json_t *data)
{
    const json_t *notes = pp_html_value(data, "diff.notes");
    pp_html_raw(out, "<ul>");
    for (size_t i = 0; i < json_array_size(notes); i++)
        pp_html_element(out, "li", pp_html_string(json_array_get(notes, i), "text"));
    if (!json_array_size(notes))
        pp_html_element(out, "li", "Everything was compared.");
    pp_html_raw(out, "</ul>");
}

int
pp_html_compare_write(FILE *out, const json_t *data)
{
    static const struct pp_html_place place[] = {{"title", put_title},
                                                 {"verdict", put_verdict},
                                                 {"sides", put_sides},
                                                 {"changes", put_changes},
                                                 {"notes", put_notes}};
    return pp_html_template_write(out, pp_html_compare_page, place, PP_ARRAY_SIZE(place), data);
}
