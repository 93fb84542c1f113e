/** @file
 * Reports how far the reading of large files is, to the one function that was set for it. Prints nothing: see
 * text/terminal.h. The command has one thread. */
#ifndef PP_CLI_ARCHIVE_READ_WATCH_H
#define PP_CLI_ARCHIVE_READ_WATCH_H

#include <stddef.h>
#include <sys/types.h>

/** Set the function that is called after each block of a file. @param call NULL: none. It gets the open file.
 */
void pp_read_watch_set(void (*call)(int fd));

/** Read as read() does, and report it. */
ssize_t pp_read_watched(int fd, void *to, size_t most);

#endif
