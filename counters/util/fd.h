/** @file
 * Files that are opened by name, and read.
 *
 * Writes files: all bytes of a buffer, and whole files in one step. For the command; core/util/replace_file.h
 * has the files that an application's process replaces. */
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

/** Write all bytes, also where write() takes a part of them or a signal comes. @param fd That blocks.
 * @retval 0, -ENOSPC (write() takes none), -errno: some of them may be written. */
__attribute__((warn_unused_result)) int pp_write_all(int fd, const void *bytes, size_t len);

/**
 * Make a file, or replace the one of this name: other processes see the old content or the whole new one,
 * also after a power cut.
 *
 * @param dir_fd  The file's folder.
 * @param work_fd A folder of the same file system, for the file until it is complete; may be @p dir_fd.
 * Nothing stays there on failure.
 * @retval 0, -errno.
 */
__attribute__((warn_unused_result)) int pp_write_file(int dir_fd, const char *name, int work_fd,
                                                      const char *text, size_t len);

#endif
