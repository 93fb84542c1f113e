/** @file
 * See export_file.h. */
#include "cli/export/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/array_size.h"

#define PATH_OF_FD 32

static const int deadly[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};

/* What is deleted when a signal ends the process; "" for nothing. */
static char guarded[PATH_MAX];
static struct sigaction before[PP_ARRAY_SIZE(deadly)];

static void
on_signal(int number)
{
    if (*guarded)
        (void)unlink(guarded);
    for (size_t i = 0; i < PP_ARRAY_SIZE(deadly); i++)
        if (deadly[i] == number)
            (void)sigaction(number, &before[i], NULL);
    (void)raise(number); /* what was set before, after this function has returned */
}

/* Let the file be deleted if a signal ends the process. What was set before runs afterwards: an archive's
 * unpacked files are deleted, too. */
static void
guard(const char *path)
{
    struct sigaction action = {.sa_flags = 0};
    action.sa_handler = on_signal;
    snprintf(guarded, sizeof(guarded), "%s", path);
    (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
    for (size_t i = 0; i < PP_ARRAY_SIZE(deadly); i++)
        if (sigaction(deadly[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            (void)sigaction(deadly[i], &action, NULL);
}

/* Make the file and guard it. A signal in between would leave it there, so signals wait. */
static int
make_guarded(const char *path)
{
    sigset_t wait, usual;
    sigemptyset(&wait);
    for (size_t i = 0; i < PP_ARRAY_SIZE(deadly); i++)
        sigaddset(&wait, deadly[i]);
    sigprocmask(SIG_BLOCK, &wait, &usual);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int rc = fd < 0 ? -errno : fd;
    if (fd >= 0)
        guard(path);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    return rc;
}

/* The path by which a file without a name is linked. */
static void
path_of_fd(int fd, char path[PATH_OF_FD])
{
    snprintf(path, PATH_OF_FD, "/proc/self/fd/%d", fd);
}

/* Make a file without a name in the folder of a path: nothing stays if the process ends before it has one.
 * @return Its descriptor; -errno: the file system, or a machine without /proc, cannot. */
static int
make_nameless(const char *path)
{
    char folder[PATH_MAX] = ".", link[PATH_OF_FD];
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    path_of_fd(fd, link);
    if (access(link, F_OK) == 0) {
        (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
        return fd;
    }
    close(fd);
    return -EOPNOTSUPP;
}

/* pp_export_file_begin(). @param nameless Without the name "PATH.new", if the system can. */
static int
begin(const char *path, bool replaces, bool nameless, struct pp_export_file *ret)
{
    struct stat st;
    int length = snprintf(ret->unfinished, sizeof(ret->unfinished), "%s.new", path);
    if (length < 0 || (size_t)length >= sizeof(ret->unfinished))
        return -ENAMETOOLONG;
    snprintf(ret->path, sizeof(ret->path), "%s", path);
    ret->replaces = replaces;
    if (lstat(path, &st) == 0 && !(replaces && S_ISREG(st.st_mode)))
        return -EEXIST;
    ret->fd = nameless ? make_nameless(path) : -1;
    ret->nameless = ret->fd >= 0;
    if (!ret->nameless)
        ret->fd = make_guarded(ret->unfinished);
    if (ret->fd < 0)
        return ret->fd == -EEXIST ? -EBUSY : ret->fd;
    return 0;
}

int
pp_export_file_begin(const char *path, bool replaces, struct pp_export_file *ret)
{
    return begin(path, replaces, false, ret);
}

/* Give a file without a name its name, if there is no older file; or else one from which it can be renamed.
 * @retval 0 It has its name. @retval 1 It must be renamed. @retval -errno. */
static int
link_nameless(struct pp_export_file *file)
{
    char link[PATH_OF_FD];
    path_of_fd(file->fd, link);
    if (linkat(AT_FDCWD, link, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    if (linkat(AT_FDCWD, link, AT_FDCWD, file->unfinished, AT_SYMLINK_FOLLOW))
        return errno == EEXIST ? -EBUSY : -errno;
    file->nameless = false;
    return 1;
}

/* Rename the file. Nothing is replaced but what may be. */
static int
give_name(struct pp_export_file *file)
{
    struct stat st;
    int linked = file->nameless ? link_nameless(file) : 1;
    if (linked <= 0)
        return linked;
    if (file->replaces && lstat(file->path, &st) == 0 && S_ISREG(st.st_mode))
        return rename(file->unfinished, file->path) ? -errno : 0;
    if (renameat2(AT_FDCWD, file->unfinished, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    if (lstat(file->path, &st) == 0) /* a file system that does not know RENAME_NOREPLACE */
        return -EEXIST;
    return rename(file->unfinished, file->path) ? -errno : 0;
}

int
pp_export_file_finish(struct pp_export_file *file)
{
    int rc = fsync(file->fd) ? -errno : 0;
    rc = rc ? rc : give_name(file);
    if (rc) {
        pp_export_file_drop(file);
        return rc;
    }
    guarded[0] = '\0';
    close(file->fd);
    file->fd = -1;
    return 0;
}

void
pp_export_file_drop(struct pp_export_file *file)
{
    guarded[0] = '\0';
    if (!file->nameless)
        (void)unlink(file->unfinished);
    close(file->fd);
    file->fd = -1;
}

int
pp_export_file_write(const char *path, int (*write)(FILE *out, const void *data), const void *data)
{
    struct pp_export_file file;
    int rc = begin(path, true, true, &file);
    if (rc)
        return rc;
    int copy = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!out) {
        rc = -errno;
        if (copy >= 0)
            close(copy);
    } else {
        rc = write(out, data);
        errno = 0;
        if (rc == 0 && (fflush(out) || ferror(out)))
            rc = errno ? -errno : -EIO;
        fclose(out);
    }
    if (rc == 0)
        return pp_export_file_finish(&file);
    pp_export_file_drop(&file);
    return rc;
}
