/** @file
 * See report_trace.h. */
#include "cli/commands/report_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/export/export_file.h"
#include "cli/export/export_session.h"
#include "cli/print/format.h"
#include "cli/print/gaps.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/print/terminal.h"
#include "cli/symbols/session_symbols.h"
#include "cli/trace/chrome.h"
#include "cli/trace/perfetto.h"
#include "cli/trace/trace_lanes.h"
#include "cli/trace/trace_rows.h"
#include "pp_texts.h"

/* A session on its way into a trace. */
struct writing {
    const struct pp_opened_session *session;
    const struct pp_report_trace *trace;
    bool as_file;
    bool begun; /* the stream was opened */
    struct pp_frame_window window;
    struct pp_call_stacks stacks;
    struct pp_trace_format *format;
    struct pp_export e;
    struct pp_trace_left_out left_out;
};

void
pp_report_trace_take(struct pp_report_trace *trace, const char *value)
{
    if (strcmp(value, "chrome") == 0 || strcmp(value, "perfetto") == 0) {
        trace->format = true;
        trace->chrome = *value == 'c';
    } else {
        trace->file = value;
    }
}

/* Read the call stacks, if the session has any. Wrong ones cost the trace its stacks only. */
static void
read_stacks(struct writing *w)
{
    struct pp_saved_session rec;
    char why[PP_CALL_STACKS_WHY];
    pp_saved_begin(&rec, w->session->fd);
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(&rec)};
    int rc = pp_session_symbols_read(&rec, &places, &w->stacks, why);
    if (rc && rc != -ENOENT)
        pp_message(PP_FORMAT_ANNOTATE_STACKS, w->session->path, why);
    pp_saved_finish(&rec);
}

/* Write the trace to a stream. @param data Address of a struct writing pointer. @return 0, -errno. */
static int
write_stream(FILE *out, const void *data)
{
    struct writing *w = *(struct writing *const *)data;
    w->begun = true;
    read_stacks(w);
    int rc = w->trace->chrome ? pp_trace_chrome_create(out, &w->stacks, &w->format)
                              : pp_trace_perfetto_create(out, &w->stacks, &w->format);
    rc = rc ? rc : pp_trace_rows_create(w->format, &w->e.rec, &w->e.format);
    rc = rc ? rc : pp_export_session(&w->e, w->session->fd);
    if (rc == 0)
        w->left_out = pp_trace_rows_left_out(w->e.format);
    return rc == 0 && !w->format->events ? -ENODATA : rc;
}

/* Print why there is no trace. @return Exit status. */
static int
print_failure(const struct writing *w, int rc)
{
    const char *target = w->as_file ? w->trace->file : "stdout", *path = w->session->path;
    if (!w->begun || w->e.error || rc == -EEXIST)
        return pp_output_file_error(target, rc);
    if (rc == -ESRCH)
        return pp_fail(PP_FORMAT_REPORT_NO_MARKS, path, w->e.between);
    if (rc == -ENODATA)
        return pp_fail(PP_FORMAT_TRACE_NOTHING, path);
    if (rc == -ENOMEM)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    return rc == -ENOENT ? pp_fail(PP_FORMAT_REPORT_NO_SESSION, path)
                         : pp_fail(PP_FORMAT_READ_BACK, path, strerror(-rc));
}

/* Print what was written, and what the session lacks. @return Exit status. */
static int
print_result(const struct writing *w)
{
    const char *path = w->session->path;
    const char *look = w->trace->chrome ? PP_TEXT_TRACE_CHROME : PP_TEXT_TRACE_PERFETTO;
    char damage[PP_DAMAGE_MAX], count[PP_FORMATTED_MAX], bytes[PP_FORMATTED_MAX];
    struct stat st;
    if (w->as_file && stat(w->trace->file, &st) == 0)
        pp_print(stderr, PP_FORMAT_TRACE_DONE "\n", w->trace->file,
                 pp_format_count(count, (double)w->format->events, 0),
                 pp_format_bytes(bytes, (double)st.st_size), look);
    if (w->left_out.untimed)
        pp_message(PP_FORMAT_TRACE_UNTIMED, path, pp_format_count(count, (double)w->left_out.untimed, 0));
    if (w->left_out.crowded)
        pp_message(PP_FORMAT_TRACE_CROWDED, path, pp_format_count(count, (double)w->left_out.crowded, 0),
                   PP_TRACE_LANES);
    const char *damaged = pp_damage_find(&w->e.rec, damage, sizeof(damage));
    return damaged ? pp_fail(PP_FORMAT_EXPORT_DAMAGED, path, damaged, damage) : 0;
}

/* Free everything. */
static void
finish(struct writing *w)
{
    if (w->e.format)
        w->e.format->ops->destroy(w->e.format);
    if (w->format)
        w->format->ops->destroy(w->format);
    pp_call_stacks_finish(&w->stacks);
    pp_export_finish(&w->e);
}

int
pp_report_trace(const struct pp_opened_session *session, const struct pp_report_trace *trace,
                const struct pp_window_given *given)
{
    struct writing w = {.session = session, .trace = trace, .as_file = strcmp(trace->file, "-") != 0};
    struct writing *data = &w;
    const char *wrong = pp_frame_window_parse(given, &w.window);
    if (wrong)
        return pp_window_error_value(given, wrong);
    if (!w.as_file && pp_terminal(stdout))
        return pp_fail(PP_TEXT_TRACE_TERMINAL);
    if (w.as_file && pp_output_file_taken(trace->file))
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, trace->file, pp_output_file_taken(trace->file));
    w.e.window = &w.window;
    w.e.between = given->between;
    int rc = w.as_file ? pp_export_file_write(trace->file, write_stream, &data) : write_stream(stdout, &data);
    int status = rc ? print_failure(&w, rc) : print_result(&w);
    finish(&w);
    return status;
}
