/** @file
 * A library for LD_PRELOAD that makes a disk slow: read() gives 2.5 MB of a large regular file in a second.
 * So reading takes longer than two seconds without gigabytes. */
#include <dlfcn.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LARGE ((off_t)1 << 20)

__attribute__((visibility("default"))) ssize_t
read(int fd, void *to, size_t most)
{
    static ssize_t (*next)(int, void *, size_t);
    struct stat st;
    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    ssize_t got = next(fd, to, most);
    long long ns =
        got > 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= LARGE ? 400LL * got : 0;
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
    return got;
}
