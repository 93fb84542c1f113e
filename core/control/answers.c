/** @file
 * See answers.h. */
#include "core/control/answers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/session/timeline_private.h"
#include "core/util/process.h"
#include "counters/util/array_size.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

#define LONG_NS 10000000000ULL /* "ten_seconds" */

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

void
pp_status_json(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts,
               const struct pp_recent *recent, const struct pp_status_span *span)
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

void
pp_status_json_error(struct pp_json *json, enum pp_order_error error, const char *text)
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

char *
pp_open_metrics_page(struct pp_session *session, const struct pp_control_facts *facts,
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
