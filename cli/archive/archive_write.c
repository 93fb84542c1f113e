/** @file
 * See archive_write.h. */
#include "cli/archive/archive_write.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/redact/redact_file.h"
#include "cli/redact/redact_json.h"
#include "cli/session/read_watch.h"
#include "cli/session/session_json.h"
#include "core/config/dir_content.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* An archive that is being written. */
struct packing {
    struct archive *out;
    int dir_fd;
    const char *folder;
    struct pp_redaction *redact; /* NULL: nothing is redacted */
    struct pp_archive_written *written;
    uint64_t left; /* bytes that the entry still wants */
    char *why;
    size_t size;
};

static int
fail(struct packing *p, int rc, const char *why)
{
    snprintf(p->why, p->size, "%s", why ? why : strerror(-rc));
    return rc;
}

/* Write bytes of a file: not more than its entry says. */
static int
write_bytes(void *data, const char *bytes, size_t len)
{
    struct packing *p = data;
    if (len > p->left)
        return fail(p, -EIO, PP_TEXT_ARCHIVE_CHANGED);
    if (archive_write_data(p->out, bytes, len) != (la_ssize_t)len)
        return fail(p, -EIO, archive_error_string(p->out));
    p->left -= len;
    return 0;
}

/* Copy a file as it is. */
static int
copy_bytes(struct packing *p, int fd)
{
    char buffer[65536];
    while (p->left) {
        ssize_t got =
            pp_read_watched(fd, buffer, p->left < sizeof(buffer) ? (size_t)p->left : sizeof(buffer));
        int rc = got < 0 ? fail(p, -errno, NULL) : got ? write_bytes(p, buffer, (size_t)got) : 0;
        if (rc || got == 0)
            return rc;
    }
    return 0;
}

/* Begin a file of the archive. */
static int
write_header(struct packing *p, const char *file, uint64_t bytes, time_t mtime)
{
    char path[PATH_MAX];
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return fail(p, -ENOMEM, NULL);
    snprintf(path, sizeof(path), "%.255s/%s", p->folder, file);
    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)bytes);
    archive_entry_set_mtime(entry, mtime, 0);
    int rc =
        archive_write_header(p->out, entry) == ARCHIVE_OK ? 0 : fail(p, -EIO, archive_error_string(p->out));
    archive_entry_free(entry);
    p->left = bytes;
    p->written->files++;
    p->written->bytes += bytes;
    return rc;
}

/* A file that became shorter while it was read is an error. */
static int
end_file(struct packing *p, int rc)
{
    return rc == 0 && p->left ? fail(p, -EIO, PP_TEXT_ARCHIVE_CHANGED) : rc;
}

static int
count_bytes(void *data, const char *bytes, size_t len)
{
    (void)bytes;
    *(uint64_t *)data += len;
    return 0;
}

/* Write a file through the redaction. It is read twice, because the entry says its size before its bytes. */
static int
write_redacted(struct packing *p, const char *file, int fd, time_t mtime)
{
    uint64_t bytes = 0, before = p->redact->replaced;
    int rc = pp_redact_file(p->redact, file, fd, count_bytes, &bytes);
    uint64_t replaced = p->redact->replaced - before;
    if (rc == 0 && lseek(fd, 0, SEEK_SET) < 0)
        rc = -errno;
    if (rc)
        return fail(p, rc, NULL);
    rc = write_header(p, file, bytes, mtime);
    if (rc)
        return rc;
    snprintf(p->why, p->size, "%s", PP_TEXT_ARCHIVE_CHANGED);
    rc = pp_redact_file(p->redact, file, fd, write_bytes, p);
    p->redact->replaced = before + replaced;
    return end_file(p, rc);
}

/* Write one file. @retval 0 Written, or the directory has none of this name. */
static int
write_file(struct packing *p, const char *file)
{
    struct stat st;
    int fd = pp_open_regular(p->dir_fd, file, O_RDONLY | O_NOFOLLOW);
    if (fd == -ENOENT)
        return 0;
    int rc = fd < 0 ? fd : fstat(fd, &st) ? -errno : 0;
    if (rc) {
        snprintf(p->why, p->size, "%s: %s", file, rc == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-rc));
    } else if (p->redact) {
        rc = write_redacted(p, file, fd, st.st_mtim.tv_sec);
    } else {
        rc = write_header(p, file, (uint64_t)st.st_size, st.st_mtim.tv_sec);
        rc = end_file(p, rc ? rc : copy_bytes(p, fd));
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Write session.json without what it says of a person. */
static int
write_json(struct packing *p)
{
    char why[512] = "";
    bool missing = false;
    struct stat st = {.st_size = 0};
    json_t *json = pp_saved_load_json(p->dir_fd, why, sizeof(why), &missing);
    if (!json)
        return missing ? 0 : fail(p, -EBADMSG, PP_TEXT_REDACT_NO_JSON);
    int rc = pp_redact_json(p->redact, json);
    char *text = rc ? NULL : json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    if (!text)
        return fail(p, -ENOMEM, NULL);
    (void)fstatat(p->dir_fd, "session.json", &st, AT_SYMLINK_NOFOLLOW);
    rc = write_header(p, "session.json", strlen(text), st.st_mtim.tv_sec);
    rc = end_file(p, rc ? rc : write_bytes(p, text, strlen(text)));
    free(text);
    return rc;
}

/* Write all files of the session. session.json is the first: the redaction of the others learns from it. */
static int
write_files(struct packing *p)
{
    const char *file = NULL;
    int rc = p->redact ? write_json(p) : 0;
    for (size_t i = 0; rc == 0 && (file = pp_dir_session_file(i)); i++)
        if (!p->redact || strncmp(file, "session.json", strlen("session.json")) != 0)
            rc = write_file(p, file);
    if (rc == 0 && p->written->files == 0)
        rc = fail(p, -ENOENT, PP_TEXT_ARCHIVE_NO_SESSION);
    return rc;
}

int
pp_archive_write(int dir_fd, const char *name, struct pp_redaction *redact, int out_fd,
                 struct pp_archive_written *ret, char *why, size_t size)
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
    struct packing p = {.out = out,
                        .dir_fd = dir_fd,
                        .folder = name,
                        .redact = redact,
                        .written = ret,
                        .why = why,
                        .size = size};
    rc = rc ? rc : write_files(&p);
    ret->replaced = redact ? redact->replaced : 0;
    if (archive_write_close(out) != ARCHIVE_OK && rc == 0) {
        snprintf(why, size, "%s", archive_error_string(out));
        rc = -EIO;
    }
    archive_write_free(out);
    return rc;
}
