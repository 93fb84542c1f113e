/** @file
 * Unpacks an archive of a session into a private folder, without trusting it. See also commands/archive.c. */
#ifndef PP_CLI_ARCHIVE_ARCHIVE_READ_H
#define PP_CLI_ARCHIVE_ARCHIVE_READ_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct archive;

/** Extended attribute of each file in an archive: its CRC-32 (that of gzip) as hexadecimal digits. zstd's
 * frames have no checksum of their content as libarchive writes them. */
#define PP_ARCHIVE_SUM        "user.crc32"
#define PP_ARCHIVE_SUM_DIGITS 8

/** A session that was unpacked. */
struct pp_unpacked {
    int fd;              /**< its directory; owned */
    char path[PATH_MAX]; /**< of the directory, which pp_unpacked_finish() deletes */
};

/** Most bytes that an archive may hold: that is four sessions of the usual --max-size. */
#define PP_UNPACKED_MOST (UINT64_C(8) << 30)

/**
 * Unpack an archive into a new directory (mode 0700) under $TMPDIR or /tmp.
 *
 * Only regular files with the names of a session's files are unpacked, each into the directory itself,
 * whatever folder the archive names. Other files are ignored. An archive with links, devices, absolute names
 * or "..", with a name twice, with a file whose PP_ARCHIVE_SUM is wrong, or that is much larger than its file
 * lets expect, is refused. A signal that ends the process deletes what was unpacked (SIGKILL does not). One
 * archive at a time.
 *
 * @param file Path of a file.
 * @param why  @p size bytes: what is wrong, written only on failure.
 * @retval 0        Unpacked; pp_unpacked_finish() must be called.
 * @retval -ENOENT  There is no such file, or no file of a session in it.
 * @retval -EBADMSG It is no archive, or is refused.
 * @retval -EFBIG   It is too large.
 * @retval -errno   Not possible.
 */
__attribute__((warn_unused_result)) int pp_archive_unpack(const char *file, struct pp_unpacked *ret,
                                                          char *why, size_t size);

/** Delete the unpacked files and their directory, and close it. */
void pp_unpacked_finish(struct pp_unpacked *unpacked);

/** Unpack an archive that is open already; for pp_archive_unpack() and its fuzz target. @param most Bytes.
 * @retval as of pp_archive_unpack(); some files may be there on failure. */
__attribute__((warn_unused_result)) int pp_archive_unpack_into(struct archive *in, int dir_fd, uint64_t most,
                                                               char *why, size_t size);

/** A reader of libarchive that takes what `passprobe archive` makes: tar, plain or compressed by zstd.
 * @return Owned by the caller (archive_read_free()); NULL: no memory. */
struct archive *pp_archive_reader_new(void);

#endif
