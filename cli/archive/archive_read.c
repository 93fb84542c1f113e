/** @file
 * See archive_read.h. */
#include "cli/archive/archive_read.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* An archive above SMALL bytes of files may hold at most so many times its own size. Sessions are 10 to 30
 * times as large as their archives. */
#define RATIO_MOST 300U
#define SMALL      (UINT64_C(64) << 20)

/* Does a path leave the folder that it is unpacked into? */
static bool
leaves_folder(const char *path)
{
    if (*path == '/')
        return true;
    for (const char *part = path; *part; part += strcspn(part, "/"), part += *part == '/')
        if (strcspn(part, "/") == 2 && strncmp(part, "..", 2) == 0)
            return true;
    return false;
}

/* What is wrong with an entry? @return NULL: nothing. */
static const char *
objection(struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    if (!path)
        return PP_TEXT_ARCHIVE_NAME;
    if (leaves_folder(path))
        return PP_TEXT_ARCHIVE_OUTSIDE;
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
        return PP_TEXT_ARCHIVE_LINK;
    if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != AE_IFDIR)
        return PP_TEXT_ARCHIVE_LINK;
    return NULL;
}

/* Unpack one file. @param left Bytes that may still be unpacked. */
static int
unpack_file(struct archive *in, int dir_fd, const char *name, uint64_t *left, char *why, size_t size)
{
    char buffer[65536];
    ssize_t got = 0;
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -errno : 0;
    if (rc)
        snprintf(why, size, "%s: %s", name, rc == -EEXIST ? PP_TEXT_ARCHIVE_TWICE : strerror(-rc));
    while (rc == 0 && (got = archive_read_data(in, buffer, sizeof(buffer))) > 0) {
        if ((uint64_t)got > *left) {
            snprintf(why, size, "%s", PP_TEXT_ARCHIVE_LARGE);
            rc = -EFBIG;
        } else if (write(fd, buffer, (size_t)got) != got) {
            rc = errno ? -errno : -ENOSPC;
            snprintf(why, size, "%s: %s", name, strerror(-rc));
        } else {
            *left -= (uint64_t)got;
        }
    }
    if (rc == 0 && got < 0) {
        snprintf(why, size, "%s",
                 archive_error_string(in) ? archive_error_string(in) : PP_TEXT_ARCHIVE_BROKEN);
        rc = -EBADMSG;
    }
    if (fd >= 0)
        close(fd);
    return rc == -EEXIST ? -EBADMSG : rc;
}

int
pp_archive_unpack_into(struct archive *in, int dir_fd, uint64_t most, char *why, size_t size)
{
    struct archive_entry *entry = NULL;
    uint64_t left = most;
    size_t files = 0;
    int next = ARCHIVE_OK;
    while ((next = archive_read_next_header(in, &entry)) == ARCHIVE_OK || next == ARCHIVE_WARN) {
        const char *wrong = objection(entry);
        if (wrong) {
            snprintf(why, size, "%s", wrong);
            return -EBADMSG;
        }
        const char *path = archive_entry_pathname(entry);
        const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        if (archive_entry_filetype(entry) != AE_IFREG || !pp_dir_is_session_file(name))
            continue;
        int rc = unpack_file(in, dir_fd, name, &left, why, size);
        if (rc)
            return rc;
        files++;
    }
    if (next != ARCHIVE_EOF) {
        snprintf(why, size, "%s",
                 archive_error_string(in) ? archive_error_string(in) : PP_TEXT_ARCHIVE_BROKEN);
        return -EBADMSG;
    }
    if (files == 0)
        snprintf(why, size, "%s", PP_TEXT_ARCHIVE_NO_SESSION);
    return files ? 0 : -ENOENT;
}

struct archive *
pp_archive_reader_new(void)
{
    struct archive *in = archive_read_new();
    if (!in)
        return NULL;
    archive_read_support_filter_zstd(in);
    archive_read_support_format_tar(in);
    return in;
}

/* Make the private directory. */
static int
make_directory(struct pp_unpacked *ret, char *why, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(ret->path, sizeof(ret->path), "%.4000s/passprobe-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
    if (!mkdtemp(ret->path)) {
        snprintf(why, size, "%.300s: %s", ret->path, strerror(errno));
        return -errno;
    }
    ret->fd = open(ret->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (ret->fd >= 0)
        return 0;
    int rc = -errno;
    (void)rmdir(ret->path);
    return rc;
}

/* Bytes that an archive of this size may hold. */
static uint64_t
most_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) || st.st_size < 0)
        return 0;
    uint64_t most = (uint64_t)st.st_size > PP_UNPACKED_MOST / RATIO_MOST ? PP_UNPACKED_MOST
                                                                         : (uint64_t)st.st_size * RATIO_MOST;
    return most < SMALL ? SMALL : most;
}

int
pp_archive_unpack(const char *file, struct pp_unpacked *ret, char *why, size_t size)
{
    int fd = pp_open_regular(AT_FDCWD, file, O_RDONLY);
    if (fd < 0) {
        snprintf(why, size, "%s", fd == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-fd));
        return fd;
    }
    struct archive *in = pp_archive_reader_new();
    snprintf(why, size, "%s", strerror(ENOMEM));
    int rc = in ? make_directory(ret, why, size) : -ENOMEM;
    if (rc == 0) {
        if (archive_read_open_fd(in, fd, 65536) == ARCHIVE_OK) {
            rc = pp_archive_unpack_into(in, ret->fd, most_of(fd), why, size);
        } else {
            snprintf(why, size, "%s", PP_TEXT_ARCHIVE_NONE);
            rc = -EBADMSG;
        }
        if (rc)
            pp_unpacked_finish(ret);
    }
    archive_read_free(in);
    close(fd);
    return rc;
}

void
pp_unpacked_finish(struct pp_unpacked *unpacked)
{
    const char *file = NULL;
    for (size_t i = 0; (file = pp_dir_session_file(i)); i++)
        (void)unlinkat(unpacked->fd, file, 0);
    close(unpacked->fd);
    unpacked->fd = -1;
    (void)rmdir(unpacked->path);
}
