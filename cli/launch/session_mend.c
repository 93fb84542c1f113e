/** @file
 * See session_mend.h. */
#include "cli/launch/session_mend.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"

/* CSV files that passprobe writes, by the header's begin: an application may write its own into the
 * directory. A file that is listed twice began differently in schema 1. */
static const struct {
    const char *name;
    const char *header;
} written[] = {{"frames.csv", "frame,api,"},
               {"passes.csv", "frame,pass,pass_id,"},
               {"draws.csv", "frame,pass,draw,draw_id,"},
               {"labels.csv", "frame,depth,passes,"},
               {"labels.csv", "frame,label,depth,"},
               {"stacks.csv", "stack,truncated,frames"}};
#define HEADER_MAX 32

size_t
pp_session_mend_whole_rows(const char *text, size_t len, bool *quoted)
{
    const char *end = text + len;
    size_t whole = 0;
    for (const char *at = text; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *stop = line ? line : end;
        for (const char *quote = at; (quote = memchr(quote, '"', (size_t)(stop - quote))); quote++)
            *quoted = !*quoted;
        at = line ? line + 1 : end;
        if (line && !*quoted)
            whole = (size_t)(at - text);
    }
    return whole;
}

/* Cut an unfinished last row. @return 1: the row was cut; 0: all rows were whole; -errno. */
static int
mend_file(int fd)
{
    char text[65536];
    off_t at = 0;
    off_t whole = 0;
    bool quoted = false;
    ssize_t got = 0;
    while ((got = read(fd, text, sizeof(text))) > 0) {
        size_t rows = pp_session_mend_whole_rows(text, (size_t)got, &quoted);
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

/* Did passprobe write this file for this user? A file with a second hard link may belong to another user. */
static bool
is_written(int fd, const char *header)
{
    char begin[HEADER_MAX];
    struct stat st;
    size_t len = strlen(header);
    return fstat(fd, &st) == 0 && st.st_nlink == 1 && pp_dir_is_own(fd) &&
           pread(fd, begin, len, 0) == (ssize_t)len && memcmp(begin, header, len) == 0;
}

int
pp_session_mend(int dir_fd)
{
    int cut = 0;
    if (!pp_dir_is_own(dir_fd))
        return -EPERM;
    /* a writer holds this lock (core/config/session_dir.h): a process that CMD left behind still adds rows */
    int lock = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return -errno;
    if (flock(lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(lock);
        return -EBUSY;
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(written); i++) {
        int fd = pp_open_regular(dir_fd, written[i].name, O_RDWR | O_NOFOLLOW);
        if (fd < 0)
            continue;
        if (is_written(fd, written[i].header) && mend_file(fd) == 1)
            cut++;
        close(fd);
    }
    close(lock);
    return cut;
}
