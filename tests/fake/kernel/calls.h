/** @file
 * Files and system calls that a test takes over. All others go to the real kernel. Files have real
 * descriptors, so that closing, duplicating and mapping work as usual. */
#ifndef PP_TESTS_FAKE_KERNEL_CALLS_H
#define PP_TESTS_FAKE_KERNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Functions of a claimed file. All return -errno; NULL: the behaviour of the real file, which is an empty
 * memory file. */
struct fake_file_ops {
    int (*open)(void *device, void **ret_file); /**< device node only; NULL: always works */
    int (*ioctl)(void *file, unsigned long request, void *arg);
    ssize_t (*read)(void *file, void *buffer, size_t size);
    ssize_t (*pread)(void *file, void *buffer, size_t size, off_t offset);
    bool (*readable)(void *file); /**< for poll() */
    void (*close)(void *file);
};

/** Claim a path. @p ops and @p device must stay until fake_kernel_reset(). */
void fake_kernel_claim(const char *path, const struct fake_file_ops *ops, void *device);

/** A path that open() refuses. @p error a positive errno. */
void fake_kernel_refuse(const char *path, int error);

/** A new descriptor of a file that has no path; with @p bytes of memory. @return fd. */
int fake_kernel_file(const struct fake_file_ops *ops, void *file, size_t bytes);

/** The memory of such a descriptor, shared with all that map it. The caller unmaps it. */
void *fake_kernel_memory(int fd, size_t bytes);

/** Claim perf_event_open(2). @p open returns fd or -errno; NULL: the real one. */
void fake_kernel_perf(int (*open)(const void *attr, pid_t pid, int cpu, int group, unsigned long flags));

/** Report a broken rule, which the kernel does not check or which is passprobe's, and end the process. */
__attribute__((format(printf, 1, 2), noreturn)) void fake_kernel_violation(const char *format, ...);

/** The path by which a claimed file was opened; NULL: the file is not claimed, or has no path. */
const char *fake_kernel_path(int fd);

/** Forget all claims; claimed files that are still open become empty real ones. */
void fake_kernel_reset(void);

/** Number of open claimed files: for a leak test. */
unsigned fake_kernel_open_files(void);

/** Calls that reached claimed files since the last reset. */
struct fake_kernel_calls {
    unsigned opens, ioctls, reads, polls;
};
struct fake_kernel_calls fake_kernel_calls(void);

#endif
