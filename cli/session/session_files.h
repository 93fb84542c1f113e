/** @file
 * The files of a session that have a spare: session.json and frames.csv. */
#ifndef PP_CLI_SESSION_SESSION_FILES_H
#define PP_CLI_SESSION_SESSION_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Read session.json, or its spare where that is newer.
 *
 * @param why         At least 256 bytes for the reason why there is none.
 * @param ret_missing There is no file of that name, and nothing newer.
 * @return Owned by the caller; NULL: missing or broken.
 */
json_t *pp_saved_load_json(int dir_fd, char *why, size_t size, bool *ret_missing);

/** The name of the file that holds frames: frames.csv, or its spare where that is newer. */
const char *pp_saved_frames_file(int dir_fd);

#endif
