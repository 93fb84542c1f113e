/** @file
 * See merge_json.h. */
#include "cli/merge/merge_json.h"

#include <stdio.h>
#include <string.h>

#include "pp_texts.h"

/* Texts and objects of several runs, each once, in the order in which they came. Keys say what is the same.
 */

/* Add the elements of an array whose key is new. @param key Members that tell elements apart; NULL: the
 * elements are texts. */
static void
add_each(json_t *seen, json_t *to, const json_t *from, const char *key, const char *more)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        char text[2048];
        json_t *one = json_array_get(from, i);
        const char *first = json_string_value(key ? json_object_get(one, key) : one);
        const char *second = more ? json_string_value(json_object_get(one, more)) : "";
        snprintf(text, sizeof(text), "%.1000s\n%.1000s", first ? first : "", second ? second : "");
        if (!first || json_object_get(seen, text))
            continue;
        json_object_set_new(seen, text, json_true());
        json_array_append(to, one);
    }
}

/* Join an array of all runs. @param place Gives the object that has it. */
static void
join(json_t *into, const struct pp_merge *merge, json_t *(*place)(json_t *json, size_t i), size_t i,
     const char *name, const char *key, const char *more)
{
    json_t *seen = json_object();
    json_t *all = json_array();
    for (size_t r = 0; r < merge->runs; r++)
        if (!merge->run[r].left_out)
            add_each(seen, all, json_object_get(place(merge->run[r].json, i), name), key, more);
    json_decref(seen);
    json_object_set_new(into, name, all);
}

static json_t *
root_of(json_t *json, size_t i)
{
    (void)i;
    return json;
}

static json_t *
device_of(json_t *json, size_t i)
{
    return json_array_get(json_object_get(json, "devices"), i);
}

static json_t *
frames_of(json_t *json, size_t i)
{
    (void)i;
    return json_object_get(json, "frames");
}

/* Join what the devices, and the frames, measured. */
static void
join_events(json_t *json, const struct pp_merge *merge)
{
    json_t *devices = json_object_get(json, "devices");
    for (size_t i = 0; i <= json_array_size(devices); i++) {
        bool of_frames = i == json_array_size(devices);
        json_t *one = of_frames ? frames_of(json, 0) : json_array_get(devices, i);
        json_t *(*place)(json_t *, size_t) = of_frames ? frames_of : device_of;
        if (!json_is_object(one))
            continue;
        join(one, merge, place, i, "events_got", NULL, NULL);
        join(one, merge, place, i, "events_missing", "event", "reason");
        if (!of_frames)
            join(one, merge, place, i, "notes", NULL, NULL);
        json_object_del(one, "event_sets"); /* every frame has all */
        json_object_del(one, "only_set");
    }
}

/* Find a column of a merged file. */
static const struct pp_merge_column *
find_column(const struct pp_merge *merge, const char *file, const char *name, enum pp_merge_file *ret_file)
{
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        const struct pp_merge_columns *columns = &merge->columns[f];
        *ret_file = (enum pp_merge_file)f;
        for (size_t i = 0; i < columns->columns && strcmp(pp_merge_file_name(*ret_file), file) == 0; i++)
            if (strcmp(columns->column[i].name, name) == 0)
                return &columns->column[i];
    }
    return NULL;
}

/* Add columns to the entry of a file and a reason, which may be new. */
static void
add_reason(json_t *to, const char *file, const char *reason, const json_t *columns)
{
    json_t *one = NULL;
    json_t *seen = json_object();
    json_t *joined = json_array();
    for (size_t i = 0; i < json_array_size(to) && file && reason && !one; i++) {
        json_t *entry = json_array_get(to, i);
        const char *of = json_string_value(json_object_get(entry, "file"));
        const char *why = json_string_value(json_object_get(entry, "reason"));
        if (of && why && strcmp(of, file) == 0 && strcmp(why, reason) == 0)
            one = entry;
    }
    add_each(seen, joined, json_object_get(one, "columns"), NULL, NULL);
    add_each(seen, joined, columns, NULL, NULL);
    if (one)
        json_object_set(one, "columns", joined);
    else if (file && reason && json_array_size(joined))
        json_array_append_new(
            to, json_pack("{s:s, s:s, s:O}", "file", file, "reason", reason, "columns", joined));
    json_decref(joined);
    json_decref(seen);
}

/* Add a run's reasons for empty cells, for the columns that have such cells. @param all Of the first run,
 * whose files without merged rows count, too. */
static void
add_reasons(json_t *to, const struct pp_merge *merge, const json_t *from, bool all)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *one = json_array_get(from, i);
        const char *file = json_string_value(json_object_get(one, "file"));
        const json_t *columns = json_object_get(one, "columns");
        json_t *kept = json_array();
        for (size_t c = 0; file && c < json_array_size(columns); c++) {
            enum pp_merge_file of;
            const char *name = json_string_value(json_array_get(columns, c));
            const struct pp_merge_column *column = name ? find_column(merge, file, name, &of) : NULL;
            if (column ? column->has_empty && (all || column->rule == PP_MERGE_ANY) : all)
                json_array_append(kept, json_array_get(columns, c));
        }
        add_reason(to, file, json_string_value(json_object_get(one, "reason")), kept);
        json_decref(kept);
    }
}

/* Why cells are empty: the reasons of the runs, and rows in which runs differ. */
static void
join_empty_cells(json_t *json, const struct pp_merge *merge)
{
    json_t *all = json_array();
    for (size_t r = 0; r < merge->runs; r++)
        if (!merge->run[r].left_out)
            add_reasons(all, merge, json_object_get(merge->run[r].json, "empty_cells"), r == 0);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        json_t *columns = json_array();
        for (size_t i = 0; i < merge->columns[f].columns && merge->agree[f] < merge->framed[f]; i++)
            if (merge->columns[f].column[i].has_empty && merge->columns[f].column[i].rule == PP_MERGE_ANY)
                json_array_append_new(columns, json_string(merge->columns[f].column[i].name));
        add_reason(all, pp_merge_file_name((enum pp_merge_file)f), PP_TEXT_MERGE_EMPTY, columns);
        json_decref(columns);
    }
    json_object_set_new(json, "empty_cells", all);
}

static void
set_place(json_t *one, const char *name, uint64_t value)
{
    if (value != UINT64_MAX)
        json_object_set_new(one, name, json_integer((json_int_t)value));
}

/* Which rows of a run are not merged. */
static json_t *
differences_of(const struct pp_merge_run *run)
{
    static const char *const reason[PP_MERGE_DIFFERENCES] = {PP_TEXT_MERGE_NO_FRAME, PP_TEXT_MERGE_NO_ROW,
                                                             PP_TEXT_MERGE_COUNTS, PP_TEXT_MERGE_PARTS};
    json_t *all = json_array();
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        for (unsigned d = 0; d < PP_MERGE_DIFFERENCES; d++) {
            const struct pp_merge_differing *differing = &run->differing[f][d];
            if (!differing->rows)
                continue;
            json_t *first = json_object();
            json_t *one = json_pack("{s:s, s:s, s:I}", "file", pp_merge_file_name((enum pp_merge_file)f),
                                    "reason", reason[d], "rows", (json_int_t)differing->rows);
            set_place(first, "frame", differing->frame);
            set_place(first, "pass", differing->pass);
            set_place(first, "draw", differing->draw);
            if (*differing->column)
                json_object_set_new(first, "column", json_string(differing->column));
            json_object_set_new(one, "first", first);
            json_array_append_new(all, one);
        }
    }
    return all;
}

/* All events that a run measured. */
static json_t *
events_of(const struct pp_merge_run *run)
{
    json_t *seen = json_object();
    json_t *events = json_array();
    const json_t *devices = json_object_get(run->json, "devices");
    for (size_t i = 0; i < json_array_size(devices); i++)
        add_each(seen, events, json_object_get(json_array_get(devices, i), "events_got"), NULL, NULL);
    add_each(seen, events, json_object_get(json_object_get(run->json, "frames"), "events_got"), NULL, NULL);
    json_decref(seen);
    return events;
}

static json_t *
run_json(const struct pp_merge *merge, const struct pp_merge_request *request, size_t r)
{
    const struct pp_merge_run *run = &merge->run[r];
    json_t *merged = json_object();
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        if (merge->run[0].table[f].there && r > 0)
            json_object_set_new(merged, pp_merge_file_name((enum pp_merge_file)f),
                                json_integer((json_int_t)run->merged[f]));
    json_t *one = json_object();
    json_object_set_new(one, "number", json_integer((json_int_t)r));
    json_object_set_new(one, "session", request->place[r] ? json_string(request->place[r]) : json_null());
    json_object_set_new(one, "left_out", run->left_out ? json_string(run->left_out) : json_null());
    json_object_set_new(one, "events_got", events_of(run));
    json_object_set_new(one, "merged_rows", merged);
    json_object_set_new(one, "differences", differences_of(run));
    json_t *dropped = json_object_get(run->json, "dropped");
    json_object_set(one, "dropped", dropped ? dropped : json_null());
    return one;
}

/* The object `runs_for`. */
static json_t *
runs_json(const struct pp_merge *merge, const struct pp_merge_request *request)
{
    json_t *runs = json_array();
    json_t *agreement = json_object();
    for (size_t r = 0; r < merge->runs; r++)
        json_array_append_new(runs, run_json(merge, request, r));
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        if (merge->run[0].table[f].there)
            json_object_set_new(agreement, pp_merge_file_name((enum pp_merge_file)f),
                                json_pack("{s:I, s:I}", "rows", (json_int_t)merge->framed[f], "agree",
                                          (json_int_t)merge->agree[f]));
    json_t *all = json_object();
    json_object_set_new(all, "events", json_string(request->runs_for));
    json_object_set_new(all, "wanted_runs", json_integer(request->wanted));
    json_object_set_new(all, "ended", request->ended ? json_string(request->ended) : json_null());
    json_object_set_new(all, "agreement", agreement);
    json_object_set_new(all, "runs", runs);
    return all;
}

/* Numbers of rows, as they were written. */
static void
set_counts(json_t *json, const struct pp_merge *merge, bool finished)
{
    static const char *const name[PP_MERGE_FILES] = {"frames", "passes", "draws"};
    json_t *counts = json_object_get(json, "counts");
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        json_object_set_new(counts, name[f], json_integer(finished ? (json_int_t)merge->rows[f] : 0));
    if (!finished) {
        json_object_set_new(counts, "labels", json_integer(0));
        json_object_set_new(counts, "unattributed_passes", json_integer(0));
    }
}

json_t *
pp_merge_json_make(const struct pp_merge *merge, const struct pp_merge_request *request, bool finished)
{
    json_t *json = json_deep_copy(merge->run[0].json);
    json_t *options = json_object_get(json, "options");
    if (!json)
        return NULL;
    json_object_set_new(json, "revision", json_integer(finished ? 2 : 1));
    /* the id that was copied is that of the first run, whose session may be kept, too */
    if (*merge->session_id)
        json_object_set_new(json, "session_id", json_string(merge->session_id));
    else
        json_object_del(json, "session_id");
    if (!finished)
        json_object_set_new(json, "ended", json_string(PP_TEXT_MERGE_UNFINISHED));
    json_object_set_new(options, "events", json_string(request->events));
    json_object_set_new(options, "only_set", json_null());
    join_events(json, merge);
    join(json, merge, root_of, 0, "states", NULL, NULL);
    join(json, merge, root_of, 0, "metrics", "name", NULL);
    join_empty_cells(json, merge);
    set_counts(json, merge, finished);
    json_object_set_new(json, "runs_for", runs_json(merge, request));
    /* the last member */
    json_object_del(json, "revision_end");
    json_object_set_new(json, "revision_end", json_integer(finished ? 2 : 1));
    return json;
}
