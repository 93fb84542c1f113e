/** @file
 * Compares the tables of a server with those that a push needs. */
#ifndef PP_CLI_PUSH_PUSH_SCHEMA_CHECK_H
#define PP_CLI_PUSH_PUSH_SCHEMA_CHECK_H

#include "cli/push/clickhouse.h"

/**
 * Does the server have all tables and columns, with their types? It may have more columns, and
 * LowCardinality(TYPE) in place of TYPE.
 *
 * @retval 0, -EIO: server->error says what differs.
 */
__attribute__((warn_unused_result)) int pp_push_schema_check(struct pp_clickhouse *server);

#endif
