/** @file
 * See runs_file.h. */
#include "cli/session/runs_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text/json_values.h"
#include "core/config/dir_content.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

#define SCHEMA   1
#define WHY      256
#define MAX_SIZE ((off_t)4 << 20) /* a run has some 150 bytes */
#define SPARE    PP_DIR_RUNS_FILE ".new"

json_t *
pp_runs_file_make(char *const *const command[2])
{
    json_t *ret = json_object();
    json_t *commands = json_array();
    pp_json_put_text(ret, "passprobe", PP_VERSION);
    pp_json_put_number(ret, "schema", SCHEMA);
    for (size_t side = 0; side < 2 && command[side]; side++) {
        json_t *words = json_array();
        for (char *const *word = command[side]; *word; word++)
            (void)!json_array_append_new(words, pp_json_text(*word));
        (void)!json_array_append_new(commands, words);
    }
    (void)!json_object_set_new(ret, "ended", json_null()); /* its place in the file */
    (void)!json_object_set_new(ret, "commands", commands);
    (void)!json_object_set_new(ret, "runs", json_array());
    return ret;
}

void
pp_runs_file_add(json_t *runs, const struct pp_listed_run *run)
{
    json_t *row = json_object();
    (void)!json_object_set_new(row, "session", *run->session ? pp_json_text(run->session) : json_null());
    pp_json_put_number(row, "command", run->side);
    pp_json_put_number(row, "number", run->number);
    pp_json_put_number(row, "status", run->status);
    pp_json_put_number(row, "frames", (double)run->frames);
    (void)!json_object_set_new(row, "counts", json_boolean(run->counts));
    (void)!json_array_append_new(json_object_get(runs, "runs"), row);
}

int
pp_runs_file_write(int folder_fd, json_t *runs, const char *ended)
{
    pp_json_put_text(runs, "ended", ended);
    (void)unlinkat(folder_fd, SPARE, 0);
    int fd = openat(folder_fd, SPARE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return -error;
    }
    int rc = pp_json_write(file, runs);
    if (fclose(file) && rc == 0)
        rc = -errno;
    if (rc == 0 && renameat(folder_fd, SPARE, folder_fd, PP_DIR_RUNS_FILE))
        rc = -errno;
    if (rc)
        (void)unlinkat(folder_fd, SPARE, 0);
    return rc;
}

/* Is this the name of a directory in the folder itself? */
static bool
is_plain_name(const char *name)
{
    return *name && *name != '.' && strlen(name) <= NAME_MAX && !strchr(name, '/');
}

/* Read a number that is not negative. @return false: it is none. */
static bool
read_count(const json_t *row, const char *name, uint64_t most, uint64_t *ret)
{
    const json_t *value = json_object_get(row, name);
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most)
        return false;
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

/* Read a run. @return false: something of it is wrong or missing. */
static bool
read_run(const json_t *row, struct pp_listed_run *ret)
{
    const char *session = json_string_value(json_object_get(row, "session"));
    uint64_t side = 0;
    uint64_t number = 0;
    uint64_t status = 0;
    uint64_t frames = 0;
    if (!read_count(row, "command", 1, &side) || !read_count(row, "number", UINT32_MAX, &number) ||
        !read_count(row, "status", 255, &status) || !read_count(row, "frames", INT64_MAX, &frames) ||
        (session && !is_plain_name(session)))
        return false;
    *ret = (struct pp_listed_run){.side = (unsigned)side,
                                  .number = (unsigned)number,
                                  .status = (int)status,
                                  .frames = frames,
                                  .counts = json_is_true(json_object_get(row, "counts"))};
    snprintf(ret->session, sizeof(ret->session), "%s", session ? session : "");
    return true;
}

/* Load the file. @return NULL: @p why has the reason, @p ret_error the number. */
static json_t *
load(int folder_fd, int *ret_error, char *why)
{
    json_error_t error;
    struct stat st = {.st_size = 0};
    int fd = pp_open_regular(folder_fd, PP_DIR_RUNS_FILE, O_RDONLY);
    int rc = fd < 0 ? fd : fstat(fd, &st) ? -errno : st.st_size > MAX_SIZE ? -EFBIG : 0;
    FILE *file = rc ? NULL : fdopen(fd, "r");
    rc = rc || file ? rc : -errno;
    json_t *json = rc ? NULL : json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (rc)
        snprintf(why, WHY, "%s", strerror(-rc));
    else if (!json)
        snprintf(why, WHY, "line %d: %.200s", error.line, error.text);
    *ret_error = rc ? rc : -EPROTO;
    if (file)
        (void)fclose(file);
    else if (fd >= 0)
        close(fd);
    return json;
}

int
pp_run_list_take(const json_t *json, struct pp_run_list *ret, char *why)
{
    struct pp_run_list list = {.len = 0};
    uint64_t schema = 0;
    int rc = -EPROTO;
    const json_t *runs = json_object_get(json, "runs");
    size_t len = json_array_size(runs);
    if (!read_count(json, "schema", UINT32_MAX, &schema) || !json_is_array(runs)) {
        snprintf(why, WHY, PP_TEXT_RUNS_FILE_BROKEN);
    } else if (schema > SCHEMA) {
        snprintf(why, WHY, PP_FORMAT_RUNS_FILE_NEWER, (unsigned long long)schema, SCHEMA);
    } else if (!(list.run = calloc(len ? len : 1, sizeof(*list.run)))) {
        rc = -ENOMEM;
        snprintf(why, WHY, "%s", strerror(ENOMEM));
    } else {
        rc = 0;
    }
    for (; rc == 0 && list.len < len; list.len++) {
        if (read_run(json_array_get(runs, list.len), &list.run[list.len]))
            continue;
        snprintf(why, WHY, PP_FORMAT_RUNS_FILE_ROW, list.len + 1);
        rc = -EPROTO;
        break;
    }
    if (rc)
        pp_run_list_finish(&list);
    else
        *ret = list;
    return rc;
}

int
pp_runs_file_read(int folder_fd, struct pp_run_list *ret, char *why)
{
    int rc = 0;
    json_t *json = load(folder_fd, &rc, why);
    if (json)
        rc = pp_run_list_take(json, ret, why);
    json_decref(json);
    return rc;
}

void
pp_run_list_finish(struct pp_run_list *list)
{
    free(list->run);
    *list = (struct pp_run_list){.len = 0};
}

const struct pp_listed_run *
pp_run_list_last(const struct pp_run_list *list)
{
    for (size_t i = list->len; i > 0; i--)
        if (list->run[i - 1].counts && *list->run[i - 1].session)
            return &list->run[i - 1];
    return NULL;
}
