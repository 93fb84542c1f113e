/** @file
 * See open_metrics.h. */
#include "core/control/open_metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/util/command_line.h"
#include "counters/util/array_size.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

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
