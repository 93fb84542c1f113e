/** @file
 * See archive_write.h. */
#include "cli/archive/archive_write.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* Copy as many bytes of the file as its entry says. A file that became shorter is an error. */
static int
write_data(struct archive *out, int fd, uint64_t bytes, char *why, size_t size)
{
    char buffer[65536];
    while (bytes) {
        size_t most = bytes < sizeof(buffer) ? (size_t)bytes : sizeof(buffer);
        ssize_t got = read(fd, buffer, most);
        if (got <= 0) {
            snprintf(why, size, "%s", got ? strerror(errno) : PP_TEXT_ARCHIVE_CHANGED);
            return got ? -errno : -EIO;
        }
        if (archive_write_data(out, buffer, (size_t)got) != got) {
            snprintf(why, size, "%s", archive_error_string(out));
            return -EIO;
        }
        bytes -= (uint64_t)got;
    }
    return 0;
}

/* Write one file. @retval 0 Written, or the directory has none of this name. */
static int
write_file(struct archive *out, int dir_fd, const char *folder, const char *file,
           struct pp_archive_written *ret, char *why, size_t size)
{
    char path[PATH_MAX];
    struct stat st;
    int fd = pp_open_regular(dir_fd, file, O_RDONLY | O_NOFOLLOW);
    if (fd == -ENOENT)
        return 0;
    int rc = fd < 0 ? fd : fstat(fd, &st) ? -errno : 0;
    struct archive_entry *entry = rc ? NULL : archive_entry_new();
    if (rc)
        snprintf(why, size, "%s: %s", file, rc == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-rc));
    else if (!entry)
        rc = -ENOMEM;
    if (entry) {
        snprintf(path, sizeof(path), "%.255s/%s", folder, file);
        archive_entry_set_pathname(entry, path);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, st.st_size);
        archive_entry_set_mtime(entry, st.st_mtim.tv_sec, 0);
        if (archive_write_header(out, entry) != ARCHIVE_OK) {
            snprintf(why, size, "%s", archive_error_string(out));
            rc = -EIO;
        }
        rc = rc ? rc : write_data(out, fd, (uint64_t)st.st_size, why, size);
        archive_entry_free(entry);
    }
    if (fd >= 0)
        close(fd);
    if (rc == 0) {
        ret->files++;
        ret->bytes += (uint64_t)st.st_size;
    }
    return rc;
}

int
pp_archive_write(int dir_fd, const char *name, int out_fd, struct pp_archive_written *ret, char *why,
                 size_t size)
{
    struct archive *out = archive_write_new();
    snprintf(why, size, "%s", strerror(ENOMEM));
    if (!out)
        return -ENOMEM;
    *ret = (struct pp_archive_written){.files = 0};
    int rc = 0;
    if (archive_write_set_format_pax_restricted(out) != ARCHIVE_OK ||
        archive_write_add_filter_zstd(out) != ARCHIVE_OK ||
        archive_write_open_fd(out, out_fd) != ARCHIVE_OK) {
        snprintf(why, size, "%s", archive_error_string(out));
        rc = -EIO;
    }
    const char *file = NULL;
    for (size_t i = 0; rc == 0 && (file = pp_dir_session_file(i)); i++)
        rc = write_file(out, dir_fd, name, file, ret, why, size);
    if (rc == 0 && ret->files == 0) {
        snprintf(why, size, "%s", PP_TEXT_ARCHIVE_NO_SESSION);
        rc = -ENOENT;
    }
    if (archive_write_close(out) != ARCHIVE_OK && rc == 0) {
        snprintf(why, size, "%s", archive_error_string(out));
        rc = -EIO;
    }
    archive_write_free(out);
    return rc;
}
