/** @file
 * See left_behind.h. */
#include "cli/launch/left_behind.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST ((size_t)1 << 20) /* bytes of an environment that are read */

/* Does the process have this variable? @param text LONGEST bytes, for its environment. */
static bool
has_variable(int pid, const char *variable, char *text)
{
    char path[64];
    size_t len = 0;
    ssize_t got = 0;
    snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && len < LONGEST - 1 && (got = read(fd, text + len, LONGEST - 1 - len)) > 0)
        len += (size_t)got;
    if (fd >= 0)
        close(fd);
    text[len] = '\0';
    for (size_t at = 0; at < len; at += strlen(text + at) + 1)
        if (strcmp(text + at, variable) == 0)
            return true;
    return false;
}

int
pp_left_behind(const char *output)
{
    char variable[2 * PATH_MAX + 32];
    DIR *dir = opendir("/proc");
    char *text = dir ? malloc(LONGEST) : NULL;
    int found = 0;
    snprintf(variable, sizeof(variable), "PASSPROBE_OUTPUT=%s", output);
    for (struct dirent *entry = text ? readdir(dir) : NULL; entry && !found; entry = readdir(dir)) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (pid > 0 && pid != getpid() && has_variable(pid, variable, text))
            found = pid;
    }
    free(text);
    if (dir)
        closedir(dir);
    return found;
}
