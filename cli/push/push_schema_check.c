/** @file
 * See push_schema_check.h. */
#include "cli/push/push_schema_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/push_tables.h"
#include "pp_texts.h"

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

int
pp_push_schema_check(struct pp_clickhouse *server)
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
