/** @file
 * The session directory; see dir.h. */
#include "core/dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/own_fd.h"

#define ERROR_MAX 512

enum content { EMPTY, SESSION, MIXED /* a session and strangers */, FOREIGN };

static const char *const session_file[] = {"session.json", "session.json.new", "frames.csv", "frames.csv.new",
                                           "passes.csv",   "draws.csv",        "labels.csv", "stacks.csv"};

static int
fail(int rc, const char *path, char *error, const char *why)
{
    snprintf(error, ERROR_MAX, "%.380s: %s", path, why ? why : strerror(-rc));
    return rc;
}

static int
open_dir(const char *path)
{
    int fd = pp_own_fd(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return fd < 0 ? -errno : fd;
}

static bool
is_session_file(const char *name)
{
    for (size_t i = 0; i < sizeof(session_file) / sizeof(session_file[0]); i++)
        if (strcmp(name, session_file[i]) == 0)
            return true;
    return false;
}

/* A session is what has a session.json, or nothing but session files: one killed at its start has no more. */
static enum content
look_inside(int fd)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    enum content content = EMPTY;
    bool session = false;
    bool stranger = false;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        session = session || strcmp(entry->d_name, "session.json") == 0;
        stranger = stranger || !is_session_file(entry->d_name);
        content = FOREIGN;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    if (content == EMPTY)
        return EMPTY;
    return !stranger ? SESSION : session ? MIXED : FOREIGN;
}

/* Remove a session directory: our files and then the folder. Anything else in it keeps it alive. */
static int
remove_session(const char *path)
{
    int fd = open_dir(path);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    enum content content = look_inside(fd);
    if (content == FOREIGN || content == MIXED) {
        close(fd);
        return -ENOTEMPTY;
    }
    for (size_t i = 0; i < sizeof(session_file) / sizeof(session_file[0]); i++)
        if (unlinkat(fd, session_file[i], 0) && errno != ENOENT)
            break;
    close(fd);
    return rmdir(path) ? -errno : 0;
}

static int
move_aside(const char *path, char *error)
{
    char old[PATH_MAX];
    int len = snprintf(old, sizeof(old), "%s.old", path);
    if (len < 0 || (size_t)len >= sizeof(old))
        return fail(-ENAMETOOLONG, path, error, NULL);
    int rc = remove_session(old);
    if (rc)
        return fail(rc, old, error,
                    rc == -ENOTEMPTY ? "holds files that are not passprobe's; it is not replaced" : NULL);
    if (rename(path, old))
        return fail(-errno, path, error, NULL);
    return 0;
}

/* What stands at the path? *ret_fd is open for all but FOREIGN, which is refused. */
static int
examine(const char *path, int *ret_fd, enum content *ret_content, char *error)
{
    int fd = open_dir(path);
    if (fd == -ENOENT)
        return fd;
    if (fd == -ELOOP || fd == -ENOTDIR) {
        struct stat st;
        bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
        return fail(-EEXIST, path, error,
                    link ? "is a symbolic link, not a directory" : "is not a directory");
    }
    if (fd < 0)
        return fail(fd, path, error, NULL);
    *ret_content = look_inside(fd);
    if (*ret_content == FOREIGN) {
        close(fd);
        return fail(-EEXIST, path, error, "holds files that are not a passprobe session; it is left alone");
    }
    *ret_fd = fd;
    return 0;
}

int
pp_dir_make_room(const char *path, char *error)
{
    int fd = -1;
    enum content content = EMPTY;
    int rc = examine(path, &fd, &content, error);
    if (rc == -ENOENT)
        return 0;
    if (rc)
        return rc;
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        rc = fail(-EBUSY, path, error, "another process is writing into it");
    else if (content != EMPTY)
        rc = move_aside(path, error);
    close(fd);
    return rc;
}

/* Take an existing directory if it is empty and nobody holds it. -EBUSY: somebody does. */
static int
take(const char *path, struct pp_dir *ret_dir, char *error)
{
    int fd = -1;
    enum content content = EMPTY;
    if (mkdir(path, 0777) && errno != EEXIST)
        return fail(-errno, path, error, NULL);
    int rc = examine(path, &fd, &content, error);
    if (rc)
        return rc;
    /* On a filesystem without locks two sessions still cannot share files: those are made with O_EXCL. */
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!locked || look_inside(fd) != EMPTY) {
        close(fd);
        return fail(-EBUSY, path, error, "another session is there");
    }
    ret_dir->fd = fd;
    snprintf(ret_dir->path, sizeof(ret_dir->path), "%s", path);
    return 0;
}

int
pp_dir_open(const char *path, bool keep, struct pp_dir *ret_dir, char *error)
{
    char beside[PATH_MAX];
    if (!keep) {
        int room = pp_dir_make_room(path, error);
        if (room && room != -EBUSY)
            return room;
    }
    ret_dir->beside = false;
    int rc = take(path, ret_dir, error);
    for (unsigned n = 0; rc == -EBUSY && n < 1000; n++) {
        int len = n ? snprintf(beside, sizeof(beside), "%s.%ld.%u", path, (long)getpid(), n)
                    : snprintf(beside, sizeof(beside), "%s.%ld", path, (long)getpid());
        if (len < 0 || (size_t)len >= sizeof(beside))
            return fail(-ENAMETOOLONG, path, error, NULL);
        rc = take(beside, ret_dir, error);
        ret_dir->beside = true;
    }
    return rc;
}

void
pp_dir_close(struct pp_dir *dir)
{
    if (dir->fd >= 0)
        close(dir->fd);
    dir->fd = -1;
}
