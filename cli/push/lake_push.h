/** @file
 * Pushes one session into a lake: its rows into one file for each table. See also lake_store.h,
 * push_session.h. */
#ifndef PP_CLI_PUSH_LAKE_PUSH_H
#define PP_CLI_PUSH_LAKE_PUSH_H

#include <stdbool.h>

#include "cli/push/lake_store.h"
#include "cli/push/push_session.h"

/** Open a lake, and write the SQL files with its views. @param ret_why What is wrong, static or of
 * strerror(); written only on failure. @retval 0: pp_lake_close() must be called. @retval -errno. */
__attribute__((warn_unused_result)) int pp_lake_begin(const char *path, struct pp_lake *ret,
                                                      const char **ret_why);

/**
 * Push a session.
 *
 * @param dir_fd The session's directory.
 * @param draws  Rows of draws.csv are wanted.
 * @param ret    Filled in any case; sent_bytes are those of the files.
 * @retval 0     Done, or it was there.
 * @retval -EIO  ret->error says why.
 */
__attribute__((warn_unused_result)) int pp_lake_push(const struct pp_lake *lake, int dir_fd,
                                                     const struct pp_push_facts *facts, bool draws,
                                                     struct pp_push_result *ret);

#endif
