/** @file
 * See applications.h. */
#include "cli/control/applications.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/session_json.h"
#include "core/config/dir_content.h"

/* Does the process of a socket listen? The socket of one that does not is removed. An application makes its
 * socket listen before the socket has its name, so that a refused connection means that its process is gone.
 */
static bool
listens(int folder_fd, const char *name)
{
    int fd = pp_control_connect(folder_fd, name);
    if (fd >= 0)
        (void)close(fd);
    if (fd == -ECONNREFUSED)
        (void)unlinkat(folder_fd, name, 0);
    return fd >= 0 || fd == -EAGAIN;
}

/* Is the process of a file asleep? The file of one that has ended is removed. */
static bool
sleeps(int folder_fd, pid_t pid)
{
    struct pp_sleep_file file;
    int rc = pp_sleep_open(folder_fd, pid, &file);
    bool shared = rc == 0 && pp_sleep_is_shared(&file);
    if (rc == -ESRCH || (rc == 0 && !shared))
        pp_sleep_remove(folder_fd, pid, &file); /* not that of a new process with this number */
    if (rc == 0)
        pp_sleep_close(&file);
    return shared;
}

static int
add(struct pp_applications *applications, unsigned folder, const char *name)
{
    struct stat about;
    pid_t awake = pp_control_name_pid(name, PP_CONTROL_SOCKET),
          asleep = pp_control_name_pid(name, PP_CONTROL_ASLEEP);
    int folder_fd = applications->folder_fd[folder];
    if ((!awake && !asleep) || fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW))
        return 0;
    if (awake ? !S_ISSOCK(about.st_mode) || !listens(folder_fd, name) : !sleeps(folder_fd, asleep))
        return 0;
    struct pp_application *more = realloc(applications->application, (applications->len + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    applications->application = more;
    more[applications->len++] = (struct pp_application){
        .pid = awake ? awake : asleep,
        .folder = folder,
        .asleep = asleep != 0,
        .since_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec,
    };
    return 0;
}

/* Order of applications: the newest first. */
static int
by_age(const void *a, const void *b)
{
    const struct pp_application *x = a, *y = b;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns ? 1 : -1;
    return (x->pid < y->pid) - (x->pid > y->pid);
}

/* Add the applications of one folder. */
static int
add_folder(struct pp_applications *applications, unsigned folder)
{
    int list_fd = fcntl(applications->folder_fd[folder], F_DUPFD_CLOEXEC, 0);
    DIR *list = list_fd < 0 ? NULL : fdopendir(list_fd);
    int rc = list ? 0 : -errno;
    for (struct dirent *entry = list ? readdir(list) : NULL; entry && rc == 0; entry = readdir(list))
        rc = add(applications, folder, entry->d_name);
    if (list)
        (void)closedir(list);
    else if (list_fd >= 0)
        (void)close(list_fd);
    return rc;
}

/* Leave out the pages of applications that have just waked. */
static void
leave_out_awake(struct pp_applications *applications)
{
    size_t kept = 0;
    for (size_t i = 0; i < applications->len; i++) {
        const struct pp_application *one = &applications->application[i];
        bool twice = false;
        for (size_t j = 0; one->asleep && j < applications->len; j++)
            twice |= !applications->application[j].asleep && applications->application[j].pid == one->pid;
        if (!twice)
            applications->application[kept++] = *one;
    }
    applications->len = kept;
}

int
pp_applications_find(char *const *env, struct pp_applications *ret)
{
    int rc = 0;
    *ret = (struct pp_applications){.error = 0};
    for (unsigned i = 0; i < PP_CONTROL_PLACES; i++) {
        char path[PATH_MAX];
        int fd = pp_control_place_open(env, i, false, path);
        ret->folder_fd[i] = fd < 0 ? -1 : fd;
        if (fd < 0 && fd != -ENOENT && !ret->error) {
            ret->error = fd;
            memcpy(ret->refused, path, sizeof(path));
        }
    }
    for (unsigned i = 0; i < PP_CONTROL_PLACES && rc == 0; i++)
        if (ret->folder_fd[i] >= 0)
            rc = add_folder(ret, i);
    leave_out_awake(ret);
    if (rc)
        pp_applications_finish(ret);
    else if (ret->len)
        qsort(ret->application, ret->len, sizeof(*ret->application), by_age);
    return rc;
}

int
pp_applications_connect(const struct pp_applications *applications, pid_t pid)
{
    char name[PP_CONTROL_NAME_MAX];
    int fd = -ENOENT;
    pp_control_name(name, pid, PP_CONTROL_SOCKET);
    for (unsigned i = 0; i < PP_CONTROL_PLACES && (fd == -ENOENT || fd == -ECONNREFUSED); i++)
        if (applications->folder_fd[i] >= 0)
            fd = pp_control_connect(applications->folder_fd[i], name);
    return fd;
}

int
pp_applications_open_page(const struct pp_applications *applications, pid_t pid, struct pp_sleep_file *ret)
{
    int rc = -ENOENT;
    for (unsigned i = 0; i < PP_CONTROL_PLACES && (rc == -ENOENT || rc == -ESRCH); i++)
        if (applications->folder_fd[i] >= 0)
            rc = pp_sleep_open(applications->folder_fd[i], pid, ret);
    return rc;
}

pid_t
pp_application_asleep(char *const *env, pid_t pid)
{
    struct pp_applications applications;
    pid_t ret = 0;
    if (pp_applications_find(env, &applications))
        return 0;
    for (size_t i = 0; i < applications.len && !ret; i++)
        if (applications.application[i].asleep && (!pid || applications.application[i].pid == pid))
            ret = applications.application[i].pid;
    pp_applications_finish(&applications);
    return ret;
}

int
pp_application_connect(char *const *env, pid_t pid)
{
    char name[PP_CONTROL_NAME_MAX], path[PATH_MAX];
    int fd = -ENOENT;
    pp_control_name(name, pid, PP_CONTROL_SOCKET);
    for (unsigned i = 0; i < PP_CONTROL_PLACES && (fd == -ENOENT || fd == -ECONNREFUSED); i++) {
        int folder = pp_control_place_open(env, i, false, path);
        int next = folder < 0 ? folder : pp_control_connect(folder, name);
        if (folder >= 0)
            (void)close(folder);
        if (next != -ENOENT)
            fd = next;
    }
    return fd;
}

void
pp_applications_finish(struct pp_applications *applications)
{
    for (unsigned i = 0; i < PP_CONTROL_PLACES; i++)
        if (applications->folder_fd[i] >= 0)
            (void)close(applications->folder_fd[i]);
    free(applications->application);
    *applications = (struct pp_applications){.folder_fd = {-1, -1, -1}};
}

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
