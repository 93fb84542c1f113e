/** @file
 * See run_open.h. */
#include "cli/compare/run_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/fleet_rows.h"
#include "cli/compare/run.h"
#include "cli/compare/run_file.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/print/gaps.h"
#include "cli/push/clickhouse.h"
#include "cli/push/fleet_question.h"
#include "cli/push/push_password.h"
#include "cli/push/push_url.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_list.h"
#include "pp_texts.h"

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
        rc = pp_run_file_read(in, path, ret, ret_runs, why);
    fclose(in);
    return rc;
}
