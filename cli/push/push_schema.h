/** @file
 * The tables on a server: creates them, adds to them what a newer version has, and removes rows of pushes
 * that do not count. The views do not show such rows, so removing them only frees space. See
 * sql/clickhouse/schema-1.sql. */
#ifndef PP_CLI_PUSH_PUSH_SCHEMA_H
#define PP_CLI_PUSH_PUSH_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "cli/push/clickhouse.h"

/** The text of sql/clickhouse/schema-1.sql; made by the build. */
extern const char pp_push_schema_1[];

/**
 * Make the database and the tables of this version, as far as they are not there.
 *
 * @param ret_now Time of the server, in seconds since 1970.
 * @retval 0
 * @retval -EIO server->error says why. The tables of a newer version are refused.
 */
__attribute__((warn_unused_result)) int pp_push_schema_make(struct pp_clickhouse *server, uint64_t *ret_now);

/**
 * The next statement of a file of SQL: it ends with a semicolon at the end of a line.
 *
 * @param io_text After the statement afterwards.
 * @param ret_len Bytes of the statement, without its semicolon.
 * @return The statement; NULL: there are no more.
 */
const char *pp_push_next_statement(const char **io_text, size_t *ret_len);

/** Let the server remove the rows of pushes, but not the note that they began: an insert that failed may
 * still be carried out later. The server removes rows when it has time. @retval 0, -EIO: server->error says
 * why. */
__attribute__((warn_unused_result)) int pp_push_remove(struct pp_clickhouse *server, const uint64_t *push,
                                                       size_t pushes);

/** Let the server remove the rows of old pushes that were cut off, or that are second copies. @param
 * ret_removed Number of these pushes. @retval 0, -EIO. */
__attribute__((warn_unused_result)) int pp_push_remove_old(struct pp_clickhouse *server,
                                                           uint64_t *ret_removed);

#endif
