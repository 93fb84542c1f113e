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

#include "core/config/control_place.h"

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

static int
add(struct pp_applications *applications, const char *name)
{
    struct stat about;
    pid_t pid = pp_control_name_pid(name);
    if (pid == 0 || fstatat(applications->folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) ||
        !S_ISSOCK(about.st_mode) || !listens(applications->folder_fd, name))
        return 0;
    struct pp_application *more = realloc(applications->application, (applications->len + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    applications->application = more;
    more[applications->len++] = (struct pp_application){
        .pid = pid, .since_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec};
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

int
pp_applications_find(const char *runtime, struct pp_applications *ret)
{
    *ret = (struct pp_applications){.folder_fd = pp_control_folder_open(runtime, false)};
    if (ret->folder_fd == -ENOENT && runtime && *runtime) {
        ret->folder_fd = -1; /* no application was ever profiled since the user logged in */
        return 0;
    }
    if (ret->folder_fd < 0) {
        int rc = ret->folder_fd;
        ret->folder_fd = -1;
        return rc;
    }
    int list_fd = fcntl(ret->folder_fd, F_DUPFD_CLOEXEC, 0);
    DIR *folder = list_fd < 0 ? NULL : fdopendir(list_fd);
    int rc = folder ? 0 : -errno;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && rc == 0; entry = readdir(folder))
        rc = add(ret, entry->d_name);
    if (folder)
        (void)closedir(folder);
    else if (list_fd >= 0)
        (void)close(list_fd);
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
    pp_control_name(name, pid);
    return applications->folder_fd < 0 ? -ENOENT : pp_control_connect(applications->folder_fd, name);
}

int
pp_application_connect(const char *runtime, pid_t pid)
{
    char name[PP_CONTROL_NAME_MAX];
    int folder = pp_control_folder_open(runtime, false);
    if (folder < 0)
        return folder;
    pp_control_name(name, pid);
    int fd = pp_control_connect(folder, name);
    (void)close(folder);
    return fd;
}

void
pp_applications_finish(struct pp_applications *applications)
{
    if (applications->folder_fd >= 0)
        (void)close(applications->folder_fd);
    free(applications->application);
    *applications = (struct pp_applications){.folder_fd = -1};
}
