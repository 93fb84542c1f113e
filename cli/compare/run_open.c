/** @file
 * See run_open.h. */
#include "cli/compare/run_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/json/report_json.h"
#include "cli/print/damage.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

static int
give(char *why, int rc, const char *name)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, name, strerror(-rc));
    return rc;
}

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

/* Open a path if it is a file in JSON. A FIFO would block, and is none. @return -1: it is not. */
static int
open_json(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_json(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Read a summary. */
static int
read_json(int fd, const char *path, struct pp_run_figures *ret, char *why)
{
    struct stat st;
    json_error_t error;
    if (fstat(fd, &st))
        return give(why, -errno, path);
    if ((size_t)st.st_size > PP_RUN_FILE_MOST) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_LARGE, path, PP_RUN_FILE_MOST >> 20);
        return -EFBIG;
    }
    json_t *json = json_loadfd(fd, JSON_REJECT_DUPLICATES, &error);
    if (json)
        return pp_run_figures_take(json, path, ret, why);
    snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_JSON, path, error.line, error.text);
    return -EINVAL;
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
    if (rc == -ESRCH)
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
    return pp_run_figures_take(pp_report_json_make(rec, path, &view), path, ret, why);
}

int
pp_run_figures_read(const char *path, const struct pp_window_given *window, struct pp_run_figures *ret,
                    char *why)
{
    struct pp_opened_session session;
    struct pp_saved_session rec;
    int fd = path ? open_json(path) : -1, rc;
    if (fd >= 0) {
        bool windowed = window && (window->frames || window->time || window->between);
        if (windowed)
            snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_WINDOW_OF_SUMMARY, path);
        rc = windowed ? -EINVAL : read_json(fd, path, ret, why);
        close(fd);
        return rc;
    }
    rc = pp_session_open(path, &session, why);
    if (rc)
        return rc;
    rc = read_rows(&session, window, &rec, why);
    if (rc == 0) {
        rc = take_rows(&rec, session.path, ret, why);
        pp_saved_finish(&rec);
    }
    pp_session_close(&session);
    return rc;
}
