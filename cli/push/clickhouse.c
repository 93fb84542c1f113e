/** @file
 * See clickhouse.h. */
#include "cli/push/clickhouse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp_texts.h"

int
pp_clickhouse_init(struct pp_clickhouse *ret, const struct pp_http_options *options)
{
    char why[256];
    *ret = (struct pp_clickhouse){.options = *options};
    int rc = pp_http_create(&ret->options, &ret->http, why);
    if (rc)
        pp_push_error_set(&ret->error, PP_PUSH_GIVE_UP, "%s", why);
    return rc;
}

void
pp_clickhouse_finish(struct pp_clickhouse *server)
{
    pp_http_destroy(server->http);
    server->http = NULL;
}

/* Note why there was no answer. */
static int
no_answer(struct pp_clickhouse *server, int rc, const char *why)
{
    bool again = rc == -EIO;
    pp_push_error_set(&server->error, again ? PP_PUSH_AGAIN : PP_PUSH_GIVE_UP, "%s", why);
    if (rc == -ECANCELED)
        pp_push_error_set(&server->error, PP_PUSH_STOPPED, "%s", PP_TEXT_PUSH_STOPPED);
    return -EIO;
}

static int
post(struct pp_clickhouse *server, const struct pp_http_param *param, size_t params, const void *body,
     size_t len, unsigned kind, char **ret_text)
{
    struct pp_http_answer answer;
    char why[256] = "";
    server->requests++;
    int rc = pp_http_post(server->http, param, params, body, len, kind, &answer, why);
    if (rc)
        return no_answer(server, rc, why);
    if (answer.status != 200) {
        pp_push_error_of_answer(&server->error, answer.status, answer.text, answer.len,
                                server->options.password);
        free(answer.text);
        return -EIO;
    }
    if (ret_text)
        *ret_text = answer.text;
    else
        free(answer.text);
    return 0;
}

int
pp_clickhouse_run(struct pp_clickhouse *server, const char *statement, bool in_database, char **ret_text)
{
    const struct pp_http_param param = {"database", server->options.url->database};
    return post(server, &param, in_database ? 1 : 0, statement, strlen(statement), PP_HTTP_ANY, ret_text);
}

int
pp_clickhouse_insert(struct pp_clickhouse *server, const char *statement, const void *rows, size_t len,
                     bool gzip)
{
    /* a Distributed table answers when the rows are on the shards, not before */
    const struct pp_http_param param[] = {
        {"database", server->options.url->database}, {"insert_distributed_sync", "1"}, {"query", statement}};
    return post(server, param, sizeof(param) / sizeof(param[0]), rows, len,
                gzip ? PP_HTTP_GZIP | PP_HTTP_ONCE : PP_HTTP_ONCE, NULL);
}
