/** @file
 * passprobe's file descriptors in the application's process: where they are, and whether they are still
 * passprobe's. */
#ifndef PP_COUNTERS_UTIL_OWN_FD_H
#define PP_COUNTERS_UTIL_OWN_FD_H

#include <stdbool.h>

/* Each table of descriptors in the process may belong to one of two owners (docs/internals/process.md,
 * "Descriptors"): the application, whose threads share one, and the collector, which takes one of its own.
 * Any thread of the application may close a descriptor of passprobe's in the application's table, or put
 * another file at its number. So a kept descriptor is marked, and each use in that table asks for the mark
 * first. A file is marked by its position, which passprobe does not use otherwise: read and write it by
 * pread() and pwrite(). Everything else is marked by flags that have no effect there. In the collector's
 * table nothing is asked. */

/**
 * Move an open file out of the application's way, to a high number that is closed at exec(), and mark it.
 *
 * An application that was started without standard output writes to descriptor 1, whatever file that is.
 * Other applications rely on the number that their next open() returns. Tools that follow descriptors by
 * their numbers do not know that there are two tables.
 *
 * @param fd A file of passprobe's; closed if the return value is another one. -1 is returned unchanged.
 * @return The descriptor to use: @p fd itself if no higher one is free. errno is kept.
 */
int pp_fd_keep_file(int fd);

/** As pp_fd_keep_file(), for a directory, a socket or a device, which is marked by its flags O_APPEND and
 * O_NONBLOCK. */
int pp_fd_keep(int fd);

/** Mark a file like pp_fd_keep_file(), and let it keep its number. errno is kept. */
void pp_fd_mark_file(int fd);

/** Mark a device like pp_fd_keep(), and let it keep its number. errno is kept. */
void pp_fd_mark(int fd);

/** Is this still the file that pp_fd_keep_file() returned? One lseek() at most, none in the collector's
 * table. -1: no. errno is EBADF if not, else kept. */
bool pp_fd_is_own_file(int fd);

/** Is this still what pp_fd_keep() returned or pp_fd_mark() marked? As pp_fd_is_own_file(), by one fcntl().
 */
bool pp_fd_is_own(int fd);

/** Close a file of pp_fd_keep_file(), if it is still that. */
void pp_fd_close_file(int fd);

/** Close what pp_fd_keep() returned or pp_fd_mark() marked, if it is still that. Under a filter of system
 * calls (sandbox.h) the application's table keeps it, since asking is forbidden. */
void pp_fd_close(int fd);

/**
 * Give the calling thread a table of descriptors of its own, with nothing in it but standard error as it is
 * now. Call it once, from the collector, before it opens a file.
 *
 * @param borrows The thread must be able to borrow descriptors (pp_fd_borrow()), or else share the table.
 * @return false: refused. The thread shares the table of the application.
 */
bool pp_fd_take_table(bool borrows);

/** The collector ends: after this call it uses no function of this header. A thread that begins later may
 * have the same pthread_t, and has the application's table. */
void pp_fd_leave_table(void);

/** If the application has closed its standard error, or has put another file there, do so in the collector's
 * table, too: else a process that waits for the end of that file waits for the end of the process. Messages
 * of the collector are lost from then on. A pidfd_getfd() and two fstat(); where the kernel refuses them, the
 * file stays open. Collector thread.
 */
void pp_fd_follow_stderr(void);

/** Has the collector a table of its own? Then its numbers are useless in other threads. Any thread. */
bool pp_fd_table_taken(void);

/**
 * Use a marked descriptor of the application's table. In the collector, with a table of its own, that is a
 * copy for a moment. Make sure that no thread closes @p fd meanwhile.
 *
 * @return The descriptor to use, for pp_fd_give_back(). -EBADF: it is not passprobe's any more.
 * -ECONNREFUSED: a filter of system calls may forbid it. -errno: the kernel refuses it.
 */
__attribute__((warn_unused_result)) int pp_fd_borrow(int fd);

/** Borrow a descriptor of the application, which has no mark: as pp_fd_borrow(). */
__attribute__((warn_unused_result)) int pp_fd_borrow_foreign(int fd);

/** End the use of what pp_fd_borrow() returned; an error is allowed. errno is not kept. */
void pp_fd_give_back(int borrowed);

#endif
