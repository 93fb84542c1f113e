/** @file
 * Files that options name, and that a command writes. A file appears under its name when it is complete. What
 * is made of a session, and can be made again, replaces an older file: pages, pictures, traces, reports. What
 * holds a session replaces nothing: archives, databases. */
#ifndef PP_CLI_COMMANDS_OUTPUT_FILE_H
#define PP_CLI_COMMANDS_OUTPUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/** Print why a file was not written. @param error -errno of pp_export_file_begin() and the like, or of the
 * system. @return PP_EXIT_FAILED. */
int pp_output_file_error(const char *path, int error);

/** Why a file must not be replaced or made, though the system permits it: it is an archive or a database, or
 * its folder is a session. @return A text of the message; NULL: it may. */
const char *pp_output_file_taken(const char *path);

/** Open the folder of a file. @return The descriptor, -errno. */
int pp_output_folder_open(const char *path);

/** Write a file as a stream. An older file is replaced when the new one is complete. Failures are printed.
 * @param write Returns 0 or -errno. @return Exit status. */
int pp_output_file_write(const char *path, int (*write)(FILE *out, const void *data), const void *data);

/** Print on stderr that a file was written, its size, and what opens it: "page.html: 120 KiB; open it in a
 * browser". @param viewer A text of messages.yaml. */
void pp_output_file_print(const char *path, const char *viewer);

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
