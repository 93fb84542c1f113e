/** @file
 * Statements for a ClickHouse server. Knows the form of requests, but no table. No text of a session ever
 * becomes a part of a statement. */
#ifndef PP_CLI_PUSH_CLICKHOUSE_H
#define PP_CLI_PUSH_CLICKHOUSE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/push/http.h"
#include "cli/push/server_answer.h"

/** A server. */
struct pp_clickhouse {
    struct pp_http *http; /**< owned */
    struct pp_http_options options;
    struct pp_push_error error; /**< of the last step that failed */
    uint64_t requests;          /**< that were sent */
};

/** Prepare a server. @param options Copied; what it points to is borrowed. @retval 0, -errno: see
 * ret->error. */
__attribute__((warn_unused_result)) int pp_clickhouse_init(struct pp_clickhouse *ret,
                                                           const struct pp_http_options *options);

/** Free everything. */
void pp_clickhouse_finish(struct pp_clickhouse *server);

/**
 * Carry out a statement.
 *
 * @param in_database The statement is about the database of the address; else about none, which works before
 * there is one.
 * @param ret_text    What it answered; owned, free(). NULL: it is not wanted.
 * @retval 0
 * @retval -EIO server->error says why.
 */
__attribute__((warn_unused_result)) int pp_clickhouse_run(struct pp_clickhouse *server, const char *statement,
                                                          bool in_database, char **ret_text);

/**
 * Insert rows.
 *
 * @param statement INSERT without rows. @param rows @p len bytes. @param gzip They are compressed.
 * @retval 0
 * @retval -EIO server->error says why. The rows may have been inserted or not, if its failure is
 * PP_PUSH_AGAIN.
 */
__attribute__((warn_unused_result)) int pp_clickhouse_insert(struct pp_clickhouse *server,
                                                             const char *statement, const void *rows,
                                                             size_t len, bool gzip);

#endif
