/** @file
 * See session_open.h. */
#include "cli/session/session_open.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/runs_file.h"
#include "cli/session/session_files.h"
#include "cli/session/session_list.h"
#include "core/config/config_read.h"
#include "core/config/dir_content.h"
#include "core/config/schema.h"
#include "core/config/session_place.h"
#include "pp_texts.h"

#define PRESET "passprobe.data"

bool
pp_session_place(char *ret)
{
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    /* a mistake in the configuration must not keep anybody from reading a session */
    bool given = pp_config_load(&config, environ, NULL, error) == 0 && config.output_given;
    snprintf(ret, PATH_MAX, "%s", given ? config.output : PRESET);
    return given;
}

static bool
is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Find the session that is read if the user names none. @param ret PATH_MAX bytes. */
static void
find_usual(char *ret)
{
    char place[PATH_MAX];
    char folder[PATH_MAX];
    bool given = pp_session_place(place);
    if (pp_place_is_template(place) || pp_place_expand(place, "", 0, 0, ret)) /* "%%" is '%' */
        snprintf(ret, PATH_MAX, "%s", place);
    if (given && pp_place_is_template(place)) {
        if (pp_session_list_folder(place, folder))
            (void)pp_session_list_newest(folder, ret);
    } else if (!given && !is_directory(place) && pp_place_default(environ, folder)) {
        (void)pp_session_list_newest(folder, ret);
    }
}

bool
pp_session_is_usual(const char *path)
{
    char usual[PATH_MAX] = "";
    struct stat a, b;
    find_usual(usual);
    return stat(path, &a) == 0 && stat(usual, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Refuse a session that a newer passprobe wrote, and one of a schema that never was: its files may mean
 * something else. */
static int
check_schema(const struct pp_opened_session *session, char *why)
{
    char unused[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(session->fd, unused, sizeof(unused), &missing);
    const json_t *schema = json_object_get(json, "schema");
    const char *version = json_string_value(json_object_get(json, "passprobe"));
    json_int_t number = json_is_integer(schema) ? json_integer_value(schema) : 0;
    bool forged = schema && number < 1;
    if (forged)
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_SESSION_SCHEMA, session->path);
    else if (number > PP_SESSION_SCHEMA)
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_SESSION_NEWER, session->path, version ? version : "?",
                 (long long)number, PP_SESSION_SCHEMA);
    json_decref(json);
    return forged || number > PP_SESSION_SCHEMA ? -EPROTO : 0;
}

/* Open the directory or archive at session->path. */
static int
open_path(struct pp_opened_session *session, char *why)
{
    char reason[512];
    /* files of a folder that cannot be listed can be read */
    session->fd = open(session->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (session->fd >= 0)
        return 0;
    int rc = -errno;
    if (rc == -ENOTDIR && is_directory(session->path) == false) {
        rc = pp_archive_unpack(session->path, &session->unpacked, reason, sizeof(reason));
        if (rc == 0) {
            session->is_archive = true;
            session->fd = session->unpacked.fd;
            return 0;
        }
        if (rc != -ENOTSUP)
            snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_READ_BACK, session->path, reason);
        else
            snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_REPORT_NO_SESSION, session->path);
    } else if (rc == -ENOENT) {
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_REPORT_NO_SESSION, session->path);
    } else {
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    }
    return rc;
}

/* Is the directory that of repeated runs, and no session? */
static bool
is_folder_of_runs(int fd)
{
    return faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
           faccessat(fd, "session.json", F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

/* Open the last run that counts, in place of the folder with repeated runs. */
static int
open_last_run(struct pp_opened_session *session, char *why)
{
    char wrong[256];
    struct pp_run_list list;
    int rc = pp_runs_file_read(session->fd, &list, wrong);
    if (rc) {
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_RUNS_FILE_READ, session->path, wrong);
        return rc;
    }
    const struct pp_listed_run *last = pp_run_list_last(&list);
    int fd = last ? openat(session->fd, last->session, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (fd < 0) {
        rc = last ? -errno : -ENOENT;
        snprintf(why, PP_SESSION_OPEN_WHY, PP_FORMAT_RUNS_FILE_NONE, session->path, last ? last->session : "",
                 last ? ": " : "", last ? strerror(-rc) : "");
    } else {
        close(session->fd);
        session->fd = fd;
        session->runs = list.len;
        memcpy(session->folder, session->path, sizeof(session->folder));
        size_t len = strlen(session->path);
        while (len > 1 && session->path[len - 1] == '/')
            len--;
        snprintf(session->path + len, sizeof(session->path) - len, "/%s", last->session);
    }
    pp_run_list_finish(&list);
    return rc;
}

int
pp_session_open(const char *given, struct pp_opened_session *ret, char *why)
{
    struct pp_opened_session session = {.fd = -1};
    if (given)
        snprintf(session.path, sizeof(session.path), "%s", given);
    else
        find_usual(session.path);
    int rc = open_path(&session, why);
    if (rc)
        return rc;
    if (!session.is_archive && is_folder_of_runs(session.fd))
        rc = open_last_run(&session, why);
    rc = rc ? rc : check_schema(&session, why);
    if (rc)
        pp_session_close(&session);
    else
        *ret = session;
    return rc;
}

void
pp_session_close(struct pp_opened_session *session)
{
    if (session->is_archive)
        pp_unpacked_finish(&session->unpacked);
    else if (session->fd >= 0)
        close(session->fd);
    session->fd = -1;
}
