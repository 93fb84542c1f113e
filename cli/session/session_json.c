/** @file
 * See session_json.h. session.json and frames.csv each have a spare file next to them
 * (docs/formats/session.md, "Files that are replaced"). Names of members are those of docs/formats/session.md
 * and report.schema.json. */
#include "cli/session/session_json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/csv_read.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/sha256.h"
#include "pp_texts.h"

/* Files of passprobe have some hundred KiB. */
#define MAX_JSON_SIZE   ((off_t)64 << 20)
#define MAX_HEADER_SIZE ((size_t)1 << 20)

/* Load a JSON file. @param ret_missing The file does not exist. @return NULL: the file cannot be read; @p why
 * has the reason. */
static json_t *
load(int dir_fd, const char *name, char *why, size_t size, bool *ret_missing)
{
    json_error_t error;
    struct stat st = {.st_size = 0};
    int fd = pp_open_regular(dir_fd, name, O_RDONLY);
    int rc = fd < 0 ? fd : fstat(fd, &st) ? -errno : st.st_size > MAX_JSON_SIZE ? -EFBIG : 0;
    FILE *file = rc ? NULL : fdopen(fd, "r");
    rc = rc || file ? rc : -errno;
    /* not json_loadfd(), which reads byte by byte */
    json_t *json = rc ? NULL : json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    char key[128];
    bool wrong = json && pp_json_wrong_number(json, false, key, sizeof(key));
    *ret_missing = rc == -ENOENT;
    if (rc)
        snprintf(why, size, "%s", rc == -ENOTSUP || rc == -EISDIR ? "not a file" : strerror(-rc));
    else if (!json)
        snprintf(why, size, "line %d: %.200s", error.line, error.text);
    else if (wrong)
        snprintf(why, size, PP_FORMAT_JSON_WRONG_NUMBER, key);
    if (wrong) {
        json_decref(json);
        json = NULL;
    }
    if (file)
        (void)fclose(file);
    else if (fd >= 0)
        close(fd);
    return json;
}

/* Number of the file's version. -1: none, as in older sessions. -2: the file is damaged. */
static json_int_t
revision_of(const json_t *json)
{
    const json_t *begin = json_object_get(json, "revision");
    const json_t *end = json_object_get(json, "revision_end");
    if (!begin && !end)
        return -1;
    if (!json_is_integer(begin) || !json_is_integer(end) || json_integer_value(begin) < 0)
        return -2;
    return json_integer_value(begin) == json_integer_value(end) ? json_integer_value(begin) : -2;
}

json_t *
pp_saved_load_json(int dir_fd, char *why, size_t size, bool *ret_missing)
{
    char unused[256];
    bool none = false;
    json_t *json = load(dir_fd, "session.json", why, size, ret_missing);
    json_t *spare = load(dir_fd, "session.json.new", unused, sizeof(unused), &none);
    json_int_t revision = json ? revision_of(json) : -2;
    if (json && revision == -2) {
        snprintf(why, size, "torn");
        json_decref(json);
        json = NULL;
    }
    if (spare && revision_of(spare) >= 0 && revision_of(spare) > revision) {
        json_decref(json);
        *ret_missing = false;
        return spare;
    }
    json_decref(spare);
    return json;
}

/* Count the columns in a file's header. @return 0: the header is missing or unfinished. */
static size_t
columns_of(int dir_fd, const char *name)
{
    size_t columns = 1;
    bool quoted = false;
    int fd = pp_open_regular(dir_fd, name, O_RDONLY);
    char *text = fd < 0 ? NULL : malloc(MAX_HEADER_SIZE);
    ssize_t got = text ? read(fd, text, MAX_HEADER_SIZE) : -1;
    ssize_t i = 0;
    if (fd >= 0)
        close(fd);
    for (; i < got && text[i] && (quoted || text[i] != '\n'); i++) {
        quoted ^= text[i] == '"';
        columns += !quoted && text[i] == ',';
    }
    bool whole = got > 0 && i < got && i > 0 && text[i] == '\n';
    free(text);
    return whole ? columns : 0;
}

const char *
pp_saved_frames_file(int dir_fd)
{
    size_t spare = columns_of(dir_fd, "frames.csv.new");
    return spare && spare >= columns_of(dir_fd, "frames.csv") ? "frames.csv.new" : "frames.csv";
}

static bool
ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

/* Is this the name of a number? */
static bool
is_number_name(const char *name)
{
    static const char *const end[] = {"_ns", "_bytes", "_hz", "percent", "fps", "_per_frame", "_ticks"};
    static const char *const number[] = {"block",
                                         "brackets",
                                         "count",
                                         "cpus",
                                         "dispatches",
                                         "draws",
                                         "duty",
                                         "every",
                                         "frame",
                                         "frames",
                                         "first_frames",
                                         "frames_first",
                                         "frames_last",
                                         "height",
                                         "keep_around",
                                         "labels",
                                         "layers",
                                         "mean",
                                         "passes",
                                         "pid",
                                         "place",
                                         "max_frame",
                                         "pipelines_created",
                                         "rate",
                                         "revision",
                                         "samples",
                                         "slow_frames_found",
                                         "timestamp_bits",
                                         "usual_draws",
                                         "width"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(end); i++)
        if (ends_with(name, end[i]))
            return true;
    for (size_t i = 0; i < PP_ARRAY_SIZE(number); i++)
        if (strcmp(name, number[i]) == 0)
            return true;
    return strchr(name, ':') != NULL;
}

/* Has an object of this name numbers only, or further such objects? */
static bool
has_numbers(const char *name)
{
    return strcmp(name, "counts") == 0 || strcmp(name, "dropped") == 0 || strcmp(name, "statistics") == 0;
}

/* Look into a value. @param name Of its member; "": it is an element of an array. @param len Of its path. */
static bool
find(const json_t *json, const char *name, bool number, bool by_name, char *key, size_t size, size_t len)
{
    const char *member = NULL;
    json_t *value = NULL;
    char *rest = key + len;
    if (json_is_number(json))
        return !(fabs(json_number_value(json)) <= PP_CELL_MOST);
    if (json_is_string(json) || json_is_boolean(json))
        return number || (by_name && is_number_name(name));
    for (size_t i = 0; i < json_array_size(json); i++) {
        snprintf(rest, size - len, "[%zu]", i);
        if (find(json_array_get(json, i), "", false, by_name, key, size, strlen(key)))
            return true;
    }
    json_object_foreach((json_t *)(uintptr_t)json, member, value)
    {
        snprintf(rest, size - len, "%s%s", len ? "." : "", member);
        /* a user chooses the names of tags */
        if (strcmp(rest, "tags") != 0 &&
            find(value, member, has_numbers(name), by_name, key, size, strlen(key)))
            return true;
    }
    return false;
}

bool
pp_json_wrong_number(const json_t *json, bool by_name, char *key, size_t size)
{
    *key = '\0';
    return find(json, "", false, by_name, key, size, 0);
}

static const char *
text_of(const json_t *json, const char *object, const char *name)
{
    return json_string_value(json_object_get(json_object_get(json, object), name));
}

/* Make the id of a session that was recorded without one. */
static int
make_id(const json_t *json, char *ret)
{
    char number[48], hash_text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    const json_t *program = json_object_get(json, "program");
    const json_t *start = json_object_get(program, "start_realtime_ns");
    const json_t *pid = json_object_get(program, "pid");
    const char *time = text_of(json, "program", "start");
    if (!json_is_integer(start) && !time)
        return -ENODATA;
    pp_sha256_init(&hash);
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(start));
    pp_sha256_add_text(&hash, json_is_integer(start) ? number : time);
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(pid));
    pp_sha256_add_text(&hash, number);
    pp_sha256_add_text(&hash, text_of(json, "host", "name"));
    pp_sha256_add_text(&hash, text_of(json, "program", "executable"));
    pp_sha256_end(&hash, hash_text);
    snprintf(ret, PP_SESSION_ID_MAX, "%.*s", PP_SESSION_ID_MAX - 1, hash_text);
    return 0;
}

int
pp_session_id(const json_t *json, char *ret)
{
    const json_t *member = json_object_get(json, "session_id");
    const char *id = json_string_value(member);
    if (!member)
        return make_id(json, ret);
    if (!id || json_string_length(member) != PP_SESSION_ID_MAX - 1 ||
        strspn(id, "0123456789abcdef") != PP_SESSION_ID_MAX - 1)
        return -EINVAL;
    memcpy(ret, id, PP_SESSION_ID_MAX);
    return 0;
}

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
