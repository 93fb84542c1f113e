/** @file
 * See client.h. */
#include "core/control/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control/answers.h"
#include "core/engine/recording.h"
#include "core/engine/session_private.h"
#include "core/session/annotate.h"
#include "core/session/session.h"
#include "counters/util/errno_text.h"
#include "pp_texts.h"

#define INTERVAL_NS 1000000000ULL /* "interval" of a status outside of `watch` */
#define MS_NS       1000000ULL

static void
send_json(struct pp_connection *client, struct pp_json *json, uint64_t now_ns)
{
    if (json->error) {
        free(json->text);
        json->text = NULL;
    }
    pp_connection_send(client, json->text, json->len, now_ns);
}

/* Send the status. @param watched It is a line of `watch`, whose figures begin where the line before ended.
 */
static void
send_status(struct pp_control *control, struct pp_connection *client, uint64_t now_ns, bool watched)
{
    struct pp_json json = {0};
    struct pp_control_facts facts = {.ended = NULL};
    struct pp_status_span span = {.now_ns = now_ns};
    control->ops->facts(control->self, &facts);
    bool first = !watched || client->watched_ns == 0;
    span.from_ns = first && now_ns > INTERVAL_NS ? now_ns - INTERVAL_NS : 0;
    span.seen = first ? 0 : client->seen;
    pp_status_json(&json, control->session, &facts, &control->recent, &span);
    if (watched) {
        client->watched_ns = now_ns;
        client->seen = control->recent.frames;
    }
    send_json(client, &json, now_ns);
}

static void
send_error(struct pp_connection *client, enum pp_order_error error, const char *text, uint64_t now_ns)
{
    struct pp_json json = {0};
    pp_status_json_error(&json, error, text);
    send_json(client, &json, now_ns);
}

static enum pp_order_error
set_level(struct pp_control *control, enum pp_level level, const char **ret_text)
{
    int rc = control->ops->prepare_level(control->self, level);
    if (rc) {
        *ret_text = pp_errno_text(-rc);
        return PP_ORDER_FAILED;
    }
    (void)pp_recording_set_level(control->session, level);
    return PP_ORDER_OK;
}

/* Carry out a command that changes something. */
static enum pp_order_error
carry_out(struct pp_control *control, const struct pp_order *order, const char **ret_text)
{
    struct pp_session *session = control->session;
    if (order->kind == PP_ORDER_LEVEL)
        return set_level(control, order->level, ret_text);
    if (order->kind == PP_ORDER_MARK)
        return pp_marks_add(session, 0, order->text) ? PP_ORDER_OK : PP_ORDER_TOO_MANY;
    if (order->kind == PP_ORDER_START || order->kind == PP_ORDER_STOP)
        (void)pp_recording_set_paused(session, order->kind == PP_ORDER_STOP);
    if (order->kind == PP_ORDER_TOGGLE)
        (void)pp_recording_set_paused(session, !pp_session_paused(session));
    if (order->kind == PP_ORDER_QUIT) {
        control->ops->quit(control->self);
        control->quit = true;
    }
    return PP_ORDER_OK;
}

/* Answer a line of a client. */
static void
answer(struct pp_control *control, struct pp_connection *client, enum pp_line kind, const char *line,
       uint64_t now_ns)
{
    struct pp_order order = {.kind = PP_ORDER_NONE};
    const char *text = NULL;
    enum pp_order_error error = PP_ORDER_TOO_LONG;
    if (kind == PP_LINE_TEXT)
        error = pp_order_parse(line, &order);
    if (error == PP_ORDER_OK && order.kind == PP_ORDER_NONE)
        return;
    client->watch_ns = 0;
    if (error == PP_ORDER_OK && !pp_session_active(control->session))
        error = PP_ORDER_ENDED;
    if (error == PP_ORDER_OK)
        error = carry_out(control, &order, &text);
    if (error == PP_ORDER_OK && order.kind == PP_ORDER_WATCH) {
        client->watch_ns = order.interval_ms * MS_NS;
        client->watched_ns = 0;
    }
    client->quits = error == PP_ORDER_OK && order.kind == PP_ORDER_QUIT;
    if (client->quits)
        return; /* pp_client_finish() answers */
    if (error == PP_ORDER_OK)
        send_status(control, client, now_ns, order.kind == PP_ORDER_WATCH);
    else
        send_error(client, error, text, now_ns);
}

/* Read and answer commands until an answer waits, nothing is left, or the round is over. */
static void
serve_commands(struct pp_control *control, struct pp_connection *client, uint64_t now_ns)
{
    char line[PP_LINE_BYTES];
    bool more = pp_connection_read(client, now_ns);
    while (pp_connection_is_open(client) && !client->out && !control->quit) {
        enum pp_line kind = pp_line_reader_take(&client->lines, line);
        if (kind != PP_LINE_NONE)
            answer(control, client, kind, line, now_ns);
        else if (!more)
            break;
        if (pp_connection_round_is_over(control->round_ns))
            break;
        if (kind == PP_LINE_NONE)
            more = pp_connection_read(client, now_ns);
    }
}

void
pp_client_serve(struct pp_control *control, struct pp_connection *client, uint64_t now_ns)
{
    if (pp_connection_write(client, now_ns) && !client->closing)
        serve_commands(control, client, now_ns);
    bool due = client->watch_ns && now_ns - client->watched_ns >= client->watch_ns;
    if (pp_connection_is_open(client) && due && !client->out)
        send_status(control, client, now_ns, true);
    pp_connection_close_if_done(client, client->watch_ns > 0, now_ns);
}

void
pp_client_finish(struct pp_control *control, struct pp_connection *client, uint64_t now_ns)
{
    if ((client->watch_ns || client->quits) && !client->out)
        send_status(control, client, now_ns, !client->quits);
    if (pp_connection_is_open(client))
        (void)pp_connection_write(client, now_ns);
}

void
pp_client_refuse(int fd, uint64_t now_ns)
{
    _Static_assert(PP_CONTROL_CLIENTS == 8, "the text says how many");
    struct pp_connection many;
    pp_connection_init(&many);
    pp_connection_open(&many, fd, now_ns);
    send_error(&many, PP_ORDER_TOO_MANY, PP_TEXT_CONTROL_CLIENTS, now_ns);
    pp_connection_close(&many);
}

/* Send the page, or why not, and let the connection be closed. */
static void
send_page(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns)
{
    struct pp_control_facts facts = {.ended = NULL};
    char head[256];
    size_t len = 0;
    unsigned status = scraper->request.status;
    char *page = NULL;
    if (status == 200) {
        control->ops->facts(control->self, &facts);
        page = pp_open_metrics_page(control->session, &facts, &control->recent, &len);
        if (!page) {
            pp_connection_close(&scraper->connection);
            return;
        }
    }
    int head_len =
        snprintf(head, sizeof(head),
                 "HTTP/1.0 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 status, status == 200 ? "OK" : "", PP_OPEN_METRICS_TYPE, len);
    pp_connection_send(&scraper->connection, strndup(head, (size_t)head_len), (size_t)head_len, now_ns);
    if (page && !scraper->request.head && pp_connection_is_open(&scraper->connection))
        pp_connection_send(&scraper->connection, page, len, now_ns);
    else
        free(page);
    scraper->connection.closing = true;
}

void
pp_scraper_serve(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns)
{
    struct pp_connection *connection = &scraper->connection;
    char line[PP_LINE_BYTES];
    bool sent = pp_connection_write(connection, now_ns);
    while (sent && !connection->closing && pp_connection_is_open(connection)) {
        enum pp_line kind = pp_line_reader_take(&connection->lines, line);
        if (kind == PP_LINE_NONE && !pp_connection_read(connection, now_ns))
            break;
        if (kind != PP_LINE_NONE && pp_http_request_take(&scraper->request, kind, line))
            send_page(control, scraper, now_ns);
        if (pp_connection_round_is_over(control->round_ns))
            break;
    }
    pp_connection_close_if_done(connection, false, now_ns);
}
