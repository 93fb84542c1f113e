/** @file
 * See run_fleet.h. */
#include "cli/compare/run_fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/fleet_rows.h"
#include "cli/compare/run_file.h"
#include "cli/push/clickhouse.h"
#include "cli/push/fleet_question.h"
#include "cli/push/push_password.h"
#include "pp_texts.h"

/* Seconds without progress until a question fails. */
#define ANSWER_S 600U

static int
give(const char *address, char *why, int rc, const char *what)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_FLEET_FAILED, address, what);
    return rc;
}

/* Send a statement. @param ret_text Owned by the caller; set with 0. */
static int
ask_server(const char *address, const struct pp_http_options *options, const char *statement, char **ret_text,
           char *why)
{
    struct pp_clickhouse server;
    int rc = pp_clickhouse_init(&server, options);
    rc = rc ? rc : pp_clickhouse_run(&server, statement, true, ret_text);
    if (rc)
        rc = give(address, why, rc, server.error.text);
    pp_clickhouse_finish(&server);
    return rc;
}

int
pp_run_fleet_read(const char *address, struct pp_run_figures **ret, size_t *ret_runs, char *why)
{
    struct pp_push_url url;
    char password[PP_PUSH_PASSWORD_MAX] = "", *statement = NULL, *text = NULL;
    const char *wrong = "";
    if (pp_push_url_read(address, &url, &wrong) || pp_push_password(NULL, password, &wrong))
        return give(address, why, -EINVAL, wrong);
    const struct pp_http_options options = {
        .url = &url, .password = password, .timeout_s = ANSWER_S, .answer_max = PP_RUN_FILE_MOST};
    int rc = pp_fleet_question_make(pp_fleet_run_figures, url.query, &statement);
    if (rc)
        rc = give(address, why, rc, rc == -EINVAL ? PP_TEXT_DIFF_FLEET_QUERY : strerror(ENOMEM));
    rc = rc ? rc : ask_server(address, &options, statement, &text, why);
    pp_push_forget(password, sizeof(password));
    rc = rc ? rc : pp_fleet_rows_take(address, text, ret, ret_runs, why);
    free(statement);
    free(text);
    return rc;
}
