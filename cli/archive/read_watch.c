/** @file
 * See read_watch.h. */
#include "cli/archive/read_watch.h"

#include <unistd.h>

static void (*watch)(int fd);

void
pp_read_watch_set(void (*call)(int fd))
{
    watch = call;
}

ssize_t
pp_read_watched(int fd, void *to, size_t most)
{
    ssize_t got = read(fd, to, most);
    if (watch && got > 0)
        watch(fd);
    return got;
}
