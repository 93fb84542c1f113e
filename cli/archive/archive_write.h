/** @file
 * Packs a session into one file: tar, compressed by zstd. See also archive_read.h. */
#ifndef PP_CLI_ARCHIVE_ARCHIVE_WRITE_H
#define PP_CLI_ARCHIVE_ARCHIVE_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct pp_redaction;

/** What was packed. */
struct pp_archive_written {
    size_t files;
    uint64_t bytes;    /**< of the files */
    uint64_t replaced; /**< texts that were replaced, see pp_redact_text() */
};

/**
 * Write the files of a session, and no other files of its directory, into an archive.
 *
 * @param dir_fd The session's directory.
 * @param name   Folder in the archive.
 * @param redact What the files are redacted by: session.json as pp_redact_json() does it, without its spare,
 * the others by pp_redact_file(). NULL: they are packed as they are.
 * @param out_fd The archive, empty, open for writing.
 * @param why    @p size bytes: what went wrong, written only on failure.
 * @retval 0
 * @retval -ENOENT  There is no file of a session.
 * @retval -EBADMSG session.json cannot be read, so that it cannot be redacted.
 * @retval -errno   Not possible.
 */
__attribute__((warn_unused_result)) int pp_archive_write(int dir_fd, const char *name,
                                                         struct pp_redaction *redact, int out_fd,
                                                         struct pp_archive_written *ret, char *why,
                                                         size_t size);

#endif
