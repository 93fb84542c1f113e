/** @file
 * `passprobe archive`: packs a session into one file: tar, compressed by zstd. See also archive_read.h. */
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
#include <zlib.h>

#include "cli/archive/archive_read.h"
#include "cli/archive/read_watch.h"
#include "cli/commands/commands.h"
#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/options/options.h"
#include "cli/print/gaps.h"
#include "cli/redact/redact_file.h"
#include "cli/redact/redact_show.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/session/session_open.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_options.h"
#include "pp_texts.h"

/* What was packed. */
struct pp_archive_written {
    size_t files;
    uint64_t bytes;    /**< of the files */
    uint64_t replaced; /**< texts that were replaced, see pp_redact_text() */
};

/* An archive that is being written. */
struct packing {
    struct archive *out;
    int dir_fd;
    const char *folder;
    struct pp_redaction *redact; /* NULL: nothing is redacted */
    struct pp_archive_written *written;
    uint64_t left; /* bytes that the entry still wants */
    uLong sum;     /* the entry's CRC-32 */
    uLong so_far;  /* that of what was written of it */
    char *why;
    size_t size;
};

/* What an entry says of a file before its bytes. */
struct measured {
    uint64_t bytes;
    uLong sum; /* CRC-32 */
};

/* pp_redact_sink: measure a file. */
static int
measure(void *data, const char *bytes, size_t len)
{
    struct measured *measured = data;
    measured->bytes += len;
    measured->sum = crc32_z(measured->sum, (const Bytef *)bytes, len);
    return 0;
}

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
    p->so_far = crc32_z(p->so_far, (const Bytef *)bytes, len);
    p->left -= len;
    return 0;
}

/* Give a file to a sink: redacted, or its first @p most bytes as they are. */
static int
read_bytes(struct packing *p, const char *file, int fd, uint64_t most, pp_redact_sink *sink, void *data)
{
    char buffer[65536];
    if (p->redact)
        return pp_redact_file(p->redact, file, fd, sink, data);
    while (most) {
        ssize_t got = pp_read_watched(fd, buffer, most < sizeof(buffer) ? (size_t)most : sizeof(buffer));
        int rc = got < 0 ? -errno : got ? sink(data, buffer, (size_t)got) : 0;
        if (rc || got == 0)
            return rc;
        most -= (uint64_t)got;
    }
    return 0;
}

/* Begin a file of the archive. */
static int
write_header(struct packing *p, const char *file, struct measured *measured, time_t mtime)
{
    char path[PATH_MAX];
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return fail(p, -ENOMEM, NULL);
    snprintf(path, sizeof(path), "%.255s/%s", p->folder, file);
    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)measured->bytes);
    archive_entry_set_mtime(entry, mtime, 0);
    char sum[PP_ARCHIVE_SUM_DIGITS + 1];
    snprintf(sum, sizeof(sum), "%08lx", measured->sum);
    archive_entry_xattr_add_entry(entry, PP_ARCHIVE_SUM, sum, PP_ARCHIVE_SUM_DIGITS);
    int rc =
        archive_write_header(p->out, entry) == ARCHIVE_OK ? 0 : fail(p, -EIO, archive_error_string(p->out));
    archive_entry_free(entry);
    p->left = measured->bytes;
    p->sum = measured->sum;
    p->so_far = 0;
    p->written->files++;
    p->written->bytes += measured->bytes;
    return rc;
}

/* A file that changed while it was read is an error. */
static int
end_file(struct packing *p, int rc)
{
    return rc == 0 && (p->left || p->sum != p->so_far) ? fail(p, -EIO, PP_TEXT_ARCHIVE_CHANGED) : rc;
}

/* Write an open file. It is read twice, because the entry says its size and its sum before its bytes. */
static int
write_open(struct packing *p, const char *file, int fd, const struct stat *st)
{
    struct measured measured = {.bytes = 0};
    int rc = read_bytes(p, file, fd, (uint64_t)st->st_size, measure, &measured);
    uint64_t replaced = p->redact ? p->redact->replaced : 0;
    if (rc == 0 && lseek(fd, 0, SEEK_SET) < 0)
        rc = -errno;
    if (rc)
        return fail(p, rc, NULL);
    rc = write_header(p, file, &measured, st->st_mtim.tv_sec);
    if (rc)
        return rc;
    *p->why = '\0';
    rc = read_bytes(p, file, fd, measured.bytes, write_bytes, p);
    if (rc && !*p->why)
        (void)fail(p, rc, NULL);
    if (p->redact)
        p->redact->replaced = replaced;
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
    if (rc)
        snprintf(p->why, p->size, "%s: %s", file, rc == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-rc));
    else
        rc = write_open(p, file, fd, &st);
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
    struct measured measured = {.bytes = 0};
    (void)measure(&measured, text, strlen(text));
    rc = write_header(p, "session.json", &measured, st.st_mtim.tv_sec);
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

/* Write the files of a session, and no other files of its directory, into an archive.
 *
 * @param dir_fd The session's directory.
 * @param name   Folder in the archive.
 * @param redact What the files are redacted by: session.json as pp_redact_json() does it, without its spare,
 * the others by pp_redact_file(). NULL: they are packed as they are.
 * @param out_fd The archive, empty, open for writing.
 * @param why    @p size bytes: what went wrong, written only on failure.
 * @retval 0
 * @retval -ENOENT  There is no file of a session.
 * @retval -EBADMSG session.json cannot be read, so that it cannot be redacted.
 * @retval -errno   Not possible. */
static int
pack_session(int dir_fd, const char *name, struct pp_redaction *redact, int out_fd,
             struct pp_archive_written *ret, char *why, size_t size)
{
    struct archive *out = archive_write_new();
    snprintf(why, size, "%s", strerror(ENOMEM));
    if (!out)
        return -ENOMEM;
    *ret = (struct pp_archive_written){.files = 0};
    int rc = 0;
    /* GNU tar warns of the attributes that libarchive would write in its own form, too. */
    if (archive_write_set_format_pax_restricted(out) != ARCHIVE_OK ||
        archive_write_set_format_option(out, "pax", "xattrheader", "SCHILY") != ARCHIVE_OK ||
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

/* The last part of a path without slashes at its end. @param ret NAME_MAX + 1 bytes. */
static void
last_name(const char *path, char *ret)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    size_t begin = len;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(ret, NAME_MAX + 1, "%.*s", (int)(len - begin), path + begin);
    if (!*ret || strcmp(ret, ".") == 0 || strcmp(ret, "..") == 0)
        snprintf(ret, NAME_MAX + 1, "passprobe.data");
}

/* Find what the session lacks. A directory without a row of a session lacks nothing.
 *
 * @param ret  As pp_damage_find(). @param text PP_DAMAGE_MAX bytes.
 * @retval 0
 * @retval -errno It is not known. */
static int
find_damage(const struct pp_opened_session *session, const char **ret, char *text)
{
    struct pp_saved_session rec;
    (void)pp_progress_begin("reading");
    *ret = NULL;
    int rc = pp_saved_read_at(session->fd, PP_SAVED_WHOLE, &rec);
    pp_progress_erase();
    if (rc == 0) {
        *ret = pp_damage_find(&rec, text, PP_DAMAGE_MAX);
        pp_saved_finish(&rec);
    }
    return rc == -ENOENT ? 0 : rc;
}

/* Print what an archive would say. @param redact NULL: everything. @return Exit status. */
static int
show(const struct pp_opened_session *session, struct pp_redaction *redact)
{
    static const char *const file[] = {"frames.csv",  "passes.csv",  "draws.csv", "labels.csv",
                                       "modules.csv", "symbols.csv", NULL};
    char why[512];
    bool missing = false;
    json_t *json = pp_saved_load_json(session->fd, why, sizeof(why), &missing);
    int rc = json && redact ? pp_redact_json(redact, json) : 0;
    rc = rc ? rc : pp_redact_show(stdout, redact, session->fd, json, file);
    bool has_json = json != NULL;
    json_decref(json);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    if (!has_json && !missing)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, why);
    char damage[PP_DAMAGE_MAX];
    const char *damaged = NULL;
    rc = find_damage(session, &damaged, damage);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    return damaged ? pp_fail(PP_FORMAT_DAMAGED, session->path, damaged, damage) : 0;
}

static int
write_archive(const struct pp_opened_session *session, const char *name, const char *file,
              struct pp_redaction *redact)
{
    struct pp_archive_written written;
    char why[512];
    char files[PP_FORMATTED_MAX], bytes[PP_FORMATTED_MAX];
    char damage[PP_DAMAGE_MAX];
    const char *damaged = NULL;
    struct stat st = {.st_size = 0};
    int dir_fd = openat(session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(errno));
    if (pp_dir_is_in_use(dir_fd)) {
        close(dir_fd);
        return pp_fail(PP_FORMAT_ARCHIVE_IN_USE, session->path);
    }
    int unread = find_damage(session, &damaged, damage);
    if (unread) {
        close(dir_fd);
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-unread));
    }
    int out = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (out < 0) {
        int rc = -errno;
        close(dir_fd);
        return pp_output_file_error(file, rc);
    }
    (void)pp_progress_begin("packing");
    int rc = pack_session(dir_fd, name, redact, out, &written, why, sizeof(why));
    if (rc == 0 && (fstat(out, &st) || fsync(out))) {
        snprintf(why, sizeof(why), "%s", strerror(errno));
        rc = -EIO;
    }
    close(dir_fd);
    close(out);
    if (rc) {
        (void)unlink(file);
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file, why);
    }
    pp_print(stderr, PP_FORMAT_ARCHIVE_DONE "\n", written.files,
             pp_format_bytes(files, (double)written.bytes), pp_format_bytes(bytes, (double)st.st_size), file,
             redact ? PP_TEXT_REDACTED : "");
    return damaged ? pp_fail(PP_FORMAT_DAMAGED, session->path, damaged, damage) : 0;
}

/* What the command line says. */
struct options {
    PP_ARCHIVE_OPTIONS
};

int
pp_cmd_archive(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_ARCHIVE_ROWS(struct options)};
    struct options options = {.output = NULL};
    const struct pp_command_options own = {
        .name = "archive", .usage = PP_TEXT_USAGE_ARCHIVE, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    struct pp_opened_session session;
    struct pp_redaction redaction = {.users = 0};
    char why[PP_SESSION_OPEN_WHY];
    char name[NAME_MAX + 1];
    char file[NAME_MAX + 16];
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    if (given.words > 1)
        return pp_fail(PP_TEXT_ARCHIVE_ONE);
    if (pp_session_open(given.word[0], &session, why))
        return pp_fail("%s", why);
    pp_shown_run_note(&session);
    last_name(session.path, name);
    snprintf(file, sizeof(file), "%s.tar.zst", name);
    pp_redaction_init(&redaction);
    struct pp_redaction *redact = options.no_redact ? NULL : &redaction;
    int status = options.show ? show(&session, redact)
                 : session.is_archive
                     ? pp_fail(PP_FORMAT_ARCHIVE_IS_ONE, session.path)
                     : write_archive(&session, name, options.output ? options.output : file, redact);
    pp_redaction_finish(&redaction);
    pp_session_close(&session);
    return status;
}
