/** @file
 * See merge_run.h. */
#include "cli/merge/merge_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/text/json_values.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* What is being made. */
struct making {
    const struct pp_merge *merge;
    bool failed; /* memory was missing: the content lacks something */
};

/* Add a member. @param value Its reference is taken; NULL: there was no memory. */
static void
put(struct making *m, json_t *object, const char *name, json_t *value)
{
    m->failed |= json_object_set_new(object, name, value) != 0;
}

/* Append an element. @param value As for put(). */
static void
append(struct making *m, json_t *array, json_t *value)
{
    m->failed |= json_array_append_new(array, value) != 0;
}

/* A text; null where there is none. */
static json_t *
text_or_null(const char *text)
{
    return text ? pp_json_text(text) : json_null();
}

/* Texts and objects of several runs, each once, in the order in which they came. Keys say what is the same.
 */

/* Add the elements of an array whose key is new. @param key Members that distinguish elements; NULL: the
 * elements are texts. */
static void
add_each(struct making *m, json_t *seen, json_t *to, const json_t *from, const char *key, const char *more)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        char *text = NULL;
        json_t *one = json_array_get(from, i);
        const char *first = json_string_value(key ? json_object_get(one, key) : one);
        const char *second = more ? json_string_value(json_object_get(one, more)) : "";
        if (!first)
            continue;
        if (asprintf(&text, "%s\n%s", first, second ? second : "") < 0) {
            m->failed = true;
            return;
        }
        if (!json_object_get(seen, text)) {
            put(m, seen, text, json_true());
            append(m, to, json_incref(one));
        }
        free(text);
    }
}

/* Join an array of all runs. @param place Gives the object that has it. */
static void
join(struct making *m, json_t *into, json_t *(*place)(json_t *json, size_t i), size_t i, const char *name,
     const char *key, const char *more)
{
    json_t *seen = json_object();
    json_t *all = json_array();
    for (size_t r = 0; r < m->merge->runs; r++)
        if (!m->merge->run[r].left_out)
            add_each(m, seen, all, json_object_get(place(m->merge->run[r].json, i), name), key, more);
    json_decref(seen);
    put(m, into, name, all);
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
join_events(struct making *m, json_t *json)
{
    json_t *devices = json_object_get(json, "devices");
    for (size_t i = 0; i <= json_array_size(devices); i++) {
        bool of_frames = i == json_array_size(devices);
        json_t *one = of_frames ? frames_of(json, 0) : json_array_get(devices, i);
        json_t *(*place)(json_t *, size_t) = of_frames ? frames_of : device_of;
        if (!json_is_object(one))
            continue;
        join(m, one, place, i, "events_got", NULL, NULL);
        join(m, one, place, i, "events_missing", "event", "reason");
        if (!of_frames)
            join(m, one, place, i, "notes", NULL, NULL);
        (void)json_object_del(one, "event_sets"); /* every frame has all */
        (void)json_object_del(one, "only_set");
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
add_reason(struct making *m, json_t *to, const char *file, const char *reason, const json_t *columns)
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
    add_each(m, seen, joined, json_object_get(one, "columns"), NULL, NULL);
    add_each(m, seen, joined, columns, NULL, NULL);
    if (one)
        put(m, one, "columns", json_incref(joined));
    else if (file && reason && json_array_size(joined))
        append(m, to, json_pack("{s:s, s:s, s:O}", "file", file, "reason", reason, "columns", joined));
    json_decref(joined);
    json_decref(seen);
}

/* Add a run's reasons for empty cells, for the columns that have such cells. @param all Of the first run,
 * whose files without merged rows count, too. */
static void
add_reasons(struct making *m, json_t *to, const json_t *from, bool all)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *one = json_array_get(from, i);
        const char *file = json_string_value(json_object_get(one, "file"));
        const json_t *columns = json_object_get(one, "columns");
        json_t *kept = json_array();
        for (size_t c = 0; file && c < json_array_size(columns); c++) {
            enum pp_merge_file of;
            const char *name = json_string_value(json_array_get(columns, c));
            const struct pp_merge_column *column = name ? find_column(m->merge, file, name, &of) : NULL;
            if (column ? column->has_empty && (all || column->rule == PP_MERGE_ANY) : all)
                append(m, kept, json_incref(json_array_get(columns, c)));
        }
        add_reason(m, to, file, json_string_value(json_object_get(one, "reason")), kept);
        json_decref(kept);
    }
}

/* Why cells are empty: the reasons of the runs, and rows in which runs differ. */
static void
join_empty_cells(struct making *m, json_t *json)
{
    const struct pp_merge *merge = m->merge;
    json_t *all = json_array();
    for (size_t r = 0; r < merge->runs; r++)
        if (!merge->run[r].left_out)
            add_reasons(m, all, json_object_get(merge->run[r].json, "empty_cells"), r == 0);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        const struct pp_merge_column *column = merge->columns[f].column;
        json_t *columns = json_array();
        for (size_t i = 0; i < merge->columns[f].columns && merge->agree[f] < merge->framed[f]; i++)
            if (column[i].has_empty && column[i].rule == PP_MERGE_ANY)
                append(m, columns, pp_json_text(column[i].name));
        add_reason(m, all, pp_merge_file_name((enum pp_merge_file)f), PP_TEXT_MERGE_EMPTY, columns);
        json_decref(columns);
    }
    put(m, json, "empty_cells", all);
}

static void
set_place(struct making *m, json_t *one, const char *name, uint64_t value)
{
    if (value != UINT64_MAX)
        put(m, one, name, json_integer((json_int_t)value));
}

/* Which rows of a run are not merged. */
static json_t *
differences_of(struct making *m, const struct pp_merge_run *run)
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
            set_place(m, first, "frame", differing->frame);
            set_place(m, first, "pass", differing->pass);
            set_place(m, first, "draw", differing->draw);
            if (*differing->column)
                put(m, first, "column", pp_json_text(differing->column));
            put(m, one, "first", first);
            append(m, all, one);
        }
    }
    return all;
}

/* All events that a run measured. */
static json_t *
events_of(struct making *m, const struct pp_merge_run *run)
{
    json_t *seen = json_object();
    json_t *events = json_array();
    const json_t *devices = json_object_get(run->json, "devices");
    for (size_t i = 0; i < json_array_size(devices); i++)
        add_each(m, seen, events, json_object_get(json_array_get(devices, i), "events_got"), NULL, NULL);
    add_each(m, seen, events, json_object_get(json_object_get(run->json, "frames"), "events_got"), NULL,
             NULL);
    json_decref(seen);
    return events;
}

static json_t *
run_json(struct making *m, const struct pp_merge_request *request, size_t r)
{
    const struct pp_merge *merge = m->merge;
    const struct pp_merge_run *run = &merge->run[r];
    json_t *merged = json_object();
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        if (merge->run[0].table[f].there && r > 0)
            put(m, merged, pp_merge_file_name((enum pp_merge_file)f),
                json_integer((json_int_t)run->merged[f]));
    json_t *one = json_object();
    put(m, one, "number", json_integer((json_int_t)r));
    put(m, one, "session", text_or_null(request->place[r]));
    put(m, one, "left_out", text_or_null(run->left_out));
    put(m, one, "events_got", events_of(m, run));
    put(m, one, "merged_rows", merged);
    put(m, one, "differences", differences_of(m, run));
    json_t *dropped = json_object_get(run->json, "dropped");
    put(m, one, "dropped", dropped ? json_incref(dropped) : json_null());
    return one;
}

/* Which columns of the runs did not fit. */
static json_t *
left_out_json(struct making *m)
{
    json_t *all = json_array();
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        const struct pp_merge_columns *columns = &m->merge->columns[f];
        json_t *names = json_array();
        for (size_t i = 0; i < columns->left_outs; i++)
            append(m, names, pp_json_text(columns->left_out[i]));
        if (columns->left_outs)
            append(m, all,
                   json_pack("{s:s, s:s, s:O}", "file", pp_merge_file_name((enum pp_merge_file)f), "reason",
                             PP_TEXT_MERGE_FULL, "columns", names));
        json_decref(names);
    }
    return all;
}

/* The object `runs_for`. */
static json_t *
runs_json(struct making *m, const struct pp_merge_request *request)
{
    const struct pp_merge *merge = m->merge;
    json_t *runs = json_array();
    json_t *agreement = json_object();
    for (size_t r = 0; r < merge->runs; r++)
        append(m, runs, run_json(m, request, r));
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        if (merge->run[0].table[f].there)
            put(m, agreement, pp_merge_file_name((enum pp_merge_file)f),
                json_pack("{s:I, s:I}", "rows", (json_int_t)merge->framed[f], "agree",
                          (json_int_t)merge->agree[f]));
    json_t *all = json_object();
    put(m, all, "events", pp_json_text(request->runs_for));
    put(m, all, "wanted_runs", json_integer(request->wanted));
    put(m, all, "ended", text_or_null(request->ended));
    put(m, all, "agreement", agreement);
    put(m, all, "runs", runs);
    put(m, all, "columns_left_out", left_out_json(m));
    return all;
}

/* Numbers of rows, as they were written. */
static void
set_counts(struct making *m, json_t *json, bool finished)
{
    static const char *const name[PP_MERGE_FILES] = {"frames", "passes", "draws"};
    json_t *counts = json_object_get(json, "counts");
    if (!json_is_object(counts))
        return;
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        put(m, counts, name[f], json_integer(finished ? (json_int_t)m->merge->rows[f] : 0));
    if (!finished) {
        put(m, counts, "labels", json_integer(0));
        put(m, counts, "unattributed_passes", json_integer(0));
    }
}

/*
 * Make the content: that of the first run, with the events of all runs, and the object `runs_for`.
 *
 * @param merge    Merged, or about to be.
 * @param finished false: the rows are not written yet, and `ended` says so.
 * @return Owned by the caller; NULL: no memory.
 */
static json_t *
merge_json_make(const struct pp_merge *merge, const struct pp_merge_request *request, bool finished)
{
    struct making making = {.merge = merge}, *m = &making;
    json_t *json = json_deep_copy(merge->run[0].json);
    json_t *options = json_object_get(json, "options");
    if (!json)
        return NULL;
    put(m, json, "revision", json_integer(finished ? 2 : 1));
    /* the id that was copied is that of the first run, whose session may be kept, too */
    (void)json_object_del(json, "session_id");
    if (*merge->session_id)
        put(m, json, "session_id", json_string(merge->session_id));
    if (!finished)
        put(m, json, "ended", json_string(PP_TEXT_MERGE_UNFINISHED));
    if (json_is_object(options)) {
        put(m, options, "events", pp_json_text(request->events));
        put(m, options, "only_set", json_null());
    }
    join_events(m, json);
    join(m, json, root_of, 0, "states", NULL, NULL);
    join(m, json, root_of, 0, "metrics", "name", NULL);
    join_empty_cells(m, json);
    set_counts(m, json, finished);
    put(m, json, "runs_for", runs_json(m, request));
    /* the last member */
    (void)json_object_del(json, "revision_end");
    put(m, json, "revision_end", json_integer(finished ? 2 : 1));
    if (!m->failed)
        return json;
    json_decref(json);
    return NULL;
}

#define COPY_SIZE ((size_t)64 << 10)

/* Create a file of the merged session. */
static int
create(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : fd;
}

/* A text that is being made. */
struct text {
    char *byte; /* owned */
    size_t len, cap;
    bool failed; /* there was no memory */
};

/* Append a part of a text; called by jansson. */
static int
add_text(const char *part, size_t len, void *data)
{
    struct text *text = data;
    text->failed = text->failed || pp_grow_array(&text->byte, &text->cap, text->len + len, 1);
    if (text->failed)
        return -1;
    memcpy(text->byte + text->len, part, len);
    text->len += len;
    return 0;
}

/* Make the text of a value. json_dumps() of jansson 2.14 goes on where it had no memory for the name of a
 * member.
 * @retval 0, -ENOMEM. */
static int
make_text(const json_t *json, struct text *ret)
{
    *ret = (struct text){.len = 0};
    if (json && json_dump_callback(json, add_text, ret, JSON_INDENT(1)) == 0 && !ret->failed)
        return 0;
    free(ret->byte);
    return -ENOMEM;
}

/* Write session.json in one step. */
static int
write_json(const struct pp_merge *merge, const struct pp_merge_request *request, int out_fd, bool finished)
{
    json_t *json = merge_json_make(merge, request, finished);
    struct text text;
    int rc = make_text(json, &text);
    json_decref(json);
    if (rc)
        return rc;
    int fd = create(out_fd, "session.json.new");
    rc = fd < 0 ? fd : pp_write_all(fd, text.byte, text.len);
    free(text.byte);
    if (fd >= 0 && close(fd) && rc == 0)
        rc = -errno;
    if (rc == 0 && renameat(out_fd, "session.json.new", out_fd, "session.json"))
        rc = -errno;
    if (rc)
        (void)unlinkat(out_fd, "session.json.new", 0);
    return rc;
}

/* Copy a file of the first run. It is no error if there is none. */
static int
copy_file(int from_fd, int out_fd, const char *name)
{
    int from = pp_open_regular(from_fd, name, O_RDONLY);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    char *buffer = malloc(COPY_SIZE);
    int to = buffer ? create(out_fd, name) : -ENOMEM;
    int rc = to < 0 ? to : 0;
    ssize_t got = 0;
    while (rc == 0 && (got = read(from, buffer, COPY_SIZE)) != 0) {
        if (got > 0)
            rc = pp_write_all(to, buffer, (size_t)got);
        else if (errno != EINTR)
            rc = -errno;
    }
    if (to >= 0 && close(to) && rc == 0)
        rc = -errno;
    close(from);
    free(buffer);
    return rc;
}

/* Open a merged file, and write its header. */
static int
begin_file(struct pp_merge *merge, enum pp_merge_file file, int out_fd)
{
    if (!merge->run[0].table[file].there)
        return 0;
    int rc = pp_merge_columns_make(merge->run, merge->runs, file, &merge->columns[file]);
    int fd = rc ? rc : create(out_fd, pp_merge_file_name(file));
    if (fd < 0)
        return fd;
    merge->out[file] = fdopen(fd, "w");
    if (!merge->out[file]) {
        close(fd);
        return -ENOMEM;
    }
    (void)setvbuf(merge->out[file], NULL, _IOFBF, (size_t)1 << 20);
    pp_merge_cells_header(merge->out[file], &merge->columns[file]);
    return 0;
}

/* Write the files of the merged session. */
static int
write_session(struct pp_merge *merge, const struct pp_merge_request *request, int out_fd)
{
    static const char *const copied[] = {"labels.csv", "stacks.csv", "modules.csv", "symbols.csv"};
    int rc = 0;
    for (unsigned f = 0; f < PP_MERGE_FILES && rc == 0; f++)
        rc = begin_file(merge, (enum pp_merge_file)f, out_fd);
    rc = rc ? rc : write_json(merge, request, out_fd, false);
    for (size_t i = 0; i < PP_ARRAY_SIZE(copied) && rc == 0; i++)
        rc = copy_file(merge->run[0].dir_fd, out_fd, copied[i]);
    rc = rc ? rc : pp_merge_frames(merge);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        errno = EIO;
        bool failed = merge->out[f] && ferror(merge->out[f]);
        if (merge->out[f] && fclose(merge->out[f]) && rc == 0)
            rc = -errno;
        else if (failed && rc == 0)
            rc = -EIO;
    }
    return rc ? rc : write_json(merge, request, out_fd, true);
}

int
pp_merge(const struct pp_merge_request *request, int out_fd)
{
    struct pp_merge merge = {.runs = request->runs};
    size_t opened = 0;
    int rc = 0;
    merge.run = calloc(request->runs, sizeof(*merge.run));
    if (!merge.run)
        return -ENOMEM;
    (void)!pp_random_id(merge.session_id); /* without it, readers make an id from other members */
    while (opened < merge.runs && rc == 0) {
        rc = pp_merge_run_open(&merge.run[opened], request->dir_fd[opened]);
        opened++;
    }
    if (rc == 0 && merge.run[0].left_out)
        rc = -ENODATA;
    for (size_t r = 1; r < opened && rc == 0; r++) {
        pp_merge_run_check(&merge.run[r], &merge.run[0]);
        merge.merged_runs += !merge.run[r].left_out;
    }
    rc = rc ? rc : write_session(&merge, request, out_fd);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        pp_merge_columns_finish(&merge.columns[f]);
    for (size_t r = 0; r < opened; r++)
        pp_merge_run_finish(&merge.run[r]);
    free(merge.run);
    return rc;
}
