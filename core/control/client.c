/** @file
 * See client.h. The status of a session is one line of JSON, and so is an error. The figures of a session are
 * a page in the OpenMetrics text format (source: OpenMetrics 1.0.0), whose number of series does not depend
 * on the application. The members and series are in docs/formats/control.md. */
#include "core/control/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/control_place.h"
#include "core/control/recent_frames.h"
#include "core/control/request.h"
#include "core/engine/recording.h"
#include "core/engine/session_private.h"
#include "core/session/annotate.h"
#include "core/session/session.h"
#include "core/session/timeline_private.h"
#include "core/util/json_write.h"
#include "core/util/process.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

/* Answers. */

/* Which frames a status has figures of. */
struct status_span {
    uint64_t now_ns;  /**< CLOCK_MONOTONIC */
    uint64_t seen;    /**< frames (pp_recent.frames) that the line before had; 0: none */
    uint64_t from_ns; /**< "interval" has frames that were noted since this moment */
};

/* The media type of the page. */
#define OPEN_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

#define LONG_NS           10000000000ULL /* "ten_seconds" */

static void
write_spread(struct pp_json *json, const char *name, const struct pp_recent_spread *spread)
{
    if (spread->frames == 0) {
        pp_json_text(json, name, NULL);
        return;
    }
    pp_json_open(json, name, '{');
    pp_json_u64(json, "mean", (uint64_t)(spread->mean_ns + 0.5));
    pp_json_u64(json, "p50", (uint64_t)(spread->p50_ns + 0.5));
    pp_json_u64(json, "p95", (uint64_t)(spread->p95_ns + 0.5));
    pp_json_u64(json, "p99", (uint64_t)(spread->p99_ns + 0.5));
    pp_json_u64(json, "max", (uint64_t)spread->max_ns);
    pp_json_close(json, '}');
}

static void
write_figures(struct pp_json *json, const char *name, const struct pp_recent *recent, uint64_t seen,
              uint64_t from_ns)
{
    static const char *const time[] = {"frame_time_ns", "cpu_busy_ns", "gpu_time_ns", "gpu_busy_ns"};
    struct pp_recent_figures figures = {.frames = 0};
    if (pp_recent_figures(recent, seen, from_ns, &figures) || figures.frames == 0) {
        pp_json_text(json, name, NULL);
        return;
    }
    pp_json_open(json, name, '{');
    pp_json_text(json, "surface", figures.timeline ? figures.timeline->surface : NULL);
    pp_json_u64(json, "frames", figures.frames);
    pp_json_u64(json, "from_ns", figures.from_ns);
    pp_json_u64(json, "to_ns", figures.to_ns);
    pp_json_double(json, "fps", figures.fps);
    for (size_t i = 0; i < PP_RECENT_TIMES; i++)
        write_spread(json, time[i], &figures.time[i]);
    pp_json_open(json, "bound_by", '{');
    for (enum pp_recent_verdict v = PP_RECENT_CPU; v < PP_RECENT_VERDICTS; v++)
        pp_json_u64(json, pp_recent_verdict_name(v), figures.verdicts[v]);
    pp_json_close(json, '}');
    pp_json_close(json, '}');
}

static void
write_state(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts)
{
    const char *running = pp_session_paused(session) ? "paused" : "recording";
    char application[256];
    pp_command_line_name(application, sizeof(application));
    pp_json_text(json, "passprobe", PP_VERSION);
    pp_json_u64(json, "pid", (uint64_t)session->pid);
    pp_json_text(json, "application", application);
    pp_json_text(json, "session", *facts->path ? facts->path : NULL);
    pp_json_text(json, "state", facts->ended ? "ended" : running);
    pp_json_text(json, "ended", facts->ended);
    pp_json_text(json, "level", pp_level_name(pp_session_level(session)));
}

/* Write a status with its line end. @param json All zero; its text is the caller's. */
static void
status_json(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts,
            const struct pp_recent *recent, const struct status_span *span)
{
    json->one_line = 1;
    pp_json_open(json, NULL, '{');
    pp_json_bool(json, "ok", true);
    pp_json_u64(json, "protocol", PP_CONTROL_PROTOCOL);
    write_state(json, session, facts);
    pp_json_u64(json, "now_ns", span->now_ns);
    pp_json_u64(json, "start_ns", session->start_ns);
    pp_json_u64(json, "frames", facts->frames);
    pp_json_u64(json, "dropped_frames", facts->dropped_frames);
    pp_json_u64(json, "next_frame", pp_session_frames(session));
    pthread_mutex_lock(&session->lock);
    uint64_t marks = session->marks.count;
    pthread_mutex_unlock(&session->lock);
    pp_json_u64(json, "marks", marks);
    pp_json_u64(json, "session_bytes", facts->bytes);
    write_figures(json, "interval", recent, span->seen, span->from_ns);
    write_figures(json, "ten_seconds", recent, 0, span->now_ns > LONG_NS ? span->now_ns - LONG_NS : 0);
    pp_json_close(json, '}');
}

/* Write an error with its line end. @param json All zero; its text is the caller's. @param text What is
 * wrong, for people; NULL: what the error means. */
static void
status_json_error(struct pp_json *json, enum pp_order_error error, const char *text)
{
    json->one_line = 1;
    pp_json_open(json, NULL, '{');
    pp_json_bool(json, "ok", false);
    pp_json_text(json, "error", pp_order_error_name(error));
    pp_json_text(json, "text", text ? text : pp_order_error_text(error));
    pp_json_close(json, '}');
}

/* Space for the page. Its length depends only on the lengths of numbers and of one name. */
#define PAGE_BYTES ((size_t)16384)
#define NS_IN_S    1000000000ULL

/* A page being written. */
struct page {
    char *text;
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void
put(struct page *page, const char *format, ...)
{
    size_t space = PAGE_BYTES - page->len;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(page->text + page->len, space, format, args);
    va_end(args);
    if (len > 0 && (size_t)len < space)
        page->len += (size_t)len;
}

/* Begin a metric. @param unit "" for none; otherwise the name ends in it. */
static void
begin(struct page *page, const char *name, const char *type, const char *unit, const char *help)
{
    put(page, "# TYPE passprobe_%s %s\n", name, type);
    if (*unit)
        put(page, "# UNIT passprobe_%s %s\n", name, unit);
    put(page, "# HELP passprobe_%s %s\n", name, help);
}

static void
put_count(struct page *page, const char *name, const char *help, uint64_t value)
{
    begin(page, name, "counter", "", help);
    put(page, "passprobe_%s_total %llu\n", name, (unsigned long long)value);
}

/* Seconds. printf's "%f" would write the decimal point of the application's locale. */
static void
put_seconds(struct page *page, uint64_t ns)
{
    put(page, "%llu.%09llu\n", (unsigned long long)(ns / NS_IN_S), (unsigned long long)(ns % NS_IN_S));
}

static void
put_seconds_count(struct page *page, const char *name, const char *help, uint64_t ns)
{
    begin(page, name, "counter", "seconds", help);
    put(page, "passprobe_%s_total ", name);
    put_seconds(page, ns);
}

/* Write a text as the value of a label. */
static void
put_label(struct page *page, const char *text)
{
    put(page, "\"");
    for (const char *p = text; *p;) {
        size_t len = pp_utf8_length((const unsigned char *)p);
        if (*p == '\n')
            put(page, "\\n");
        else if (*p == '"' || *p == '\\')
            put(page, "\\%c", *p);
        else
            put(page, "%.*s", len ? (int)len : 1, len ? p : "?");
        p += len ? len : 1;
    }
    put(page, "\"");
}

static void
put_session(struct page *page, const struct pp_session *session, const struct pp_control_facts *facts)
{
    char application[256];
    pp_command_line_name(application, sizeof(application));
    begin(page, "session", "info", "", PP_TEXT_METRICS_SESSION);
    put(page, "passprobe_session_info{version=\"%s\",pid=\"%ld\",application=", PP_VERSION,
        (long)session->pid);
    put_label(page, application);
    put(page, "} 1\n");
    begin(page, "recording", "gauge", "", PP_TEXT_METRICS_RECORDING);
    put(page, "passprobe_recording %d\n", !pp_session_paused(session) && !facts->ended);
    begin(page, "level", "stateset", "", PP_TEXT_METRICS_LEVEL);
    for (enum pp_level level = PP_LEVEL_FRAME; level <= PP_LEVEL_DRAW; level++)
        put(page, "passprobe_level{passprobe_level=\"%s\"} %d\n", pp_level_name(level),
            pp_session_level(session) == level);
}

/* Frame times as a histogram. */
static void
put_frame_times(struct page *page, const struct pp_recent *recent)
{
    unsigned long long frames = 0;
    begin(page, "frame_time_seconds", "histogram", "seconds", PP_TEXT_METRICS_FRAME_TIME);
    for (size_t i = 0; i < PP_ARRAY_SIZE(recent->bin); i++) {
        char bound[24] = "+Inf";
        uint64_t ns = pp_recent_bin_ns(i);
        frames += recent->bin[i];
        if (ns)
            snprintf(bound, sizeof(bound), "0.%04llu", (unsigned long long)(ns / 100000));
        for (size_t n = strlen(bound); ns && bound[n - 1] == '0'; n--)
            bound[n - 1] = '\0';
        put(page, "passprobe_frame_time_seconds_bucket{le=\"%s\"} %llu\n", bound, frames);
    }
    put(page, "passprobe_frame_time_seconds_count %llu\npassprobe_frame_time_seconds_sum ", frames);
    put_seconds(page, recent->sum_ns[PP_RECENT_FRAME_TIME]);
}

static void
put_frames(struct page *page, const struct pp_control_facts *facts, const struct pp_recent *recent)
{
    put_count(page, "frames", PP_TEXT_METRICS_FRAMES, recent->frames);
    put_count(page, "dropped_frames", PP_TEXT_METRICS_DROPPED, facts->dropped_frames);
    put_frame_times(page, recent);
    put_seconds_count(page, "cpu_busy_seconds", PP_TEXT_METRICS_CPU, recent->sum_ns[PP_RECENT_CPU_BUSY]);
    put_seconds_count(page, "gpu_busy_seconds", PP_TEXT_METRICS_GPU, recent->sum_ns[PP_RECENT_GPU_BUSY]);
    put_count(page, "gpu_busy_frames", PP_TEXT_METRICS_GPU_FRAMES, recent->measured[PP_RECENT_GPU_BUSY]);
    begin(page, "bound_frames", "counter", "", PP_TEXT_METRICS_BOUND);
    for (enum pp_recent_verdict v = PP_RECENT_CPU; v < PP_RECENT_VERDICTS; v++)
        put(page, "passprobe_bound_frames_total{by=\"%s\"} %llu\n", pp_recent_verdict_name(v),
            (unsigned long long)recent->verdicts[v]);
    put_count(page, "draws", PP_TEXT_METRICS_DRAWS, recent->draws);
    put_count(page, "dispatches", PP_TEXT_METRICS_DISPATCHES, recent->dispatches);
    put_count(page, "copies", PP_TEXT_METRICS_COPIES, recent->copies);
}

/* Write the page. @param ret_len Length of the text. @return The page, to be freed. NULL: no memory. */
static char *
open_metrics_page(struct pp_session *session, const struct pp_control_facts *facts,
                  const struct pp_recent *recent, size_t *ret_len)
{
    struct page page = {.text = malloc(PAGE_BYTES)};
    if (!page.text)
        return NULL;
    page.text[0] = '\0';
    pthread_mutex_lock(&session->lock);
    uint64_t marks = session->marks.count;
    pthread_mutex_unlock(&session->lock);
    put_session(&page, session, facts);
    put_frames(&page, facts, recent);
    put_count(&page, "marks", PP_TEXT_METRICS_MARKS, marks);
    begin(&page, "session_size_bytes", "gauge", "bytes", PP_TEXT_METRICS_SIZE);
    put(&page, "passprobe_session_size_bytes %llu\n", (unsigned long long)facts->bytes);
    put_seconds_count(&page, "hooks_cpu_seconds", PP_TEXT_METRICS_HOOKS, facts->hooks_ns);
    put_seconds_count(&page, "collector_cpu_seconds", PP_TEXT_METRICS_COLLECTOR, facts->collector_ns);
    put(&page, "# EOF\n");
    *ret_len = page.len;
    return page.text;
}

/* Clients. */

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
    struct status_span span = {.now_ns = now_ns};
    control->ops->facts(control->self, &facts);
    bool first = !watched || client->watched_ns == 0;
    span.from_ns = first && now_ns > INTERVAL_NS ? now_ns - INTERVAL_NS : 0;
    span.seen = first ? 0 : client->seen;
    status_json(&json, control->session, &facts, &control->recent, &span);
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
    status_json_error(&json, error, text);
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
        page = open_metrics_page(control->session, &facts, &control->recent, &len);
        if (!page) {
            pp_connection_close(&scraper->connection);
            return;
        }
    }
    int head_len =
        snprintf(head, sizeof(head),
                 "HTTP/1.0 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 status, status == 200 ? "OK" : "", OPEN_METRICS_TYPE, len);
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
