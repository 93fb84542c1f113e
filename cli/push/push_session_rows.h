/** @file
 * The rows that session.json has for the tables of many sessions: the row of the session, and the counters
 * that are missing. For push_rows.c only. */
#ifndef PP_CLI_PUSH_PUSH_SESSION_ROWS_H
#define PP_CLI_PUSH_PUSH_SESSION_ROWS_H

#include "cli/push/push_rows.h"

/** Give the rows of what could not be measured. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_push_give_missing(struct pp_push_rows *rows);

/** Give the row of the session. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_push_give_session(struct pp_push_rows *rows);

#endif
