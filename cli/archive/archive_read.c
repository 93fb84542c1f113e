/** @file
 * See archive_read.h. */
#include "cli/archive/archive_read.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/archive/read_watch.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* An archive above SMALL bytes of files may hold at most this many times its own size. Sessions are 10 to 30
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

/* Does the sum of an entry fit its bytes? Archives of older versions have none. */
static bool
fits_sum(struct archive_entry *entry, uLong sum)
{
    char digits[PP_ARCHIVE_SUM_DIGITS + 1];
    const char *name = NULL;
    const void *value = NULL;
    size_t bytes = 0;
    snprintf(digits, sizeof(digits), "%08lx", sum);
    (void)archive_entry_xattr_reset(entry);
    while (archive_entry_xattr_next(entry, &name, &value, &bytes) == ARCHIVE_OK)
        if (name && strcmp(name, PP_ARCHIVE_SUM) == 0)
            return bytes == PP_ARCHIVE_SUM_DIGITS && memcmp(value, digits, bytes) == 0;
    return true;
}

/* Unpack one file. @param left Bytes that may still be unpacked. */
static int
unpack_file(struct archive *in, struct archive_entry *entry, int dir_fd, const char *name, uint64_t *left,
            char *why, size_t size)
{
    char buffer[65536];
    ssize_t got = 0;
    uLong sum = 0;
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -errno : 0;
    if (rc)
        snprintf(why, size, "%s: %s", name, rc == -EEXIST ? PP_TEXT_ARCHIVE_TWICE : strerror(-rc));
    while (rc == 0 && (got = archive_read_data(in, buffer, sizeof(buffer))) > 0) {
        if ((uint64_t)got > *left) {
            snprintf(why, size, "%s", PP_TEXT_ARCHIVE_LARGE);
            rc = -EFBIG;
        } else if ((rc = pp_write_all(fd, buffer, (size_t)got)) != 0) {
            snprintf(why, size, "%s: %s", name, strerror(-rc));
        } else {
            *left -= (uint64_t)got;
            sum = crc32_z(sum, (const Bytef *)buffer, (size_t)got);
        }
    }
    if (rc == 0 && got < 0) {
        snprintf(why, size, "%s",
                 archive_error_string(in) ? archive_error_string(in) : PP_TEXT_ARCHIVE_BROKEN);
        rc = -EBADMSG;
    } else if (rc == 0 && !fits_sum(entry, sum)) {
        snprintf(why, size, "%s: %s", name, PP_TEXT_ARCHIVE_BROKEN);
        rc = -EBADMSG;
    }
    if (fd >= 0)
        close(fd);
    return rc == -EEXIST ? -EBADMSG : rc;
}

/* Has more been decompressed than an archive of this size may hold, with headers and files that are not
 * unpacked? */
static bool
is_too_large(struct archive *in, uint64_t most)
{
    return archive_filter_bytes(in, 0) > (la_int64_t)most;
}

/* Read past a file that is not unpacked. What went wrong is found at the next header. */
static void
skip_file(struct archive *in, uint64_t most)
{
    const void *block = NULL;
    size_t bytes = 0;
    la_int64_t offset = 0;
    while (!is_too_large(in, most) && archive_read_data_block(in, &block, &bytes, &offset) == ARCHIVE_OK)
        ;
}

int
pp_archive_unpack_into(struct archive *in, int dir_fd, uint64_t most, char *why, size_t size)
{
    struct archive_entry *entry = NULL;
    uint64_t left = most;
    size_t files = 0;
    int next = ARCHIVE_OK;
    while ((next = archive_read_next_header(in, &entry)) == ARCHIVE_OK || next == ARCHIVE_WARN) {
        const char *wrong = is_too_large(in, most) ? PP_TEXT_ARCHIVE_LARGE : objection(entry);
        if (wrong) {
            snprintf(why, size, "%s", wrong);
            return -EBADMSG;
        }
        const char *path = archive_entry_pathname(entry);
        const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        if (archive_entry_filetype(entry) != AE_IFREG || !pp_dir_is_session_file(name)) {
            skip_file(in, most);
            if (!is_too_large(in, most))
                continue;
            snprintf(why, size, "%s", PP_TEXT_ARCHIVE_LARGE);
            return -EFBIG;
        }
        int rc = unpack_file(in, entry, dir_fd, name, &left, why, size);
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

/* What is deleted when a signal ends the process. */
static struct pp_unpacked guarded;
static volatile sig_atomic_t is_guarded;

static void
delete_unpacked(const struct pp_unpacked *unpacked)
{
    const char *file = NULL;
    for (size_t i = 0; (file = pp_dir_session_file(i)); i++)
        (void)unlinkat(unpacked->fd, file, 0);
    (void)rmdir(unpacked->path);
}

static void
on_signal(int number)
{
    if (is_guarded)
        delete_unpacked(&guarded);
    (void)raise(number); /* the default action, after this function has returned */
}

/* Let the directory be deleted also if a signal ends the process: the reader of stdout has gone (`| head`),
 * or the user has pressed Ctrl-C. */
static void
guard(const struct pp_unpacked *unpacked)
{
    static const int number[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
    struct sigaction before;
    guarded = *unpacked;
    is_guarded = 1;
    (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
    for (size_t i = 0; i < PP_ARRAY_SIZE(number); i++) {
        struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
        action.sa_handler = on_signal;
        if (sigaction(number[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(number[i], &action, NULL);
    }
}

/* Make the private directory. */
static int
make_directory(struct pp_unpacked *ret, char *why, size_t size)
{
    const char *tmp = getenv("TMPDIR"), *folder = tmp && *tmp == '/' ? tmp : "/tmp";
    if (snprintf(ret->path, sizeof(ret->path), "%s/passprobe-XXXXXX", folder) >= (int)sizeof(ret->path)) {
        snprintf(why, size, "TMPDIR: %s", strerror(ENAMETOOLONG));
        return -ENAMETOOLONG;
    }
    if (!mkdtemp(ret->path)) {
        snprintf(why, size, "%.300s: %s", ret->path, strerror(errno));
        return -errno;
    }
    ret->fd = open(ret->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = -errno;
    if (ret->fd >= 0) {
        guard(ret);
        return 0;
    }
    snprintf(why, size, "%.300s: %s", ret->path, strerror(-rc));
    (void)rmdir(ret->path);
    return rc;
}

/* An archive that libarchive reads. */
struct input {
    int fd;
    char block[65536];
};

/* archive_read_callback */
static la_ssize_t
read_block(struct archive *in, void *data, const void **ret)
{
    struct input *input = data;
    ssize_t got = -1;
    do
        got = pp_read_watched(input->fd, input->block, sizeof(input->block));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        archive_set_error(in, errno, "%s", strerror(errno));
    *ret = input->block;
    return got;
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
    struct input input = {.fd = fd};
    struct archive *in = pp_archive_reader_new();
    snprintf(why, size, "%s", strerror(ENOMEM));
    int rc = in ? make_directory(ret, why, size) : -ENOMEM;
    if (rc == 0) {
        if (archive_read_open(in, &input, NULL, read_block, NULL) == ARCHIVE_OK) {
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
    is_guarded = 0;
    delete_unpacked(unpacked);
    close(unpacked->fd);
    unpacked->fd = -1;
}
