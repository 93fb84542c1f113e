/** @file
 * See output_file.h. */
#include "cli/commands/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/export/export_file.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

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
