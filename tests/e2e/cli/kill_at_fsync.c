/** @file
 * A library for LD_PRELOAD: the first fsync() ends the process by SIGKILL. A file is complete then, and has
 * not got its name. */
#include <signal.h>
#include <unistd.h>

__attribute__((visibility("default"))) int
fsync(int fd)
{
    (void)fd;
    return raise(SIGKILL);
}
