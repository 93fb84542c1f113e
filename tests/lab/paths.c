/** @file
 * The C library's functions on paths, replaced: paths that files.h claims are served from memory. Functions
 * on descriptors: calls.c; on folders: folders.c. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lab/descriptors.h"
#include "tests/lab/drm.h"
#include "tests/lab/files.h"
#include "tests/lab/folders.h"
#include "tests/lab/next.h"

/* What serves a path. */
enum served {
    BY_KERNEL, /* the path is not the lab's */
    BY_LAB,    /* *found says what is there */
    NOWHERE,   /* errno says why */
};

static enum served
find(const char *path, bool follow, struct lab_found *found)
{
    if (!lab_files_claim(path))
        return BY_KERNEL;
    int status = lab_files_find(path, follow, found);
    if (status == 0)
        return BY_LAB;
    errno = status == -EXDEV ? ENOENT : -status;
    return NOWHERE;
}

/* As find(), for a path that may be relative to a folder's descriptor. */
static enum served
find_at(int folder, const char *path, bool follow, struct lab_found *found)
{
    char whole[PATH_MAX];
    const char *above = path && path[0] != '/' ? lab_folder_path(folder) : NULL;
    if (!above)
        return path && path[0] == '/' ? find(path, follow, found) : BY_KERNEL;
    snprintf(whole, sizeof(whole), "%s/%s", above, path);
    return find(whole, follow, found);
}

/* Opening. */

static int
open_text(const char *text)
{
    int fd = memfd_create("lab-file", MFD_CLOEXEC);
    size_t length = strlen(text);
    if (fd >= 0 && (write(fd, text, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        errno = EIO;
        return -1;
    }
    return fd;
}

static int
open_found(const struct lab_found *found, int flags)
{
    int fd = -EACCES;
    if (found->kind == LAB_NODE)
        fd = lab_drm_open(found->device, flags);
    else if (found->kind == LAB_FOLDER)
        fd = lab_folder_open(found->path);
    else if ((flags & O_ACCMODE) == O_RDONLY)
        return open_text(found->text);
    if (fd >= 0)
        return fd;
    errno = -fd;
    return -1;
}

#define MODE_OF(flags, mode)                                                                                 \
    va_list list;                                                                                            \
    va_start(list, flags);                                                                                   \
    mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                \
    va_end(list);

LAB_PUBLIC int
openat(int folder, const char *path, int flags, ...)
{
    struct lab_found found;
    MODE_OF(flags, mode)
    LAB_NEXT(openat)
    enum served served = find_at(folder, path, !(flags & O_NOFOLLOW), &found);
    if (served == BY_KERNEL)
        return next(folder, path, flags, mode);
    return served == BY_LAB ? open_found(&found, flags) : -1;
}

LAB_PUBLIC int
open(const char *path, int flags, ...)
{
    struct lab_found found;
    MODE_OF(flags, mode)
    LAB_NEXT(open)
    enum served served = find(path, !(flags & O_NOFOLLOW), &found);
    if (served == BY_KERNEL)
        return next(path, flags, mode);
    return served == BY_LAB ? open_found(&found, flags) : -1;
}

LAB_PUBLIC int
open64(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return open(path, flags, mode);
}

LAB_PUBLIC int
openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return openat(folder, path, flags, mode);
}

/* What -D_FORTIFY_SOURCE makes of open() without a mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

LAB_PUBLIC int
__open_2(const char *path, int flags)
{
    return open(path, flags);
}

LAB_PUBLIC int
__open64_2(const char *path, int flags)
{
    return open(path, flags);
}

LAB_PUBLIC int
__openat_2(int folder, const char *path, int flags)
{
    return openat(folder, path, flags);
}

LAB_PUBLIC int
__openat64_2(int folder, const char *path, int flags)
{
    return openat(folder, path, flags);
}

LAB_PUBLIC FILE *
fopen(const char *path, const char *mode)
{
    struct lab_found found;
    LAB_NEXT(fopen)
    enum served served = find(path, true, &found);
    if (served == BY_KERNEL)
        return next(path, mode);
    int fd =
        served == BY_LAB ? open_found(&found, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR) : -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

LAB_PUBLIC FILE *
fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

/* Asking. */

static int
give_stat(enum served served, const struct lab_found *found, struct stat *st)
{
    if (served != BY_LAB)
        return -1;
    lab_files_stat(found, st);
    return 0;
}

LAB_PUBLIC int
stat(const char *restrict path, struct stat *restrict st)
{
    struct lab_found found;
    LAB_NEXT(stat)
    enum served served = find(path, true, &found);
    return served == BY_KERNEL ? next(path, st) : give_stat(served, &found, st);
}

LAB_PUBLIC int
lstat(const char *restrict path, struct stat *restrict st)
{
    struct lab_found found;
    LAB_NEXT(lstat)
    enum served served = find(path, false, &found);
    return served == BY_KERNEL ? next(path, st) : give_stat(served, &found, st);
}

LAB_PUBLIC int
fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    struct lab_found found;
    LAB_NEXT(fstatat)
    enum served served = find_at(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &found);
    return served == BY_KERNEL ? next(folder, path, st, flags) : give_stat(served, &found, st);
}

LAB_PUBLIC int
stat64(const char *restrict path, struct stat64 *restrict st)
{
    return stat(path, (struct stat *)st);
}

LAB_PUBLIC int
lstat64(const char *restrict path, struct stat64 *restrict st)
{
    return lstat(path, (struct stat *)st);
}

LAB_PUBLIC int
fstatat64(int folder, const char *restrict path, struct stat64 *restrict st, int flags)
{
    return fstatat(folder, path, (struct stat *)st, flags);
}

static int
give_access(enum served served, const struct lab_found *found, int mode)
{
    if (served != BY_LAB)
        return -1;
    if (!(mode & W_OK) || found->kind == LAB_NODE)
        return 0;
    errno = EACCES;
    return -1;
}

LAB_PUBLIC int
access(const char *path, int mode)
{
    struct lab_found found;
    LAB_NEXT(access)
    enum served served = find(path, true, &found);
    return served == BY_KERNEL ? next(path, mode) : give_access(served, &found, mode);
}

LAB_PUBLIC int
faccessat(int folder, const char *path, int mode, int flags)
{
    struct lab_found found;
    LAB_NEXT(faccessat)
    enum served served = find_at(folder, path, true, &found);
    return served == BY_KERNEL ? next(folder, path, mode, flags) : give_access(served, &found, mode);
}

static ssize_t
give_link(enum served served, const struct lab_found *found, char *buffer, size_t size)
{
    size_t length = served == BY_LAB ? strlen(found->text) : 0;
    if (served != BY_LAB)
        return -1;
    if (found->kind != LAB_LINK) {
        errno = EINVAL;
        return -1;
    }
    length = length < size ? length : size;
    memcpy(buffer, found->text, length);
    return (ssize_t)length;
}

/* What /proc/self/fd/N or /proc/thread-self/fd/N of a descriptor of the lab leads to. NULL: not such a path,
 * or the kernel's answer. */
static const char *
link_of_descriptor(const char *path)
{
    static const char proc[] = "/proc/", self[] = "self/fd/", thread[] = "thread-";
    if (strncmp(path, proc, sizeof(proc) - 1) != 0)
        return NULL;
    path += sizeof(proc) - 1;
    path += strncmp(path, thread, sizeof(thread) - 1) == 0 ? sizeof(thread) - 1 : 0;
    if (strncmp(path, self, sizeof(self) - 1) != 0)
        return NULL;
    const struct lab_object *object = lab_object_of(atoi(path + sizeof(self) - 1));
    return object ? object->operations->link : NULL;
}

LAB_PUBLIC ssize_t
readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    struct lab_found found;
    LAB_NEXT(readlink)
    const char *link = link_of_descriptor(path);
    if (link) {
        size = strlen(link) < size ? strlen(link) : size;
        memcpy(buffer, link, size);
        return (ssize_t)size;
    }
    enum served served = find(path, false, &found);
    return served == BY_KERNEL ? next(path, buffer, size) : give_link(served, &found, buffer, size);
}

LAB_PUBLIC ssize_t
readlinkat(int folder, const char *restrict path, char *restrict buffer, size_t size)
{
    struct lab_found found;
    LAB_NEXT(readlinkat)
    enum served served = find_at(folder, path, false, &found);
    return served == BY_KERNEL ? next(folder, path, buffer, size) : give_link(served, &found, buffer, size);
}

LAB_PUBLIC char *
realpath(const char *restrict path, char *restrict resolved)
{
    struct lab_found found;
    LAB_NEXT(realpath)
    if (!lab_files_claim(path))
        return next(path, resolved);
    int status = lab_files_find(path, true, &found);
    if (status == 0 || status == -EXDEV)
        return resolved ? strcpy(resolved, found.path) : strdup(found.path);
    errno = -status;
    return NULL;
}

char *__realpath_chk(const char *path, char *resolved, size_t room);

LAB_PUBLIC char *
__realpath_chk(const char *path, char *resolved, size_t room)
{
    if (room < PATH_MAX)
        abort();
    return realpath(path, resolved);
}
