/** @file
 * See push_removal.h. */
#include "cli/push/push_removal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/answer_rows.h"
#include "cli/push/push_tables.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Digits of a number of 64 bits, with a comma. */
#define DIGITS 21U

/* Let a table forget pushes. @param list Their numbers. */
static int
remove_from(struct pp_clickhouse *server, const char *table, const char *list)
{
    char *statement = NULL;
    if (asprintf(&statement, "ALTER TABLE %s DELETE WHERE push IN (%s)", table, list) < 0)
        statement = NULL;
    int rc = -EIO;
    if (statement)
        rc = pp_clickhouse_run(server, statement, true, NULL);
    else
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", strerror(ENOMEM));
    free(statement);
    return rc;
}

/* The numbers of pushes with commas between them. @return Owned by the caller; NULL: no memory, and noted. */
static char *
list_of(struct pp_clickhouse *server, const uint64_t *push, size_t pushes)
{
    char *list = malloc(pushes * DIGITS + 1);
    size_t len = 0;
    if (!list)
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", strerror(ENOMEM));
    for (size_t i = 0; i < pushes && list; i++)
        len += (size_t)snprintf(list + len, DIGITS + 1, "%s%" PRIu64, i ? "," : "", push[i]);
    return list;
}

int
pp_push_remove(struct pp_clickhouse *server, const uint64_t *push, size_t pushes)
{
    static const char *const rollups[] = {"stored_pass_rollup", "stored_frame_rollup"};
    if (!pushes)
        return 0;
    char *list = list_of(server, push, pushes);
    int rc = list ? 0 : -EIO;
    for (unsigned i = 0; i < PP_PUSH_TABLES && rc == 0; i++) {
        char table[64];
        snprintf(table, sizeof(table), "stored_%s", pp_push_model_of((enum pp_push_table)i)->name);
        rc = remove_from(server, table, list);
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(rollups) && rc == 0; i++)
        rc = remove_from(server, rollups[i], list);
    free(list);
    return rc;
}

/* Let the server forget that the pushes began: nothing of them is left to remove. */
static int
forget(struct pp_clickhouse *server, const uint64_t *push, size_t pushes)
{
    char *list = list_of(server, push, pushes);
    int rc = list ? remove_from(server, "stored_pushes", list) : -EIO;
    free(list);
    return rc;
}

int
pp_push_remove_old(struct pp_clickhouse *server, uint64_t *ret_removed)
{
    char statement[512];
    uint64_t push[PP_PUSH_REMOVED_MOST];
    char *text = NULL;
    snprintf(statement, sizeof(statement),
             "SELECT DISTINCT push FROM stored_pushes WHERE begun < now() - %u"
             " AND push NOT IN (SELECT push FROM pushes) ORDER BY push LIMIT %u FORMAT TabSeparated",
             PP_PUSH_OLD_S, PP_PUSH_REMOVED_MOST);
    int rc = pp_clickhouse_run(server, statement, true, &text);
    size_t pushes = rc ? 0 : pp_answer_numbers(text, push, PP_PUSH_REMOVED_MOST);
    free(text);
    if (pushes == SIZE_MAX) {
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", PP_TEXT_PUSH_ANSWER_ODD);
        return -EIO;
    }
    rc = rc ? rc : pp_push_remove(server, push, pushes);
    if (rc == 0 && pushes)
        rc = forget(server, push, pushes);
    if (rc == 0)
        *ret_removed = pushes;
    return rc;
}
