/** @file
 * See own_streams.h. */
#include "cli/top/own_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Close what pp_streams_begin() opened. */
static void
close_all(struct pp_streams *streams)
{
    int *const fd[] = {&streams->in_fd, &streams->out_fd, &streams->err_fd, &streams->memory_fd};
    for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++) {
        if (*fd[i] >= 0)
            close(*fd[i]);
        *fd[i] = -1;
    }
}

int
pp_streams_begin(struct pp_streams *ret)
{
    struct pp_streams streams = {.in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .err_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
                                 .memory_fd = memfd_create("passprobe-output", MFD_CLOEXEC)};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int rc =
        streams.in_fd < 0 || streams.out_fd < 0 || streams.err_fd < 0 || streams.memory_fd < 0 || nothing < 0
            ? -errno
            : 0;
    if (rc) {
        close_all(&streams);
    } else {
        (void)fflush(NULL);
        /* two streams and all processes write at the end, also one that has opened /dev/stdout anew */
        (void)fcntl(streams.memory_fd, F_SETFL, O_APPEND);
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(streams.memory_fd, STDOUT_FILENO);
        (void)dup2(streams.memory_fd, STDERR_FILENO);
        *ret = streams;
    }
    if (nothing >= 0)
        close(nothing);
    return rc;
}

void
pp_streams_bound(struct pp_streams *streams)
{
    struct stat st;
    if (fstat(streams->memory_fd, &st) || (uint64_t)st.st_size < streams->freed + 4 * PP_STREAMS_KEPT)
        return;
    uint64_t end = ((uint64_t)st.st_size - PP_STREAMS_KEPT) & ~(uint64_t)0xFFFF; /* whole pages */
    if (fallocate(streams->memory_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)streams->freed,
                  (off_t)(end - streams->freed)) == 0)
        streams->freed = end;
}

void
pp_streams_end(struct pp_streams *streams)
{
    (void)fflush(NULL);
    (void)dup2(streams->in_fd, STDIN_FILENO);
    (void)dup2(streams->out_fd, STDOUT_FILENO);
    (void)dup2(streams->err_fd, STDERR_FILENO);
}

uint64_t
pp_streams_show(struct pp_streams *streams)
{
    char bytes[65536];
    struct stat st = {.st_size = 0};
    (void)fstat(streams->memory_fd, &st);
    uint64_t size = (uint64_t)st.st_size;
    uint64_t at = size > PP_STREAMS_KEPT ? size - PP_STREAMS_KEPT : 0;
    if (at < streams->freed)
        at = streams->freed;
    uint64_t lost = at;
    for (ssize_t got = 0; (got = pread(streams->memory_fd, bytes, sizeof(bytes), (off_t)at)) > 0;
         at += (uint64_t)got)
        if (write(STDOUT_FILENO, bytes, (size_t)got) != got)
            break;
    close_all(streams);
    return lost;
}
