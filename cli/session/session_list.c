/** @file
 * See session_list.h. */
#include "cli/session/session_list.h"

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

#include "cli/session/session_files.h"
#include "core/config/dir_content.h"
#include "core/config/session_place.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"

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

bool
pp_session_list_newest(const char *folder, char *ret)
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
