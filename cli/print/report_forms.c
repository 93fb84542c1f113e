/** @file
 * See report_forms.h. Source of the format for Prometheus: OpenMetrics 1.0, sections "ABNF" and "Gauge";
 * node_exporter takes the same text, but no timestamps. */
#include "cli/print/report_forms.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/analysis/summary.h"
#include "cli/print/table.h"
#include "cli/text/json_values.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"

static int
write_passes(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_pass_table table;
    struct pp_view unfolded = *view;
    unfolded.fold = false;
    int rc = pp_pass_table_make(rec, &unfolded, &table);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_pass_columns);
    pp_csv_table_rows(out, &pp_pass_columns, table.row, table.len);
    pp_pass_table_finish(&table);
    return 0;
}

static int
write_draws(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_draw_tables tables;
    int rc = pp_draw_tables_make(rec, view, SIZE_MAX, &tables);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_draw_columns);
    for (size_t t = 0; t < tables.len; t++)
        pp_csv_table_rows(out, &pp_draw_columns, tables.table[t].row, tables.table[t].len);
    pp_draw_tables_finish(&tables);
    return 0;
}

static int
write_labels(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_label_table table;
    int rc = pp_label_table_make(rec, view, &table);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_label_columns);
    pp_csv_table_rows(out, &pp_label_columns, table.row, table.len);
    pp_label_table_finish(&table);
    return 0;
}

int
pp_report_csv_write(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    int rc = 0;
    errno = EIO; /* if the system says nothing */
    if (view->by == PP_BY_LABEL)
        rc = write_labels(out, rec, view);
    else if (view->by == PP_BY_PROGRAM || view->by == PP_BY_CALL || view->by == PP_BY_DRAW)
        rc = write_draws(out, rec, view);
    else
        rc = write_passes(out, rec, view);
    return rc ? rc : fflush(out) || ferror(out) ? -errno : 0;
}

/* Bytes of a value of a label. Prometheus has no limit; names of builds are short. */
#define LABEL_MOST 200U

/* Labels that all series have. */
struct labels {
    char program[2 * LABEL_MOST + 1], build[2 * LABEL_MOST + 1], scene[2 * LABEL_MOST + 1];
};

/* Copy a text as the value of a label. @param ret 2 * LABEL_MOST + 1 bytes. */
static const char *
escape(const char *text, char *ret)
{
    size_t len = 0;
    for (size_t i = 0; text && text[i] && i < LABEL_MOST; i++) {
        if (text[i] == '"' || text[i] == '\\')
            ret[len++] = '\\';
        ret[len++] = text[i];
    }
    ret[len] = '\0';
    return ret;
}

static void
put_head(FILE *out, const char *name, const char *help)
{
    pp_print(out, "# HELP %s%s %s\n", "passprobe_report_", name, help);
    pp_print(out, "# TYPE %s%s %s\n", "passprobe_report_", name, "gauge");
}

/* Write a series, unless its value is not known. @param more A label with its value; "": none. */
static void
put(FILE *out, const struct labels *l, const char *name, const char *more, const char *value_of_more,
    double value)
{
    if (!isfinite(value))
        return;
    pp_print(out, "passprobe_report_%s{program=\"%s\",build=\"%s\",scene=\"%s\"", name, l->program, l->build,
             l->scene);
    if (*more)
        pp_print(out, ",%s=\"%s\"", more, value_of_more);
    pp_print(out, "} %.17g\n", value);
}

/* Write the percentiles of a time. */
static void
put_times(FILE *out, const struct labels *l, const char *name, const char *help, const json_t *times)
{
    put_head(out, name, help);
    for (size_t i = 0; i < pp_time_columns.len; i++) {
        const struct pp_table_column *column = &pp_time_columns.column[i];
        if (column->in & PP_IN_METRICS)
            put(out, l, name, "percentile", column->heading + strlen("p"),
                pp_json_get_number(times, column->id) / 1e9);
    }
}

static void
put_info(FILE *out, const struct labels *l, const json_t *surface)
{
    char gpu[2 * LABEL_MOST + 1], driver[2 * LABEL_MOST + 1];
    put_head(out, "session_info", "The session of the other figures, 1.");
    pp_print(out,
             "passprobe_report_session_info{program=\"%s\",build=\"%s\",scene=\"%s\",gpu=\"%s\",driver=\"%"
             "s\"} 1\n",
             l->program, l->build, l->scene, escape(pp_json_get_text(surface, "device"), gpu),
             escape(pp_json_get_text(surface, "driver"), driver));
}

static void
put_one(FILE *out, const struct labels *l, const char *name, const char *help, double value)
{
    put_head(out, name, help);
    put(out, l, name, "", "", value);
}

void
pp_openmetrics_write(FILE *out, const json_t *report, const json_t *session)
{
    static const char *const by[] = {"cpu", "gpu", "present", "sync", "sleep"};
    struct labels l;
    const json_t *program = json_object_get(report, "program"), *tags = json_object_get(session, "tags");
    const json_t *surface = json_array_get(json_object_get(report, "surfaces"), 0);
    const json_t *times = json_object_get(surface, "times"), *bound = json_object_get(surface, "bound_by");
    const char *executable = pp_json_get_text(program, "executable");
    const char *slash = executable ? strrchr(executable, '/') : NULL;
    escape(slash ? slash + 1 : executable, l.program);
    escape(pp_json_get_text(tags, "build"), l.build);
    escape(pp_json_get_text(tags, "scene"), l.scene);
    put_info(out, &l, surface);
    put_one(out, &l, "session_start_timestamp_seconds", "When the session began.",
            pp_json_get_number(program, "start_realtime_ns") / 1e9);
    put_one(out, &l, "session_frames", "Frames of the session.", pp_json_get_number(surface, "frames"));
    put_one(out, &l, "session_dropped_frames", "Frames that were dropped.",
            pp_json_get_number(json_object_get(report, "dropped"), "frames"));
    put_one(out, &l, "frames_per_second", "Frames divided by their time.",
            pp_json_get_number(surface, "fps"));
    put_one(out, &l, "low_1_percent_frames_per_second",
            "1 divided by the mean time of the slowest hundredth of the frames.",
            pp_json_get_number(surface, "low_1_percent_fps"));
    put_times(out, &l, "frame_time_seconds", "Percentiles of the frame time.",
              json_object_get(times, "frame_time"));
    put_times(out, &l, "cpu_busy_seconds",
              "Percentiles of the time from the begin of a frame to its present.",
              json_object_get(times, "cpu_busy"));
    put_times(out, &l, "gpu_time_seconds",
              "Percentiles of the time from the first to the last work of a frame on the GPU.",
              json_object_get(times, "gpu_time"));
    put_head(out, "frames_bound", "Frames by what limits them.");
    for (size_t i = 0; i < PP_ARRAY_SIZE(by); i++)
        put(out, &l, "frames_bound", "by", by[i], pp_json_get_number(bound, by[i]));
    pp_print(out, "# EOF\n");
}
