/** @file
 * See applications.h. */
#include "cli/control/applications.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
