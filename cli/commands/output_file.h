/** @file
 * Files that options name, and that a command writes. What is made of a session, and can be made again,
 * replaces an older file: pages, pictures, traces, reports. What holds a session replaces nothing: archives,
 * databases. */
#ifndef PP_CLI_COMMANDS_OUTPUT_FILE_H
#define PP_CLI_COMMANDS_OUTPUT_FILE_H

#include <stdio.h>

/** Print why a file was not written. @param error -errno of export/export_file.h, or of the system. @return
 * PP_EXIT_FAILED. */
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

#endif
