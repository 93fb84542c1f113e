/** @file
 * Finds which of a session's files were written last; see session_files.h. session.json and
 * frames.csv each have a spare file next to them (docs/formats/session.md, "Files that are replaced"). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/session_files.h"
#include "cli/session/wrong_number.h"
#include "counters/util/fd.h"
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
