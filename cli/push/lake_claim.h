/** @file
 * What a lake notes of a session: its content, and the folders that it is in. For lake_store.c. */
#ifndef PP_CLI_PUSH_LAKE_CLAIM_H
#define PP_CLI_PUSH_LAKE_CLAIM_H

#include <stdbool.h>

#include "cli/push/lake_store.h"

/** Bytes of the name of a folder of a partition. */
#define PP_LAKE_PARTITION 300

/** A note of a session. */
struct pp_lake_claim {
    char content[65];              /**< as in struct pp_lake_session */
    char day[16];                  /**< name of a folder: day=2026-01-31 */
    char build[PP_LAKE_PARTITION]; /**< name of a folder */
};

/** The name of the folder of a build: "build=" and the text, where bytes other than letters, digits, '_', '-'
 * and '.' are percent-encoded; without a build "build=__HIVE_DEFAULT_PARTITION__", as Hive, Spark and DuckDB
 * name what is NULL. @param ret PP_LAKE_PARTITION bytes; a longer text is cut. */
void pp_lake_build_folder(const char *build, char *ret);

/** Make the note of a session. */
void pp_lake_claim_make(const struct pp_lake_session *session, struct pp_lake_claim *ret);

/** Read the note of a session, which others may have written: names that are no folders of a partition are
 * refused. @param own_fd DIR/.passprobe. @retval 0, -ENOENT (there is none), -EBADMSG (it is no note),
 * -errno. */
__attribute__((warn_unused_result)) int pp_lake_claim_read(int own_fd, const char *id,
                                                           struct pp_lake_claim *ret);

/** Write the note of a session, in one step. @param work_fd A folder for the file until it is complete. */
__attribute__((warn_unused_result)) int pp_lake_claim_write(int own_fd, int work_fd, const char *id,
                                                            const struct pp_lake_claim *claim);

/** Open a folder, not through a link. @param make It is made where it is missing. @return Descriptor; -ELOOP
 * (it is a link), -errno. */
__attribute__((warn_unused_result)) int pp_lake_folder(int parent_fd, const char *name, bool make);

/** Open the folder of a table and a claim, as pp_lake_folder(). */
__attribute__((warn_unused_result)) int pp_lake_partition(int lake_fd, const char *table,
                                                          const struct pp_lake_claim *claim, bool make);

#endif
