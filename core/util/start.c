/** @file
 * See start.h. */
#include "core/util/start.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/sandbox.h"

#define LONGEST 65536U

extern char **environ;

static struct pp_start started;

struct pp_start *
pp_start(void)
{
    return &started;
}

static bool
is_ours(const char *variable)
{
    return strncmp(variable, "PASSPROBE", 9) == 0 || strncmp(variable, "HOME=", 5) == 0 ||
           strncmp(variable, "XDG_CONFIG_HOME=", 16) == 0 || strncmp(variable, "XDG_DATA_HOME=", 14) == 0 ||
           strncmp(variable, "XDG_RUNTIME_DIR=", 16) == 0 || strncmp(variable, "TMPDIR=", 7) == 0;
}

/* Copy the strings: applications that write their title into their arguments overwrite the environment
 * after them. */
static void
keep_variables(void)
{
    size_t count = 0, have = 0;
    while (environ && environ[count])
        count++;
    char **kept = environ ? calloc(count + 1, sizeof(*kept)) : NULL;
    for (char *const *at = environ; kept && *at; at++)
        if (is_ours(*at) && (kept[have] = strdup(*at)))
            have++;
    started.variables = kept;
}

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

static void
keep_command(void)
{
    ssize_t got = 0;
    size_t len = 0;
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
    started.command_len = without_rest(text, len);
    char *fitting = realloc(text, started.command_len + 1);
    started.command = fitting ? fitting : text;
}

__attribute__((constructor)) static void
keep(void)
{
    if (pp_is_privileged())
        return;
    keep_variables();
    keep_command();
}

static const char *
find(char *const *variables, const char *name)
{
    size_t len = strlen(name);
    for (char *const *at = variables; at && *at; at++)
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
            return *at + len + 1;
    return NULL;
}

const char *
pp_start_variable(const char *name)
{
    const char *now = find(environ, name);
    return now ? now : find(started.variables, name);
}
