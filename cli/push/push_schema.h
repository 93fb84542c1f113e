/** @file
 * The tables on a server: creates them, and adds to them what a newer version has. See
 * sql/clickhouse/schema-1.sql. */
#ifndef PP_CLI_PUSH_PUSH_SCHEMA_H
#define PP_CLI_PUSH_PUSH_SCHEMA_H

#include <stdint.h>

#include "cli/push/clickhouse.h"

/** Version of the tables. */
#define PP_PUSH_SCHEMA 1U

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

#endif
