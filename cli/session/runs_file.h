/** @file
 * runs.json, the list of the sessions that repeated runs left in a folder (docs/formats/session.md, "Repeated
 * runs"). See also session_open.h. */
#ifndef PP_CLI_SESSION_RUNS_FILE_H
#define PP_CLI_SESSION_RUNS_FILE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A run that has ended. */
struct pp_listed_run {
    char session[NAME_MAX + 1]; /**< name in the folder; "": the run left none */
    unsigned side;              /**< 0, or 1 for the second command */
    unsigned number;            /**< of the side's runs; 1 is the first one */
    int status;                 /**< exit status of CMD */
    uint64_t frames;
    bool counts; /**< it has frames, did not fail and was not interrupted */
};

/** The runs of a folder, in the order in which they were done. */
struct pp_run_list {
    struct pp_listed_run *run; /**< owned */
    size_t len;
};

/** Begin a list. @param command Command line of each side, NULL-terminated; NULL: there is no such side.
 * @return A new reference; NULL: no memory. */
json_t *pp_runs_file_make(char *const *const command[2]);

/** Add a run. */
void pp_runs_file_add(json_t *runs, const struct pp_listed_run *run);

/**
 * Write the list, in one step.
 *
 * @param ended "running", "complete", "failed" or "interrupted".
 * @retval 0, -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_runs_file_write(int folder_fd, json_t *runs, const char *ended);

/**
 * Read the list. Names that lead out of the folder are refused.
 *
 * @param ret Filled in on success; free with pp_run_list_finish().
 * @param why At least 256 bytes: what is wrong, written only on failure.
 * @retval 0, -ENOENT (there is no list), -EPROTO (broken, or of a newer passprobe), -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_runs_file_read(int folder_fd, struct pp_run_list *ret, char *why);

/** Take the list from the JSON of the file. @param json Borrowed. @retval As pp_runs_file_read(). */
__attribute__((warn_unused_result)) int pp_run_list_take(const json_t *json, struct pp_run_list *ret,
                                                         char *why);

/** Free the list. */
void pp_run_list_finish(struct pp_run_list *list);

/** The last run that counts and has a session. @return NULL: there is none. */
const struct pp_listed_run *pp_run_list_last(const struct pp_run_list *list);

#endif
