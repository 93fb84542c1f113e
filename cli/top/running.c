/** @file
 * See running.h. A process that writes a session keeps its files open from the start (docs/sandboxes.md). So
 * /proc shows the session, in whichever folder it is. */
#include "cli/top/running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/session_json.h"
#include "core/config/dir_content.h"

/* Is this the path of a session's frames.csv? @param path Gets its folder. */
static bool
is_of_session(char *path)
{
    static const char name[] = "/frames.csv";
    size_t len = strlen(path);
    if (*path != '/' || len <= strlen(name) || strcmp(path + len - strlen(name), name) != 0)
        return false;
    path[len - strlen(name)] = '\0';
    return true;
}

/* Find the session directory of which a process has a file open. @param path PATH_MAX bytes. */
static bool
find_open(long pid, char *path)
{
    char folder[64];
    bool found = false;
    snprintf(folder, sizeof(folder), "/proc/%ld/fd", pid);
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && !found; entry = readdir(dir)) {
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, path, PATH_MAX - 1);
        path[len > 0 ? len : 0] = '\0';
        found = is_of_session(path);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* What a session says about itself. @return When it began: nanoseconds of CLOCK_REALTIME; -1: it has ended.
 */
static int64_t
read_about(int dir_fd, long pid, struct pp_running *ret)
{
    char why[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    const json_t *program = json_object_get(json, "program");
    const char *ended = json_string_value(json_object_get(json, "ended"));
    const char *path = json_string_value(json_object_get(program, "executable"));
    const char *slash = path ? strrchr(path, '/') : NULL;
    int64_t begin = json_integer_value(json_object_get(program, "start_realtime_ns"));
    if (ended && strcmp(ended, "running") != 0)
        begin = -1;
    snprintf(ret->application, sizeof(ret->application), "%s", slash ? slash + 1 : path ? path : "");
    ret->pid = pid;
    json_decref(json);
    return begin;
}

/* Look at a process. @param newest When the best session so far began; -1: there is none. */
static void
look_at(long pid, struct pp_running *best, int64_t *newest)
{
    struct pp_running one;
    if (pid == (long)getpid() || !find_open(pid, one.path))
        return;
    one.dir_fd = open(one.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (one.dir_fd < 0)
        return;
    int64_t begin =
        pp_dir_is_own(one.dir_fd) && pp_running_goes_on(one.dir_fd) ? read_about(one.dir_fd, pid, &one) : -1;
    if (begin <= *newest) {
        close(one.dir_fd);
        return;
    }
    if (*newest >= 0)
        close(best->dir_fd);
    *best = one;
    *newest = begin;
}

bool
pp_running_goes_on(int dir_fd)
{
    return pp_dir_is_in_use(dir_fd);
}

int
pp_running_find(long pid, struct pp_running *ret)
{
    char folder[64];
    struct pp_running best;
    int64_t newest = -1;
    snprintf(folder, sizeof(folder), "/proc/%ld", pid);
    if (pid && access(folder, F_OK))
        return -ESRCH;
    DIR *dir = pid ? NULL : opendir("/proc");
    if (!pid && !dir)
        return -errno;
    if (pid)
        look_at(pid, &best, &newest);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        long number = strtol(entry->d_name, NULL, 10);
        if (number > 0)
            look_at(number, &best, &newest);
    }
    if (dir)
        closedir(dir);
    if (newest < 0)
        return -ENOENT;
    *ret = best;
    return 0;
}
