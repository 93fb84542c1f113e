/** @file
 * Packs a session into one file: tar, compressed by zstd. See also archive_read.h. */
#ifndef PP_CLI_ARCHIVE_ARCHIVE_WRITE_H
#define PP_CLI_ARCHIVE_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdint.h>

/** What was packed. */
struct pp_archive_written {
    size_t files;
    uint64_t bytes; /**< of the files */
};

/**
 * Write the files of a session, and no other files of its directory, into an archive.
 *
 * @param dir_fd The session's directory.
 * @param name   Folder in the archive.
 * @param out_fd The archive, empty, open for writing.
 * @param why    @p size bytes: what went wrong, written only on failure.
 * @retval 0, -ENOENT (there is no file of a session), -errno.
 */
__attribute__((warn_unused_result)) int pp_archive_write(int dir_fd, const char *name, int out_fd,
                                                         struct pp_archive_written *ret, char *why,
                                                         size_t size);

#endif
