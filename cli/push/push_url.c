/** @file
 * See push_url.h. */
#include "cli/push/push_url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "pp_texts.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

static const char plain[] = "clickhouse://";
static const char over_tls[] = "clickhouses://";

/* Copy a part of the address if it consists of the allowed characters, and fits. */
static bool
copy_part(const char *from, size_t len, const char *allowed, char *ret, size_t size)
{
    if (!len || len >= size || strspn(from, allowed) < len)
        return false;
    memcpy(ret, from, len);
    ret[len] = '\0';
    return true;
}

/* Read HOST:PORT. @return What is wrong; NULL: nothing. */
static const char *
read_host(const char *from, size_t len, struct pp_push_url *ret)
{
    const char *end = from + len;
    const char *port = NULL;
    bool v6 = len && *from == '[';
    const char *host_end = v6 ? memchr(from, ']', len) : memchr(from, ':', len);
    if (v6 && !host_end)
        return PP_TEXT_PUSH_URL_FORM;
    if (v6 && host_end + 1 < end && host_end[1] != ':')
        return PP_TEXT_PUSH_URL_FORM;
    if (v6)
        port = host_end + 1 < end ? host_end + 2 : NULL;
    else if (host_end)
        port = host_end + 1;
    from += v6;
    size_t host_len = (size_t)((host_end ? host_end : end) - from);
    if (!copy_part(from, host_len, v6 ? ":." DIGITS "abcdefABCDEF" : "-._" DIGITS LETTERS, ret->host,
                   sizeof(ret->host)))
        return PP_TEXT_PUSH_URL_FORM;
    ret->port = ret->tls ? 8443 : 8123;
    if (!port)
        return NULL;
    size_t digits = (size_t)(end - port);
    if (!digits || digits > 5 || strspn(port, DIGITS) < digits)
        return PP_TEXT_PUSH_URL_FORM;
    unsigned long number = strtoul(port, NULL, 10);
    if (number == 0 || number > UINT16_MAX)
        return PP_TEXT_PUSH_URL_FORM;
    ret->port = (uint16_t)number;
    return NULL;
}

/* Read what is after the scheme. @return What is wrong; NULL: nothing. */
static const char *
read_parts(const char *from, struct pp_push_url *ret)
{
    size_t len = strcspn(from, "/?#");
    const char *at = memrchr(from, '@', len);
    const char *database = from + len;
    const char *why = NULL;
    strcpy(ret->user, "default");
    strcpy(ret->database, "default");
    if (at && !copy_part(from, (size_t)(at - from), "-._" DIGITS LETTERS, ret->user, sizeof(ret->user)))
        return PP_TEXT_PUSH_URL_FORM;
    const char *host = at ? at + 1 : from;
    why = read_host(host, len - (size_t)(host - from), ret);
    if (why)
        return why;
    database += *database == '/';
    size_t name = strcspn(database, "?#");
    if (name && (strchr(DIGITS, *database) ||
                 !copy_part(database, name, "_" DIGITS LETTERS, ret->database, sizeof(ret->database))))
        return PP_TEXT_PUSH_URL_DATABASE;
    if (database[name] == '#')
        return PP_TEXT_PUSH_URL_DATABASE;
    ret->query = database[name] == '?' ? database + name + 1 : "";
    return NULL;
}

int
pp_push_url_read(const char *text, struct pp_push_url *ret, const char **ret_why)
{
    struct pp_push_url url = {.tls = strncasecmp(text, over_tls, strlen(over_tls)) == 0};
    const char *from = NULL;
    if (url.tls)
        from = text + strlen(over_tls);
    else if (strncasecmp(text, plain, strlen(plain)) == 0)
        from = text + strlen(plain);
    if (!from) {
        *ret_why = PP_TEXT_PUSH_URL_FORM;
        return -EINVAL;
    }
    size_t authority = strcspn(from, "/?#");
    const char *at = memrchr(from, '@', authority);
    if (at && memchr(from, ':', (size_t)(at - from))) {
        *ret_why = PP_TEXT_PUSH_URL_PASSWORD;
        return -EACCES;
    }
    const char *why = read_parts(from, &url);
    if (why) {
        *ret_why = why;
        return -EINVAL;
    }
    *ret = url;
    return 0;
}

bool
pp_push_is_url(const char *text)
{
    return strncasecmp(text, plain, strlen(plain)) == 0 || strncasecmp(text, over_tls, strlen(over_tls)) == 0;
}

bool
pp_push_url_is_local(const struct pp_push_url *url)
{
    struct in_addr address;
    bool v4 = inet_pton(AF_INET, url->host, &address) == 1;
    return strcmp(url->host, "localhost") == 0 || strcmp(url->host, "::1") == 0 ||
           (v4 && ntohl(address.s_addr) >> 24 == 127);
}

bool
pp_push_url_is_plain(const struct pp_push_url *url)
{
    return !url->tls && !pp_push_url_is_local(url);
}

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
