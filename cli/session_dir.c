/** @file
 * See session_dir.h. */
#include "cli/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/places.h"

/* Is this the name of a file that passprobe writes into a session? */
static bool
is_ours(const char *name)
{
    static const char *const names[] = {"session.json", "frames.csv", "passes.csv",
                                        "draws.csv",    "stacks.csv", "labels.csv"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i]);
        if (strncmp(name, names[i], len) == 0 && (name[len] == '\0' || strcmp(name + len, ".new") == 0))
            return true;
    }
    return false;
}

enum contents { EMPTY, SESSION, FOREIGN };

static int
look_into(const char *path, enum contents *ret_contents)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    *ret_contents = EMPTY;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!is_ours(entry->d_name)) {
            *ret_contents = FOREIGN;
            break;
        }
        *ret_contents = SESSION;
    }
    closedir(dir);
    return 0;
}

/* Delete a directory that holds a session or nothing. */
static int
delete_session(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    int rc = 0;
    for (struct dirent *entry = readdir(dir); entry && rc == 0; entry = readdir(dir)) {
        if (is_ours(entry->d_name) && unlinkat(dirfd(dir), entry->d_name, 0))
            rc = -errno;
    }
    closedir(dir);
    if (rc == 0 && rmdir(path))
        rc = -errno;
    return rc;
}

/* Absolute path of output, whose last part need not exist. */
static int
absolute(const char *output, char ret[PATH_MAX])
{
    char parent[PATH_MAX];
    char real[PATH_MAX];
    size_t len = strlen(output);
    while (len > 1 && output[len - 1] == '/')
        len--;
    if (len == 0 || len >= sizeof(parent))
        return len ? -ENAMETOOLONG : -ENOENT;
    memcpy(parent, output, len);
    parent[len] = '\0';
    char *slash = strrchr(parent, '/');
    const char *name = slash ? slash + 1 : parent;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EINVAL;
    char last[NAME_MAX + 1];
    if (strlen(name) > NAME_MAX)
        return -ENAMETOOLONG;
    strcpy(last, name);
    if (slash)
        slash[slash == parent] = '\0';
    if (!realpath(slash ? parent : ".", real))
        return -errno;
    return pp_join(ret, strcmp(real, "/") == 0 ? "" : real, last) ? 0 : -ENAMETOOLONG;
}

/* Move a session out of the way, to PATH.old. */
static int
move_to_old(const char *path, char *why, size_t why_len)
{
    char old[PATH_MAX];
    struct stat st;
    int n = snprintf(old, sizeof(old), "%s.old", path);
    if (n < 0 || n >= PATH_MAX)
        return -ENAMETOOLONG;
    if (lstat(old, &st) == 0) {
        enum contents contents = FOREIGN;
        int rc = S_ISDIR(st.st_mode) ? look_into(old, &contents) : 0;
        if (rc || contents == FOREIGN) {
            snprintf(why, why_len, "%s is in the way and holds more than a session: move it", old);
            return -EEXIST;
        }
        rc = delete_session(old);
        if (rc) {
            snprintf(why, why_len, "cannot replace %s: %s", old, strerror(-rc));
            return rc;
        }
    }
    if (rename(path, old)) {
        int rc = -errno;
        snprintf(why, why_len, "cannot rename %s to %s: %s", path, old, strerror(-rc));
        return rc;
    }
    return 0;
}

/* What lies at path, and may it be moved away? 0: nothing is there any more, 1: an empty directory is there.
 */
static int
make_way(const char *path, char *why, size_t why_len)
{
    struct stat st;
    enum contents contents = FOREIGN;
    if (lstat(path, &st))
        return errno == ENOENT ? 0 : -errno;
    if (S_ISLNK(st.st_mode)) {
        snprintf(why, why_len, "%s is a symbolic link, which passprobe does not follow", path);
        return -ELOOP;
    }
    if (!S_ISDIR(st.st_mode)) {
        snprintf(why, why_len, "%s exists and is no directory", path);
        return -ENOTDIR;
    }
    int rc = look_into(path, &contents);
    if (rc)
        return rc;
    if (contents == FOREIGN) {
        snprintf(why, why_len, "%s exists and holds other files than a session's", path);
        return -ENOTEMPTY;
    }
    return contents == EMPTY ? 1 : move_to_old(path, why, why_len);
}

int
pp_session_dir_prepare(const char *output, struct pp_session_dir *ret_dir, char *why, size_t why_len)
{
    struct pp_session_dir dir;
    *why = '\0';
    int rc = absolute(output, dir.path);
    if (rc == 0)
        rc = make_way(dir.path, why, why_len);
    if (rc == 0 && mkdir(dir.path, 0700))
        rc = -errno;
    if (rc >= 0 && access(dir.path, W_OK | X_OK))
        rc = -errno;
    if (rc < 0) {
        if (!*why)
            snprintf(why, why_len, "cannot write to %s: %s", output, strerror(-rc));
        return rc;
    }
    *ret_dir = dir;
    return 0;
}

int
pp_session_dir_temporary(struct pp_session_dir *ret_dir)
{
    const char *tmp = getenv("TMPDIR");
    struct pp_session_dir dir;
    if (!pp_join(dir.path, tmp && *tmp == '/' ? tmp : "/tmp", "passprobe-XXXXXX"))
        return -ENAMETOOLONG;
    if (!mkdtemp(dir.path))
        return -errno;
    *ret_dir = dir;
    return 0;
}

void
pp_session_dir_delete(const struct pp_session_dir *dir)
{
    (void)delete_session(dir->path);
}

void
pp_session_dir_drop_empty(const struct pp_session_dir *dir)
{
    rmdir(dir->path); /* fails, as it should, where something is in it */
}

size_t
pp_csv_whole_rows(const char *text, size_t len, _Bool *quoted)
{
    size_t whole = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            *quoted = !*quoted;
        else if (text[i] == '\n' && !*quoted)
            whole = i + 1;
    }
    return whole;
}

/* 1: was cut, 0: was whole. */
static int
mend_file(int fd)
{
    char text[65536];
    off_t at = 0;
    off_t whole = 0;
    bool quoted = false;
    ssize_t got = 0;
    while ((got = read(fd, text, sizeof(text))) > 0) {
        size_t rows = pp_csv_whole_rows(text, (size_t)got, &quoted);
        if (rows)
            whole = at + (off_t)rows;
        at += got;
    }
    if (got < 0)
        return -errno;
    if (whole == at)
        return 0;
    return ftruncate(fd, whole) ? -errno : 1;
}

int
pp_session_dir_mend(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    int cut = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t len = strlen(entry->d_name);
        if (len < 4 || strcmp(entry->d_name + len - 4, ".csv") != 0 || !is_ours(entry->d_name))
            continue;
        int fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (mend_file(fd) == 1)
            cut++;
        close(fd);
    }
    closedir(dir);
    return cut;
}
