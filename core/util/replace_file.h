/** @file
 * Files of the session directory that are replaced as a whole while the application runs. No file is opened
 * then: the file and its spare are open since the session began. Does not know what the files hold. */
#ifndef PP_CORE_UTIL_REPLACE_FILE_H
#define PP_CORE_UTIL_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file and its spare. Begin with both descriptors -1. */
struct pp_replaced {
    int dir_fd;           /**< of the session directory; borrowed */
    const char *name;     /**< "session.json" */
    const char *spare;    /**< "session.json.new" */
    int fd;               /**< of the file by the first name; -1: none */
    int spare_fd;         /**< of the file by the second name; -1: none */
    uint64_t bytes;       /**< of the file */
    uint64_t spare_bytes; /**< of the spare */
    bool torn;            /**< writing the file in place failed: only the spare is whole */
};

/** Make a regular file, which must not exist. A symbolic link, a FIFO or anything else by that name is
 * -EEXIST.
 * @return A descriptor for reading and writing; -errno. */
__attribute__((warn_unused_result)) int pp_file_create(int dir_fd, const char *name);

/** Write bytes at a place in a file of pp_file_create(). @retval 0 all of them. @retval -EBADF some of them,
 * or none: the application has closed the file, or has given its number to another one. @retval -errno some
 * of them, or none. */
__attribute__((warn_unused_result)) int pp_file_put(int fd, const char *bytes, size_t len, uint64_t at);

/** Cut a file of pp_file_create() to a length. @retval 0, -EBADF as pp_file_put(), -errno. */
__attribute__((warn_unused_result)) int pp_file_cut(int fd, uint64_t bytes);

/**
 * Exchange the names of two files in a directory, by renameat2(2).
 *
 * @retval 0       Exchanged: each of the caller's descriptors now belongs to the other name.
 * @retval -EPERM  Not tried: the application has confined itself (counters/util/sandbox.h) and might be
 * killed by the call.
 * @retval -ESTALE Not tried: another process has put a file at one of the names, or removed the spare.
 * @retval -ENOENT Not tried: the first file was removed.
 * @retval -errno  The file system cannot exchange names.
 */
__attribute__((warn_unused_result)) int pp_file_exchange(int dir_fd, const char *name, int fd,
                                                         const char *spare, int spare_fd);

/** Remove an open file, if its name still belongs to it. If names must not be changed, empty the file
 * instead. */
void pp_file_remove(int dir_fd, const char *name, int fd);

/**
 * Make both files, the first with this content. The file appears as a whole. Disk blocks are reserved for
 * later versions of up to 64 KiB, so that session.json can still report a full disk.
 *
 * @retval 0 Both files are open.
 * @retval -errno No file exists, none is open.
 */
__attribute__((warn_unused_result)) int pp_replaced_begin(struct pp_replaced *file, int dir_fd,
                                                          const char *name, const char *spare,
                                                          const char *text, size_t len);

/**
 * Replace the content.
 *
 * The spare is written first. Then the names are exchanged, or the spare is renamed: the file is whole at
 * every moment. If names must not be touched, the file is written in place after the spare: a reader takes
 * the newest of the two that is whole.
 *
 * @retval 0       The content was replaced.
 * @retval -ENOENT The file was removed.
 * @retval -errno  The file or its spare is as it was, and whole.
 */
__attribute__((warn_unused_result)) int pp_replaced_write(struct pp_replaced *file, const char *text,
                                                          size_t len);

/** Close both files. The spare is removed, or emptied if names must not be changed any more. */
void pp_replaced_end(struct pp_replaced *file);

#endif
