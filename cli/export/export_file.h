/** @file
 * A file that appears under its name when it is complete. Knows no format. */
#ifndef PP_CLI_EXPORT_EXPORT_FILE_H
#define PP_CLI_EXPORT_EXPORT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/** A file that is being written. */
struct pp_export_file {
    int fd;                    /**< of the file; owned */
    char path[PATH_MAX];       /**< as it will be named */
    char unfinished[PATH_MAX]; /**< its name until it is complete: "PATH.new" */
    bool replaces;             /**< an older file of this name is replaced */
    bool nameless;             /**< it has no name yet: nothing stays, however the process ends */
};

/**
 * Make an empty file "PATH.new". A signal that ends the process deletes it (SIGKILL does not). One file at a
 * time.
 *
 * @param replaces An older file by the name @p path will be replaced; else it is an error.
 * @param ret pp_export_file_finish() or pp_export_file_drop() must be called.
 * @retval 0             Made.
 * @retval -EEXIST       There is something by the name @p path already: anything or, with @p replaces,
 * anything but a regular file.
 * @retval -EBUSY        There is something by the name "PATH.new" already.
 * @retval -ENAMETOOLONG The name is too long.
 * @retval -errno        Not possible.
 */
__attribute__((warn_unused_result)) int pp_export_file_begin(const char *path, bool replaces,
                                                             struct pp_export_file *ret);

/** Sync the file, close it and give it its name. On failure it is deleted. @retval 0, -EEXIST, -errno. */
__attribute__((warn_unused_result)) int pp_export_file_finish(struct pp_export_file *file);

/** Make a file, which replaces an older one, and write it as a stream. Where the file system can, it has no
 * name until it is complete. @param write Returns 0 or -errno;
 * errors of the stream are found.
 * @retval 0, as pp_export_file_begin() and pp_export_file_finish(), or what @p write returned: then there is
 * no new file, and an older one is unchanged. */
__attribute__((warn_unused_result)) int
pp_export_file_write(const char *path, int (*write)(FILE *out, const void *data), const void *data);

/** Close the file and delete it. */
void pp_export_file_drop(struct pp_export_file *file);

#endif
