/** @file
 * See session_open.h. */
#include "cli/session/session_open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/session/runs_file.h"
#include "cli/session/session_json.h"
#include "core/config/config_read.h"
#include "core/config/dir_content.h"
#include "core/config/schema.h"
#include "core/config/session_place.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Read "2026-01-31T23:59:59Z". @return false: it is something else. */
static bool
parse_start(const char *text, int64_t *ret_s)
{
    struct tm tm;
    memset(&tm, 0, sizeof(tm));
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    if (!end || *end)
        return false;
    *ret_s = timegm(&tm);
    return true;
}

static enum pp_listed_end
end_of(const json_t *json, bool in_use)
{
    const char *ended = json_string_value(json_object_get(json, "ended"));
    if (!ended)
        return PP_LISTED_UNKNOWN;
    if (strcmp(ended, "exit") == 0)
        return PP_LISTED_EXIT;
    if (strcmp(ended, "running") == 0)
        return in_use ? PP_LISTED_RUNNING : PP_LISTED_KILLED;
    return PP_LISTED_EARLY;
}

/* Count the complete rows of frames.csv, without its header. @return -1: there is no such file. */
static int64_t
count_frames(int dir_fd)
{
    int64_t lines = 0;
    bool quoted = false;
    int fd = pp_open_regular(dir_fd, "frames.csv", O_RDONLY | O_NOFOLLOW);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !file)
        close(fd);
    for (int c = file ? getc_unlocked(file) : EOF; c != EOF; c = getc_unlocked(file)) {
        quoted = quoted != (c == '"');
        lines += c == '\n' && !quoted;
    }
    if (file)
        fclose(file);
    return lines > 0 ? lines - 1 : file ? 0 : -1;
}

/* What session.json says. */
static void
read_json(int fd, struct pp_listed_session *ret)
{
    char unused[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(fd, unused, sizeof(unused), &missing);
    const json_t *program = json_object_get(json, "program");
    const char *path = json_string_value(json_object_get(program, "executable"));
    const json_t *frames = json_object_get(json_object_get(json, "counts"), "frames");
    const char *slash = path ? strrchr(path, '/') : NULL;
    snprintf(ret->program, sizeof(ret->program), "%s", slash ? slash + 1 : path ? path : "");
    if (json_is_integer(frames) && json_integer_value(frames) >= 0)
        ret->frames = json_integer_value(frames);
    if (parse_start(json_string_value(json_object_get(program, "start")), &ret->order_s))
        ret->order_ns = 0;
    ret->end = end_of(json, pp_dir_is_in_use(fd));
    if (ret->end == PP_LISTED_KILLED ||
        ret->end == PP_LISTED_RUNNING) { /* session.json is older than the rows */
        int64_t rows = count_frames(fd);
        ret->frames = rows >= 0 ? rows : ret->frames;
    }
    json_decref(json);
}

/* Add the sizes of a session's files, and find when the last one was written. */
static void
read_files(int fd, struct pp_listed_session *ret)
{
    const char *file = NULL;
    struct stat st;
    for (size_t i = 0; (file = pp_dir_session_file(i)); i++) {
        if (fstatat(fd, file, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        ret->bytes += (uint64_t)st.st_size;
        if (st.st_mtim.tv_sec > ret->order_s ||
            (st.st_mtim.tv_sec == ret->order_s && st.st_mtim.tv_nsec > ret->order_ns)) {
            ret->order_s = st.st_mtim.tv_sec;
            ret->order_ns = st.st_mtim.tv_nsec;
        }
    }
}

static int read_folder(int fd, struct pp_session_list *ret);

/* Read what is known of repeated runs. @param fd Their folder. @return false: there is no session in it. */
static bool
examine_runs(int fd, const char *name, struct pp_listed_session *ret)
{
    struct pp_session_list list;
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0 || read_folder(copy, &list))
        return false;
    size_t runs = list.len;
    if (runs) {
        *ret = list.session[0];
        ret->runs = runs;
        snprintf(ret->name, sizeof(ret->name), "%s", name);
    }
    for (size_t i = 1; i < runs; i++) {
        ret->bytes += list.session[i].bytes;
        ret->frames =
            ret->frames < 0 || list.session[i].frames < 0 ? -1 : ret->frames + list.session[i].frames;
    }
    pp_session_list_finish(&list);
    return runs > 0;
}

/* Read what is known of a directory. @return false: it is no session of this user's. */
static bool
examine(int folder_fd, const char *name, struct pp_listed_session *ret)
{
    int fd = pp_dir_open_in(folder_fd, name);
    if (fd < 0)
        return false;
    enum pp_dir_content content = pp_dir_look(fd);
    if (content == PP_DIR_RUNS && pp_dir_is_own(fd)) {
        bool has_runs = examine_runs(fd, name, ret);
        close(fd);
        return has_runs;
    }
    bool is_session = (content == PP_DIR_SESSION || content == PP_DIR_MIXED) && pp_dir_is_own(fd);
    if (is_session) {
        struct tm tm;
        *ret = (struct pp_listed_session){.frames = -1, .end = PP_LISTED_UNKNOWN};
        snprintf(ret->name, sizeof(ret->name), "%s", name);
        read_files(fd, ret);
        read_json(fd, ret);
        time_t start = (time_t)ret->order_s;
        if (localtime_r(&start, &tm))
            strftime(ret->start, sizeof(ret->start), "%Y-%m-%d %H:%M:%S", &tm);
    }
    close(fd);
    return is_session;
}

static int
newest_first(const void *a, const void *b)
{
    const struct pp_listed_session *x = a;
    const struct pp_listed_session *y = b;
    if (x->order_s != y->order_s)
        return x->order_s < y->order_s ? 1 : -1;
    if (x->order_ns != y->order_ns)
        return x->order_ns < y->order_ns ? 1 : -1;
    return strcmp(y->name, x->name);
}

static int
add(struct pp_session_list *list, const struct pp_listed_session *one)
{
    int rc = pp_grow_array(&list->session, &list->cap, list->len + 1, sizeof(*list->session));
    if (rc == 0)
        list->session[list->len++] = *one;
    return rc;
}

/* List an open folder. Takes @p fd over. */
static int
read_folder(int fd, struct pp_session_list *ret)
{
    struct pp_session_list list = {.len = 0};
    struct pp_listed_session one;
    DIR *dir = fdopendir(fd);
    int rc = dir ? 0 : -errno;
    if (!dir)
        close(fd);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && rc == 0; entry = readdir(dir))
        if (entry->d_name[0] != '.' && examine(dirfd(dir), entry->d_name, &one))
            rc = add(&list, &one);
    if (dir)
        closedir(dir);
    if (rc) {
        pp_session_list_finish(&list);
        return rc;
    }
    if (list.len)
        qsort(list.session, list.len, sizeof(*list.session), newest_first);
    *ret = list;
    return 0;
}

int
pp_session_list_read(const char *folder, struct pp_session_list *ret)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : read_folder(fd, ret);
}

void
pp_session_list_finish(struct pp_session_list *list)
{
    free(list->session);
    memset(list, 0, sizeof(*list));
}

/* Find the newest session of a folder that has frames. @param ret PATH_MAX bytes: its path, unchanged if
 * there is none. @return Is there one? */
static bool
session_list_newest(const char *folder, char *ret)
{
    struct pp_session_list list = {.len = 0};
    bool found = false;
    if (pp_session_list_read(folder, &list))
        return false;
    for (size_t i = 0; i < list.len && !found; i++) {
        char path[PATH_MAX];
        const char *name = list.session[i].name;
        found = list.session[i].frames && snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX;
        if (found)
            memcpy(ret, path, sizeof(path));
    }
    pp_session_list_finish(&list);
    return found;
}

bool
pp_session_list_folder(const char *place, char *ret)
{
    size_t len = strlen(place);
    size_t end = len;
    for (const char *at = place; end == len && (at = strchr(at, '%')) && at[1]; at += 2)
        if (strchr("ept", at[1]))
            end = (size_t)(at - place);
    while (end == len && end > 1 && place[end - 1] == '/')
        len = --end;
    while (end > 0 && place[end - 1] != '/')
        end--;
    while (end > 1 && place[end - 1] == '/')
        end--;
    char folder[PATH_MAX];
    if (end >= sizeof(folder))
        return false;
    snprintf(folder, sizeof(folder), "%.*s", end ? (int)end : 1, end ? place : ".");
    return pp_place_expand(folder, "", 0, 0, ret) == 0; /* "%%" is '%' */
}

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
            (void)session_list_newest(folder, ret);
    } else if (!given && !is_directory(place) && pp_place_default(environ, folder)) {
        (void)session_list_newest(folder, ret);
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
