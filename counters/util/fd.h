/** @file
 * Descriptors of ours in a process that is not ours; files that are opened by name. */
#ifndef PP_COUNTERS_UTIL_FD_H
#define PP_COUNTERS_UTIL_FD_H

/**
 * Move a descriptor out of the program's way: to a high number, closed at exec().
 *
 * A program that was started without standard output writes to whatever is number 1, and some count on the
 * number that their next open() gives: neither may be one of our files.
 *
 * @param fd A descriptor of ours, which is closed where another stands for it; -1 goes through.
 * @return The one to use: @p fd itself where there is no higher. errno is kept.
 */
int pp_fd_move_high(int fd);

/**
 * Open a regular file by name, without ever waiting: another user may have put a FIFO, a socket or a device
 * there, whose open() or read() would not return.
 *
 * For every file but those of /proc, /sys and /dev, where the kernel alone decides what a name is.
 *
 * @param dir_fd  AT_FDCWD, or the folder that a relative @p path begins in.
 * @param flags   O_RDONLY or O_RDWR; O_NOFOLLOW where no user is meant to have put a link. O_CLOEXEC and
 *                O_NONBLOCK are added, of which the second means nothing to a regular file.
 * @return The descriptor, owned by the caller, not moved by pp_fd_move_high(). -EISDIR: a directory; -ENOTSUP:
 * something else that is not a regular file; -ELOOP: a link, and O_NOFOLLOW was asked; -errno.
 */
__attribute__((warn_unused_result)) int pp_open_regular(int dir_fd, const char *path, int flags);

#endif
