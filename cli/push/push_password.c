/** @file
 * See push_password.h. */
#include "cli/push/push_password.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "pp_texts.h"

void
pp_push_forget(char *text, unsigned long size)
{
    explicit_bzero(text, size);
}

/* May only this user read and change the file? Root's files count as this user's. */
static int
check_file(int fd, const char **ret_why)
{
    struct stat st;
    if (fstat(fd, &st)) {
        *ret_why = strerror(errno);
        return -EIO;
    }
    if (!S_ISREG(st.st_mode)) {
        *ret_why = PP_TEXT_NOT_REGULAR;
        return -EINVAL;
    }
    if ((st.st_mode & 077) || (st.st_uid != geteuid() && st.st_uid != 0)) {
        *ret_why = PP_TEXT_PUSH_PASSWORD_MODE;
        return -EPERM;
    }
    return 0;
}

/* Keep the first line of @p len bytes, if it is a password. */
static int
keep_line(char *text, size_t len, const char **ret_why)
{
    size_t line = 0;
    while (line < len && text[line] != '\n' && text[line] != '\r')
        line++;
    for (size_t i = 0; i < line; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            *ret_why = PP_TEXT_PUSH_PASSWORD_LINE;
            return -EINVAL;
        }
    }
    if (!line || line >= PP_PUSH_PASSWORD_MAX) {
        *ret_why = PP_TEXT_PUSH_PASSWORD_LINE;
        return -EINVAL;
    }
    memset(text + line, 0, PP_PUSH_PASSWORD_MAX - line);
    return 0;
}

static int
from_file(const char *file, char *ret, const char **ret_why)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        int rc = -errno;
        *ret_why = strerror(-rc);
        return rc;
    }
    int rc = check_file(fd, ret_why);
    ssize_t len = rc ? 0 : pp_read_at(fd, ret, PP_PUSH_PASSWORD_MAX, 0);
    close(fd);
    if (len < 0) {
        *ret_why = strerror((int)-len);
        return (int)len;
    }
    return rc ? rc : keep_line(ret, (size_t)len, ret_why);
}

int
pp_push_password(const char *file, char *ret, const char **ret_why)
{
    char text[PP_PUSH_PASSWORD_MAX] = "";
    const char *variable = getenv("PASSPROBE_PUSH_PASSWORD");
    int rc = 0;
    if (file) {
        rc = from_file(file, text, ret_why);
    } else if (variable && *variable) {
        size_t len = strlen(variable);
        memcpy(text, variable, len < sizeof(text) ? len : sizeof(text));
        rc = keep_line(text, len < sizeof(text) ? len : sizeof(text), ret_why);
    }
    if (rc == 0)
        memcpy(ret, text, sizeof(text));
    pp_push_forget(text, sizeof(text));
    return rc;
}
