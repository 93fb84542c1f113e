/** @file
 * Removes rows of pushes that do not count. They are invisible in the views, so this only frees space. */
#ifndef PP_CLI_PUSH_PUSH_REMOVAL_H
#define PP_CLI_PUSH_PUSH_REMOVAL_H

#include <stddef.h>
#include <stdint.h>

#include "cli/push/clickhouse.h"

/** Age at which rows of a push that was not completed may be removed, in seconds: twice PP_PUSH_LEASE_S. */
#define PP_PUSH_OLD_S 7200U
/** Pushes that are removed at once. */
#define PP_PUSH_REMOVED_MOST 1000U

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
