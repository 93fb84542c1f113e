/** @file
 * See command_line.h. */
#include "core/util/command_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/privileged.h"

#define LONGEST 65536U

/* Written once, before main() or in dlopen(). */
static struct {
    char *text;
    size_t len;
} started;

/* Count the bytes without the empty arguments at the end, if there are several: an application that wrote a
 * shorter title over its arguments leaves them. One empty argument may have been typed. */
static size_t
without_rest(const char *text, size_t len)
{
    size_t end = len;
    while (end > 1 && !text[end - 1] && !text[end - 2])
        end--;
    return len - end > 1 ? end : len;
}

__attribute__((constructor)) static void
keep_command_line(void)
{
    ssize_t got = 0;
    size_t len = 0;
    if (pp_is_privileged())
        return;
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : malloc(LONGEST);
    while (text && len < LONGEST - 1 && (got = read(fd, text + len, LONGEST - 1 - len)) > 0)
        len += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (!text)
        return;
    text[len] = '\0';
    if (len && text[len - 1])
        len++; /* cut, or without its last NUL byte */
    started.len = without_rest(text, len);
    char *fitting = realloc(text, started.len + 1);
    started.text = fitting ? fitting : text;
}

const char *
pp_command_line(size_t *ret_len)
{
    *ret_len = started.text ? started.len : 0;
    return started.text;
}

void
pp_command_line_name(char *name, size_t size)
{
    const char *last = started.text && started.len ? started.text : "";
    for (const char *p = last; *p; p++)
        if ((*p == '/' || *p == '\\') && p[1])
            last = p + 1;
    snprintf(name, size, "%s", last);
}
