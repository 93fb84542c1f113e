/** @file
 * See output_file.h. */
#include "cli/commands/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

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

int
pp_output_file_error(const char *path, int error)
{
    struct stat st;
    if (error == -EBUSY)
        return pp_fail(PP_FORMAT_EXPORT_UNFINISHED, path, path);
    if (error != -EEXIST)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, path, strerror(-error));
    bool is_file = lstat(path, &st) || S_ISREG(st.st_mode);
    return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, path,
                   is_file ? PP_TEXT_ARCHIVE_EXISTS : PP_TEXT_OUTPUT_NO_FILE);
}

int
pp_output_folder_open(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && slash - path >= PATH_MAX)
        return -ENAMETOOLONG;
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Would the file be in a session, or next to the sessions of repeated runs? */
static bool
is_in_session(const char *path)
{
    int fd = pp_output_folder_open(path);
    if (fd < 0)
        return false;
    enum pp_dir_content content = pp_dir_look(fd);
    close(fd);
    return content == PP_DIR_SESSION || content == PP_DIR_RUNS || content == PP_DIR_MIXED;
}

/* Is there a file that `archive` or `export` wrote? Archives are compressed by zstd (RFC 8878, 3.1.1),
 * databases are those of SQLite (sqlite.org/fileformat.html, 1.3). */
static bool
holds_session(const char *path)
{
    static const char *const begin[] = {"\x28\xb5\x2f\xfd", "SQLite format 3"};
    char bytes[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes) - 1, 0);
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < PP_ARRAY_SIZE(begin); i++)
        if (got >= (ssize_t)strlen(begin[i]) && memcmp(bytes, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

const char *
pp_output_file_taken(const char *path)
{
    if (is_in_session(path))
        return PP_TEXT_DIFF_IN_SESSION;
    return holds_session(path) ? PP_TEXT_OUTPUT_ARCHIVE : NULL;
}

int
pp_output_file_write(const char *path, int (*write)(FILE *out, const void *data), const void *data)
{
    const char *taken = pp_output_file_taken(path);
    if (taken)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, path, taken);
    int rc = pp_export_file_write(path, write, data);
    return rc ? pp_output_file_error(path, rc) : 0;
}

void
pp_output_file_print(const char *path, const char *viewer)
{
    char bytes[PP_FORMATTED_MAX];
    struct stat st;
    if (stat(path, &st) == 0)
        pp_print(stderr, PP_FORMAT_FILE_DONE "\n", path, pp_format_bytes(bytes, (double)st.st_size), viewer);
}
