/** @file
 * See follow.h. */
#include "cli/session/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"

#define READ_SIZE ((size_t)1 << 20)

/* Length of the complete rows at the begin of a text. @param most Rows to find. */
static size_t
complete_rows(const char *text, size_t len, size_t most)
{
    size_t whole = 0;
    bool quoted = false;
    for (size_t i = 0; i < len && most; i++) {
        quoted ^= text[i] == '"';
        if (text[i] == '\n' && !quoted) {
            whole = i + 1;
            most--;
        }
    }
    return whole;
}

/* Remember the bytes before follow->at. */
static void
note_last(struct pp_follow *follow, const char *end, size_t len)
{
    follow->last_len = len < sizeof(follow->last) ? len : sizeof(follow->last);
    memcpy(follow->last, end - follow->last_len, follow->last_len);
}

/* Is what was read of the file still there? */
static bool
is_same(const struct pp_follow *follow, int fd)
{
    char bytes[sizeof(follow->last)];
    ssize_t got = pp_read_at(fd, bytes, follow->last_len, follow->at - follow->last_len);
    return got == (ssize_t)follow->last_len && memcmp(bytes, follow->last, follow->last_len) == 0;
}

/* Go to the first row in the last follow->tail bytes of the file. A row begins after a line break, with a
 * number or with an empty cell; a line break in a quoted cell is hardly ever followed by these.
 * @param text READ_SIZE bytes. */
static int
skip_to_tail(struct pp_follow *follow, int fd, char *text)
{
    struct stat st;
    if (fstat(fd, &st))
        return -errno;
    if (!follow->tail || (uint64_t)st.st_size < follow->at + follow->tail)
        return 0;
    uint64_t begin = (uint64_t)st.st_size - follow->tail;
    ssize_t got = pp_read_at(fd, text, READ_SIZE, begin);
    if (got < 0)
        return (int)got;
    for (size_t i = 0; i + 2 < (size_t)got; i++) {
        if (text[i] != '\r' || text[i + 1] != '\n' || !strchr("0123456789,", text[i + 2]) || !text[i + 2])
            continue;
        follow->at = begin + i + 2;
        note_last(follow, text + i + 2, i + 2);
        return 0;
    }
    return 0;
}

/* Read the header. @param text READ_SIZE bytes. @retval 0 It is there, or not complete yet. */
static int
read_header(struct pp_follow *follow, int fd, char *text)
{
    ssize_t got = pp_read_at(fd, text, READ_SIZE, 0);
    if (got < 0)
        return (int)got;
    size_t len = got > 0 && *text ? complete_rows(text, (size_t)got, 1) : 0;
    if (!len)
        return got == (ssize_t)READ_SIZE ? -EMSGSIZE : 0;
    follow->header = malloc(len);
    if (!follow->header)
        return -ENOMEM;
    memcpy(follow->header, text, len);
    follow->header_len = len;
    follow->at = len;
    note_last(follow, text + len, len);
    return skip_to_tail(follow, fd, text);
}

/* Give the rows from follow->at on. @param text As large as the header and READ_SIZE bytes. */
static int
give_rows(struct pp_follow *follow, int fd, char *text, const struct pp_csv_reader *reader)
{
    char *rows = text + follow->header_len;
    memcpy(text, follow->header, follow->header_len);
    for (;;) {
        ssize_t got = pp_read_at(fd, rows, READ_SIZE, follow->at);
        if (got < 0)
            return (int)got;
        size_t len = complete_rows(rows, (size_t)got, SIZE_MAX);
        if (!len)
            return got == (ssize_t)READ_SIZE ? -EMSGSIZE : 0;
        int rc = pp_csv_read_text(text, follow->header_len + len, reader);
        if (rc)
            return rc;
        follow->at += len;
        note_last(follow, rows + len, len);
    }
}

int
pp_follow_read(struct pp_follow *follow, int dir_fd, const char *name, const struct pp_csv_reader *reader)
{
    int fd = pp_open_regular(dir_fd, name, O_RDONLY);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    if (follow->header && !is_same(follow, fd)) {
        pp_follow_finish(follow);
        follow->again = true;
    }
    char *text = malloc((follow->header ? follow->header_len : READ_SIZE) + READ_SIZE);
    int rc = text ? 0 : -ENOMEM;
    if (rc == 0 && !follow->header)
        rc = read_header(follow, fd, text);
    if (rc == 0 && follow->header)
        rc = give_rows(follow, fd, text, reader);
    free(text);
    close(fd);
    return rc;
}

void
pp_follow_finish(struct pp_follow *follow)
{
    uint64_t tail = follow->tail;
    free(follow->header);
    *follow = (struct pp_follow){.tail = tail};
}
