/** @file
 * Descriptors of ours in a process that is not ours. */
#ifndef PP_COUNTERS_OWN_FD_H
#define PP_COUNTERS_OWN_FD_H

/**
 * Move a descriptor out of the program's way: to a high number, closed at exec().
 *
 * A program that was started without standard output writes to whatever is number 1, and some count on the
 * number that their next open() gives: neither may be one of our files.
 *
 * @param fd A descriptor of ours, which is closed where another stands for it; -1 goes through.
 * @return The one to use: @p fd itself where there is no higher. errno is kept.
 */
int pp_own_fd(int fd);

#endif
