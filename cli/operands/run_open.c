/** @file
 * See operands.h: finds runs and takes their figures. First the runs of a file of summaries, then those of a
 * session, an archive or a database, last those of a side. */
#include "cli/operands/operands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/json/report_json.h"
#include "cli/print/gaps.h"
#include "cli/push/clickhouse.h"
#include "cli/push/push_url.h"
#include "cli/push/server_answer.h"
#include "cli/session/runs_file.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_open.h"
#include "cli/text/json_values.h"
#include "core/config/dir_content.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Runs that were read so far. */
struct runs {
    struct pp_run_figures *run; /* owned */
    size_t len, cap;
    const char *path;
    char *why;
};

/* Is this the begin of a text in JSON? */
static bool
is_json(int fd)
{
    char begin[64];
    ssize_t len = pread(fd, begin, sizeof(begin) - 1, 0);
    if (len <= 0)
        return false;
    begin[len] = '\0';
    const char first = begin[strspn(begin, " \t\r\n")];
    return first == '{' || first == '[';
}

FILE *
pp_run_file_open(const char *path)
{
    struct stat st;
    int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO would block, and is no file */
    FILE *ret = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_json(fd) ? fdopen(fd, "r") : NULL;
    if (!ret && fd >= 0)
        close(fd);
    return ret;
}

static int
out_of_memory(const struct runs *runs)
{
    snprintf(runs->why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    return -ENOMEM;
}

/* Append a run. Of a file with several ones, each is named by its number, too. @param json Its reference is
 * taken. */
static int
take_run(struct runs *runs, json_t *json)
{
    char name[PP_RUN_WHY];
    if (runs->len == PP_RUN_FILE_RUNS_MOST) {
        json_decref(json);
        snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_RUNS_MOST, runs->path, PP_RUN_FILE_RUNS_MOST);
        return -E2BIG;
    }
    if (pp_grow_array(&runs->run, &runs->cap, runs->len + 1, sizeof(*runs->run))) {
        json_decref(json);
        return out_of_memory(runs);
    }
    if (runs->len)
        snprintf(name, sizeof(name), PP_FORMAT_DIFF_RUN_OF_FILE, runs->path, runs->len + 1);
    else
        snprintf(name, sizeof(name), "%s", runs->path);
    int rc = pp_run_figures_take(json, name, &runs->run[runs->len], runs->why);
    runs->len += rc == 0;
    return rc;
}

/* Append a run, or the runs of a list. @param json Its reference is taken. */
static int
take_value(struct runs *runs, json_t *json)
{
    int rc = 0;
    if (!json_is_array(json))
        return take_run(runs, json);
    for (size_t i = 0; rc == 0 && i < json_array_size(json); i++)
        rc = take_run(runs, json_incref(json_array_get(json, i)));
    json_decref(json);
    return rc;
}

/* Is there more than blanks after the last value? */
static bool
has_more(FILE *in)
{
    int c = ' ';
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        c = getc(in);
    return c != EOF && ungetc(c, in) != EOF;
}

static int
read_values(struct runs *runs, FILE *in)
{
    int rc = 0;
    while (rc == 0 && has_more(in)) {
        json_error_t error;
        json_t *json = json_loadf(in, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
        if (!json) {
            snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_JSON, runs->path, error.line, error.text);
            return -EINVAL;
        }
        rc = take_value(runs, json);
    }
    if (rc == 0 && runs->len == 0) {
        snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_FRAMES, runs->path);
        rc = -EINVAL;
    }
    return rc;
}

/* Read all runs of a file. They may follow one another, or be elements of a list. @param path Names the file
 * in messages, and with a number each of several runs. @param ret The caller finishes each run, and frees the
 * array; unchanged on failure. @param why PP_RUN_WHY bytes: a whole message; set on failure. */
static int
read_file(FILE *in, const char *path, struct pp_run_figures **ret, size_t *ret_runs, char *why)
{
    struct runs runs = {.path = path, .why = why};
    struct stat st = {.st_size = 0};
    int rc = fstat(fileno(in), &st) ? -errno : 0;
    if (rc) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, path, strerror(-rc));
    } else if ((size_t)st.st_size > PP_RUN_FILE_MOST) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_LARGE, path, PP_RUN_FILE_MOST >> 20);
        rc = -EFBIG;
    }
    rc = rc ? rc : read_values(&runs, in);
    if (rc == 0) {
        *ret = runs.run;
        *ret_runs = runs.len;
        return 0;
    }
    for (size_t i = 0; i < runs.len; i++)
        pp_run_figures_finish(&runs.run[i]);
    free(runs.run);
    return rc;
}

/* Seconds without progress until a question fails. */
#define ANSWER_S 600U

static int
give_address(const char *address, char *why, int rc, const char *what)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_FLEET_FAILED, address, what);
    return rc;
}

/* Send a statement. @param ret_text Owned by the caller; set with 0. */
static int
ask_server(const char *address, const struct pp_http_options *options, const char *statement, char **ret_text,
           char *why)
{
    struct pp_clickhouse server;
    int rc = pp_clickhouse_init(&server, options);
    rc = rc ? rc : pp_clickhouse_run(&server, statement, true, ret_text);
    if (rc)
        rc = give_address(address, why, rc, server.error.text);
    pp_clickhouse_finish(&server);
    return rc;
}

/*
 * Read runs from an address such as clickhouse://USER@HOST/DATABASE?build=1234&scene=town. The password is in
 * PASSPROBE_PUSH_PASSWORD. Each session is a run, in the order of their begin. `tags.build` of the JSON of a
 * run is its build.
 *
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL The address is wrong, it has no such session, or sessions of several
 * GPUs. @retval -EIO The server does not answer.
 */
static int
run_fleet_read(const char *address, struct pp_run_figures **ret, size_t *ret_runs, char *why)
{
    struct pp_push_url url;
    char password[PP_PUSH_PASSWORD_MAX] = "", *statement = NULL, *text = NULL;
    const char *wrong = "";
    if (pp_push_url_read(address, &url, &wrong) || pp_push_password(NULL, password, &wrong))
        return give_address(address, why, -EINVAL, wrong);
    const struct pp_http_options options = {
        .url = &url, .password = password, .timeout_s = ANSWER_S, .answer_max = PP_RUN_FILE_MOST};
    int rc = pp_fleet_question_make(pp_fleet_run_figures, url.query, &statement);
    if (rc)
        rc = give_address(address, why, rc, rc == -EINVAL ? PP_TEXT_DIFF_FLEET_QUERY : strerror(ENOMEM));
    rc = rc ? rc : ask_server(address, &options, statement, &text, why);
    pp_push_forget(password, sizeof(password));
    rc = rc ? rc : pp_fleet_rows_take(address, text, ret, ret_runs, why);
    free(statement);
    free(text);
    return rc;
}

static int
give(char *why, int rc, const char *name)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, name, strerror(-rc));
    return rc;
}

/* Read the rows of a session. @param ret Set if 0 is returned. */
static int
read_rows(const struct pp_opened_session *session, const struct pp_window_given *given,
          struct pp_saved_session *ret, char *why)
{
    struct pp_frame_window window = pp_frame_window_open();
    const char *wrong = given ? pp_frame_window_parse(given, &window) : NULL;
    if (wrong) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_WINDOW, wrong);
        return -EINVAL;
    }
    int rc = pp_saved_read_window(session->fd, &window, given ? given->between : NULL, ret);
    if (rc == -ESRCH && given)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_REPORT_NO_MARKS, session->path, given->between);
    else if (rc == -ENOENT)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_REPORT_NO_SESSION, session->path);
    else if (rc)
        return give(why, rc, session->path);
    return rc;
}

/* Make the figures of rows that were read. */
static int
take_rows(struct pp_saved_session *rec, const char *path, struct pp_run_figures *ret, char *why)
{
    const struct pp_view view = {.fold = false};
    char damage[PP_DAMAGE_MAX];
    const char *damaged = pp_damage_find(rec, damage, sizeof(damage));
    if (damaged) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_REPORT_DAMAGED, path, damaged, damage);
        return -EINVAL;
    }
    if (!pp_saved_frames(rec)) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_FRAMES, path);
        return -EINVAL;
    }
    json_t *report = pp_report_json_make(rec, path, &view);
    pp_json_round(report); /* so that a session compares like its report in a file */
    return pp_run_figures_take(report, path, ret, why);
}

/* If the path is a folder in which sessions are, say so. @param why Else unchanged. */
static void
tell_folder(const char *path, char *why)
{
    struct pp_session_list list;
    if (pp_session_list_read(path, &list))
        return;
    if (list.len) {
        size_t len = strlen(path);
        while (len > 1 && path[len - 1] == '/')
            len--;
        char *folder = strndup(path, len);
        if (folder)
            snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_FOLDER, folder, list.len,
                     list.len == 1 ? "session" : "sessions", folder);
        free(folder);
    }
    pp_session_list_finish(&list);
}

/* Read the one run of a session. */
static int
read_session(const char *path, const struct pp_window_given *window, struct pp_run_figures **ret, char *why)
{
    struct pp_opened_session session;
    struct pp_saved_session rec;
    struct pp_run_figures *run = calloc(1, sizeof(*run));
    if (!run)
        return give(why, -ENOMEM, path ? path : "");
    int rc = pp_session_open(path, &session, why);
    if (rc == 0) {
        rc = read_rows(&session, window, &rec, why);
        if (rc == 0) {
            rc = take_rows(&rec, session.path, run, why);
            pp_saved_finish(&rec);
        }
        pp_session_close(&session);
    }
    if (rc == -ENOENT && path)
        tell_folder(path, why);
    if (rc)
        free(run);
    else
        *ret = run;
    return rc;
}

int
pp_run_figures_read(const char *path, const struct pp_window_given *window, struct pp_run_figures **ret,
                    size_t *ret_runs, char *why)
{
    bool windowed = window && (window->frames || window->time || window->between);
    int rc = -EINVAL;
    if (path && pp_push_is_url(path)) {
        if (!windowed)
            return run_fleet_read(path, ret, ret_runs, why);
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_WINDOW_OF_SUMMARY, path);
        return rc;
    }
    FILE *in = path ? pp_run_file_open(path) : NULL;
    if (!in) {
        rc = read_session(path, window, ret, why);
        if (rc == 0)
            *ret_runs = 1;
        return rc;
    }
    if (windowed)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_WINDOW_OF_SUMMARY, path);
    else
        rc = read_file(in, path, ret, ret_runs, why);
    fclose(in);
    return rc;
}

/* Read the run of a session, or all runs of a file of summaries. */
static int
read_run(struct pp_diff_side *side, const char *path, const struct pp_window_given *window, char *why)
{
    struct pp_run_figures *run = NULL;
    size_t runs = 0;
    int rc = pp_run_figures_read(path, window, &run, &runs, why);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < runs; i++)
        rc = pp_diff_side_append(side, &run[i]);
    for (size_t i = 0; i < runs; i++)
        pp_run_figures_finish(&run[i]);
    if (rc)
        snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    free(run);
    return rc;
}

/* Is there a list of repeated runs at this path? Then it is read. @param ret Set with 0 and a length of
 * runs. @retval 0, -ENOENT (the path is something else), -errno: @p why is set. */
static int
read_list(const char *path, struct pp_run_list *ret, char *why)
{
    char wrong[256];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || faccessat(fd, "session.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
        faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW)) {
        if (fd >= 0)
            close(fd);
        return -ENOENT;
    }
    int rc = pp_runs_file_read(fd, ret, wrong);
    close(fd);
    if (rc)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_READ, path, wrong);
    return rc == -ENOENT ? -EIO : rc; /* it was there a moment ago */
}

static int
too_long(const char *path, char *why)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, path, strerror(ENAMETOOLONG));
    return -ENAMETOOLONG;
}

/* The first run that has frames, although it does not count; NULL: there is none. */
static const struct pp_listed_run *
failed_run(const struct pp_run_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (!list->run[i].counts && list->run[i].frames && *list->run[i].session)
            return &list->run[i];
    return NULL;
}

/* Read all runs of a folder that count. */
static int
read_folder(struct pp_diff_side *side, const char *path, const struct pp_run_list *list,
            const struct pp_window_given *window, char *why)
{
    char session[PATH_MAX + NAME_MAX + 2];
    size_t before = side->runs;
    int rc = 0;
    for (size_t i = 0; i < list->len && rc == 0; i++) {
        if (list->run[i].side) {
            snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_TWO_COMMANDS, path);
            rc = -EINVAL;
        } else if (list->run[i].counts && *list->run[i].session) {
            if (snprintf(session, sizeof(session), "%s/%s", path, list->run[i].session) <
                (int)sizeof(session))
                rc = read_run(side, session, window, why);
            else
                rc = too_long(path, why);
        }
    }
    if (rc == 0 && side->runs == before) {
        const struct pp_listed_run *failed = failed_run(list);
        if (failed)
            snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_FAILED, path, failed->number,
                     (unsigned long long)failed->frames, failed->status, path, failed->session);
        else
            snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_NONE, path, "", "", "");
        rc = -ENOENT;
    }
    return rc;
}

int
pp_diff_side_read(struct pp_diff_side *side, const char *path, const struct pp_window_given *window,
                  char *why)
{
    struct pp_run_list list;
    int rc = read_list(path, &list, why);
    if (rc == -ENOENT)
        return read_run(side, path, window, why);
    if (rc)
        return rc;
    rc = read_folder(side, path, &list, window, why);
    pp_run_list_finish(&list);
    return rc;
}
