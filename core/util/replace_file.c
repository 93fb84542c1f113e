/** @file
 * Files that are replaced as a whole; see replace_file.h. */
#include "core/util/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

#define ROOM_BYTES 65536

int
pp_file_create(int dir_fd, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = pp_fd_keep_file(openat(dir_fd, name, flags, 0666));
    return fd < 0 ? -errno : fd;
}

int
pp_file_put(int fd, const char *bytes, size_t len, uint64_t at)
{
    for (size_t done = 0; done < len;) {
        if (!pp_fd_is_own_file(fd))
            return -EBADF;
        ssize_t got = pwrite(fd, bytes + done, len - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -ENOSPC;
        done += (size_t)got;
    }
    return 0;
}

int
pp_file_cut(int fd, uint64_t bytes)
{
    if (!pp_fd_is_own_file(fd))
        return -EBADF;
    return ftruncate(fd, (off_t)bytes) ? -errno : 0;
}

/* Is the name still that of the descriptor's file? */
static bool
is_named(int dir_fd, const char *name, int fd)
{
    struct stat by_name;
    struct stat by_fd;
    return fstatat(dir_fd, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &by_fd) == 0 &&
           by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino;
}

/* Has the file no name any more? */
static bool
is_gone(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_nlink == 0;
}

int
pp_file_exchange(int dir_fd, const char *name, int fd, const char *spare, int spare_fd)
{
    if (pp_sandbox_entered())
        return -EPERM;
    if (!is_named(dir_fd, name, fd))
        return is_gone(fd) ? -ENOENT : -ESTALE;
    if (!is_named(dir_fd, spare, spare_fd))
        return -ESTALE;
    if (renameat2(dir_fd, spare, dir_fd, name, RENAME_EXCHANGE)) {
        int rc = -errno;
        /* did another process remove the file, or the spare? */
        return rc == -ENOENT && !is_gone(fd) ? -ESTALE : rc;
    }
    if (is_named(dir_fd, name, spare_fd))
        return 0;
    /* Another process has put a file there since: give that file its name back. */
    (void)!renameat2(dir_fd, spare, dir_fd, name, RENAME_EXCHANGE);
    return -ESTALE;
}

void
pp_file_remove(int dir_fd, const char *name, int fd)
{
    if (!pp_sandbox_entered() && is_named(dir_fd, name, fd))
        (void)unlinkat(dir_fd, name, 0);
    else
        (void)!pp_file_cut(fd, 0);
}

/* Give the first version its name. In an empty directory of this session, no file of that name can exist
 * unless other users may write there. */
static int
name_first(const struct pp_replaced *file)
{
    if (renameat2(file->dir_fd, file->spare, file->dir_fd, file->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    /* a file system without the flag, or the C library's answer for an old kernel */
    return renameat(file->dir_fd, file->spare, file->dir_fd, file->name) ? -errno : 0;
}

/* Reserve blocks for later versions; the file's length stays. Blocks that are not available now are
 * requested again with each version. */
static void
keep_room(int fd)
{
    (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, ROOM_BYTES);
}

int
pp_replaced_begin(struct pp_replaced *file, int dir_fd, const char *name, const char *spare, const char *text,
                  size_t len)
{
    *file = (struct pp_replaced){.dir_fd = dir_fd, .name = name, .spare = spare, .fd = -1, .spare_fd = -1};
    int fd = pp_file_create(dir_fd, spare);
    if (fd < 0)
        return fd;
    int rc = pp_file_put(fd, text, len, 0);
    if (rc == 0)
        keep_room(fd);
    rc = rc ? rc : name_first(file);
    if (rc) {
        (void)unlinkat(dir_fd, spare, 0);
        pp_fd_close_file(fd);
        return rc;
    }
    file->fd = fd;
    file->bytes = len;
    fd = pp_file_create(dir_fd, spare);
    if (fd >= 0) {
        keep_room(fd);
        file->spare_fd = fd;
    }
    return fd < 0 && fd != -EEXIST ? fd : 0; /* if the name is taken, the file is written in place */
}

/* Write the text over an older one of a file. A shorter text is padded with line breaks: the end of the older
 * version never follows it, even if the process is killed. Nothing is cut off, since ftruncate() would also
 * give back the space beyond, which the last version may need on a full disk. */
static int
put_over(int fd, uint64_t *io_bytes, const char *text, size_t len)
{
    size_t padding = *io_bytes > len ? (size_t)(*io_bytes - len) : 0;
    char *padded = malloc(len + padding + 1);
    if (!padded)
        return -ENOMEM;
    memcpy(padded, text, len);
    memset(padded + len, '\n', padding);
    int rc = pp_file_put(fd, padded, len + padding, 0);
    free(padded);
    if (rc == 0)
        *io_bytes = len + padding;
    return rc;
}

static int
write_in_place(struct pp_replaced *file, const char *text, size_t len)
{
    int rc = put_over(file->fd, &file->bytes, text, len);
    file->torn = rc != 0;
    return rc;
}

/* Rename the spare over the file, where the file system cannot exchange names (for example NFS). Then make
 * a new spare. */
static int
rename_over(struct pp_replaced *file)
{
    if (renameat(file->dir_fd, file->spare, file->dir_fd, file->name))
        return -errno;
    pp_fd_close_file(file->fd);
    file->fd = file->spare_fd;
    file->bytes = file->spare_bytes;
    file->spare_fd = pp_file_create(file->dir_fd, file->spare);
    file->spare_bytes = 0;
    return 0;
}

int
pp_replaced_write(struct pp_replaced *file, const char *text, size_t len)
{
    /* Never write over the only whole version. */
    if (file->spare_fd < 0 || file->torn)
        return write_in_place(file, text, len);
    int rc = put_over(file->spare_fd, &file->spare_bytes, text, len);
    if (rc)
        return rc;
    rc = pp_file_exchange(file->dir_fd, file->name, file->fd, file->spare, file->spare_fd);
    if (rc == -ENOENT)
        return rc;
    if (rc == 0) {
        int fd = file->fd;
        uint64_t bytes = file->bytes;
        file->fd = file->spare_fd;
        file->bytes = file->spare_bytes;
        file->spare_fd = fd;
        file->spare_bytes = bytes;
    } else if (rc == -EPERM || rc == -ESTALE || rename_over(file)) {
        return write_in_place(file, text, len);
    }
    return 0;
}

void
pp_replaced_end(struct pp_replaced *file)
{
    if (file->spare_fd >= 0) {
        if (!file->torn)
            pp_file_remove(file->dir_fd, file->spare, file->spare_fd);
        pp_fd_close_file(file->spare_fd);
    }
    pp_fd_close_file(file->fd);
    file->fd = file->spare_fd = -1;
}
