/** @file
 * Files that are opened by name, and read. */
#ifndef PP_COUNTERS_UTIL_FD_H
#define PP_COUNTERS_UTIL_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Open a regular file by name, without ever waiting: another user may have put a FIFO, a socket or a device
 * there, whose open() or read() would not return.
 *
 * Use it for all files except those of /proc, /sys and /dev, where only the kernel makes names.
 *
 * @param dir_fd  AT_FDCWD, or the folder that a relative @p path begins in.
 * @param flags   O_RDONLY or O_RDWR; O_NOFOLLOW if links are not wanted. O_CLOEXEC and O_NONBLOCK are added;
 * O_NONBLOCK has no effect on a regular file.
 * @return The descriptor, owned by the caller, not marked. -EISDIR: a directory;
 * -ENOTSUP: something else that is not a regular file; -ELOOP: a link, and O_NOFOLLOW was asked; -errno.
 */
__attribute__((warn_unused_result)) int pp_open_regular(int dir_fd, const char *path, int flags);

/**
 * Read a part of a regular file: until the buffer is full, or the file ends. Signals do not end it.
 *
 * @param at   Offset in the file, in bytes. The position of the descriptor is neither used nor changed.
 * @param ret  @p size bytes.
 * @return Bytes that were read, less than @p size only where the file ends; -errno.
 */
__attribute__((warn_unused_result)) ssize_t pp_read_at(int fd, void *ret, size_t size, uint64_t at);

#endif
