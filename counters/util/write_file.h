/** @file
 * Writes files: all bytes of a buffer, and whole files in one step. For the command; core/util/replace_file.h
 * has the files that an application's process replaces. */
#ifndef PP_COUNTERS_UTIL_WRITE_FILE_H
#define PP_COUNTERS_UTIL_WRITE_FILE_H

#include <stddef.h>

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
