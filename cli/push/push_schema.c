/** @file
 * See push_schema.h. */
#include "cli/push/push_schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/push_tables.h"
#include "cli/push/server_answer.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Version of the tables. */
#define PP_PUSH_SCHEMA 1U

/* Age at which rows of a push that was not completed may be removed, in seconds: twice PP_PUSH_LEASE_S. */
#define PP_PUSH_OLD_S 7200U

/* Pushes that are removed at once. */
#define PP_PUSH_REMOVED_MOST 1000U

/* Has the list of columns this line? @param list Begins with a line break. */
static bool
has_column(const char *list, const char *table, const char *column, const char *type)
{
    char line[256];
    snprintf(line, sizeof(line), "\nstored_%s\t%s\t%s\n", table, column, type);
    if (strstr(list, line))
        return true;
    snprintf(line, sizeof(line), "\nstored_%s\t%s\tLowCardinality(%s)\n", table, column, type);
    return strstr(list, line);
}

/* Find the first column that the list does not have. */
static int
compare(struct pp_push_error *error, const char *list)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        const struct pp_push_model *model = pp_push_model_of((enum pp_push_table)i);
        for (size_t j = 0; j < model->columns; j++) {
            const char *type = pp_push_clickhouse_type(&model->column[j]);
            if (has_column(list, model->name, model->column[j].name, type))
                continue;
            pp_push_error_set(error, PP_PUSH_GIVE_UP, "stored_%s.%s %s: %s", model->name,
                              model->column[j].name, type, PP_TEXT_PUSH_ADVICE_TABLE);
            return -EIO;
        }
    }
    return 0;
}

/*
 * Does the server have all tables and columns, with their types? It may have more columns, and
 * LowCardinality(TYPE) in place of TYPE.
 *
 * @retval 0, -EIO: server->error says what differs.
 */
static int
push_schema_check(struct pp_clickhouse *server)
{
    char statement[512];
    char *text = NULL, *list = NULL;
    snprintf(statement, sizeof(statement),
             "SELECT table, name, type FROM system.columns WHERE database = '%s'"
             " AND table LIKE 'stored_%%' FORMAT TabSeparated",
             server->options.url->database);
    int rc = pp_clickhouse_run(server, statement, true, &text);
    if (rc == 0 && asprintf(&list, "\n%s", text) < 0) {
        list = NULL;
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", strerror(ENOMEM));
        rc = -EIO;
    }
    rc = rc ? rc : compare(&server->error, list);
    free(text);
    free(list);
    return rc;
}

/* Codes of ClickHouse. Source: dbms/src/Common/ErrorCodes.cpp of 18.16. */
#define UNKNOWN_TABLE    60
#define UNKNOWN_DATABASE 81

const char *
pp_push_next_statement(const char **io_text, size_t *ret_len)
{
    const char *from = *io_text;
    while (*from) {
        from += strspn(from, " \t\r\n");
        if (strncmp(from, "--", 2) != 0)
            break;
        from += strcspn(from, "\n");
    }
    if (!*from)
        return NULL;
    const char *end = strstr(from, ";\n");
    *ret_len = end ? (size_t)(end - from) : strlen(from);
    *io_text = end ? end + 2 : from + *ret_len;
    return from;
}

/* Carry out all statements of a file. */
static int
run_all(struct pp_clickhouse *server, const char *text)
{
    size_t len = 0;
    int rc = 0;
    for (const char *at = NULL; rc == 0 && (at = pp_push_next_statement(&text, &len));) {
        char *statement = strndup(at, len);
        if (!statement) {
            pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", strerror(ENOMEM));
            return -EIO;
        }
        rc = pp_clickhouse_run(server, statement, true, NULL);
        free(statement);
    }
    return rc;
}

/* The version of the tables that the server has; 0: none. */
static int
version_of(struct pp_clickhouse *server, uint64_t *ret)
{
    char *text = NULL;
    int rc = pp_clickhouse_run(server, "SELECT max(version) FROM passprobe_schema FORMAT TabSeparated", true,
                               &text);
    *ret = 0;
    if (rc && (server->error.code == UNKNOWN_TABLE || server->error.code == UNKNOWN_DATABASE))
        return 0;
    if (rc == 0 && pp_answer_numbers(text, ret, 1) != 1) {
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", PP_TEXT_PUSH_ANSWER_ODD);
        rc = -EIO;
    }
    free(text);
    return rc;
}

/* Make the database, if there is none. */
static int
make_database(struct pp_clickhouse *server)
{
    char statement[256];
    snprintf(statement, sizeof(statement), "CREATE DATABASE IF NOT EXISTS `%s`",
             server->options.url->database);
    return pp_clickhouse_run(server, statement, false, NULL);
}

/* Add what each version brings. */
static int
migrate(struct pp_clickhouse *server, uint64_t from)
{
    static const char *const texts[] = {NULL, pp_push_schema_1};
    int rc = 0;
    for (uint64_t version = from + 1; version <= PP_PUSH_SCHEMA && rc == 0; version++) {
        char statement[128];
        snprintf(statement, sizeof(statement), "INSERT INTO passprobe_schema (version) VALUES (%" PRIu64 ")",
                 version);
        rc = run_all(server, texts[version]);
        rc = rc ? rc : pp_clickhouse_run(server, statement, true, NULL);
    }
    return rc;
}

int
pp_push_schema_make(struct pp_clickhouse *server, uint64_t *ret_now)
{
    uint64_t version = 0;
    char *text = NULL;
    server->error.code = 0;
    int rc = version_of(server, &version);
    if (rc == 0 && version > PP_PUSH_SCHEMA) {
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, PP_FORMAT_PUSH_NEWER, (unsigned long long)version,
                          PP_PUSH_SCHEMA);
        return -EIO;
    }
    if (rc == 0 && version == 0 && server->error.code == UNKNOWN_DATABASE)
        rc = make_database(server);
    rc = rc ? rc : migrate(server, version);
    rc = rc ? rc : push_schema_check(server);
    rc =
        rc ? rc : pp_clickhouse_run(server, "SELECT toUnixTimestamp(now()) FORMAT TabSeparated", true, &text);
    if (rc == 0 && pp_answer_numbers(text, ret_now, 1) != 1) {
        pp_push_error_set(&server->error, PP_PUSH_GIVE_UP, "%s", PP_TEXT_PUSH_ANSWER_ODD);
        rc = -EIO;
    }
    free(text);
    return rc;
}

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
