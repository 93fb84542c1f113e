/** @file
 * See html_static.h. The pictures are in html_strip.c. */
#include "cli/html/html_static.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/label_table.h"
#include "cli/analysis/summary.h"
#include "cli/html/html_figures.h"
#include "cli/html/html_out.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define ROWS_MOST 30U

/* A member of the report as an array. */
static json_t *
list_of(const json_t *data, const char *path)
{
    return pp_html_value(pp_html_value(data, "report"), path);
}

void
pp_html_put_title(FILE *out, const json_t *data)
{
    const char *path = pp_html_string(data, "report.program.executable");
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    pp_html_text(out, *name ? name : "a session without the name of its program");
}

/* The words of the command that was recorded. */
static void
put_command(FILE *out, const json_t *data)
{
    const json_t *words = pp_html_value(data, "report.program.command");
    pp_html_raw(out, "<code>");
    for (size_t i = 0; i < json_array_size(words); i++) {
        pp_html_raw(out, i ? " " : "");
        pp_html_text(out, json_string_value(json_array_get(words, i)));
    }
    pp_html_raw(out, "</code>");
}

void
pp_html_put_run(FILE *out, const json_t *data)
{
    const char *start = pp_html_string(data, "report.program.start");
    pp_html_raw(out, "<p class=\"run\">");
    put_command(out, data);
    pp_html_raw(out, "</p><p class=\"run\">");
    pp_html_textf(out, "%s, on %s, level %s, passprobe %s", start, pp_html_string(data, "report.host.name"),
                  pp_html_string(data, "report.options.level"), pp_html_string(data, "report.recorded_by"));
    double first = pp_html_number(data, "report.window.first_inside");
    if (isfinite(first))
        pp_html_textf(out, ", frames %.0f to %.0f of %.0f", first,
                      pp_html_number(data, "report.window.last_inside"),
                      pp_html_number(data, "report.window.of_frames"));
    pp_html_raw(out, "</p>");
}

/* The verdict of most frames, and its share of those that have one. */
static const char *
main_verdict(const json_t *surface, double *ret_percent)
{
    static const char *const name[] = {"cpu", "gpu", "present", "sync", "sleep"};
    double all = 0, most = 0;
    const char *ret = "";
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++) {
        char path[32];
        snprintf(path, sizeof(path), "bound_by.%s", name[i]);
        double frames = fmax(pp_html_number(surface, path), 0);
        all += frames;
        ret = frames > most ? name[i] : ret;
        most = fmax(frames, most);
    }
    *ret_percent = all > 0 ? 100 * most / all : (double)NAN;
    return ret;
}

/* The sentence on top of the page. */
static void
put_sentence(FILE *out, const json_t *surface)
{
    char median[PP_FORMATTED_MAX], p99[PP_FORMATTED_MAX], worst[PP_FORMATTED_MAX];
    double percent = (double)NAN, fps = pp_html_number(surface, "fps");
    const char *verdict = main_verdict(surface, &percent);
    pp_html_raw(out, "<p class=\"sentence\">");
    if (isfinite(percent))
        pp_html_textf(out, "Bound by %s in %.1f %% of the frames. ", verdict, percent);
    if (isfinite(fps))
        pp_html_textf(out, "%.4g FPS; frame time: p50 %s, p99 %s, max %s (frame %.0f). ", fps,
                      pp_format_duration(median, pp_html_number(surface, "times.frame_time.p50_ns")),
                      pp_format_duration(p99, pp_html_number(surface, "times.frame_time.p99_ns")),
                      pp_format_duration(worst, pp_html_number(surface, "times.frame_time.max_ns")),
                      pp_html_number(surface, "times.frame_time.max_frame"));
    if (isfinite(pp_html_number(surface, "low_1_percent_fps")))
        pp_html_textf(out, "1%% low %.4g FPS.", pp_html_number(surface, "low_1_percent_fps"));
    if (!isfinite(fps))
        pp_html_text(out, PP_TEXT_HTML_NO_FPS);
    pp_html_raw(out, "</p>");
}

static void
put_times(FILE *out, const json_t *surface)
{
    static const char *const title[PP_TIME_KINDS] = {"frame time", "CPU busy", "CPU wait",
                                                     "GPU time",   "GPU busy", "GPU wait"};
    double mean = pp_html_number(surface, "times.frame_time.mean_ns");
    const struct pp_time_unit *unit = pp_time_unit_for(isfinite(mean) ? mean : 0);
    pp_html_begin_columns(out, "Times of frames", "time, ", &pp_time_columns, NULL, unit);
    for (size_t i = 0; i < PP_TIME_KINDS; i++) {
        const json_t *times = json_object_get(json_object_get(surface, "times"), pp_time_kind_name[i]);
        if (!(pp_html_number(times, "frames") > 0))
            continue;
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "th scope=\"row\"", title[i]);
        pp_html_put_columns(out, &pp_time_columns, NULL, times, unit);
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

void
pp_html_put_verdict(FILE *out, const json_t *data)
{
    const json_t *surfaces = list_of(data, "surfaces");
    size_t shown = json_array_size(json_object_get(data, "frames"));
    for (size_t i = 0; i < json_array_size(surfaces) && i < shown; i++) {
        const json_t *surface = json_array_get(surfaces, i);
        pp_html_elementf(out, "h2", "%s, %s", pp_html_string(surface, "surface"),
                         pp_html_string(surface, "device"));
        if (json_is_true(json_object_get(surface, "software")))
            pp_html_element(out, "p class=\"warning\"",
                            "Software driver: times of the GPU are times of the CPU.");
        put_sentence(out, surface);
        if (pp_html_number(surface, "first_frames") > 0)
            pp_html_elementf(out, "p class=\"hint\"",
                             "Without %.0f first %s of %.3f s: the application's start.",
                             pp_html_number(surface, "first_frames"),
                             pp_format_noun(pp_html_number(surface, "first_frames"), "frame", "frames"),
                             pp_html_number(surface, "first_frame_ns") / 1e9);
        put_times(out, surface);
    }
    if (json_array_size(surfaces) > shown)
        pp_html_elementf(
            out, "p",
            "%zu more surfaces have a small part of the frames and of the GPU time; they are not shown.",
            json_array_size(surfaces) - shown);
    double cost = pp_html_number(data, "report.own_cost.percent");
    if (isfinite(cost))
        pp_html_elementf(out, "p", "Measuring cost %.2g %% of frame time.", cost);
}

static void
put_slow_frame(FILE *out, size_t index, const json_t *frame, const struct pp_time_unit *unit)
{
    const json_t *texts = json_object_get(frame, "texts");
    double number = pp_html_number(frame, "frame");
    pp_html_raw(out, "<tr>");
    pp_html_raw(out, "<td class=\"n frame\" data-surface=\"");
    pp_html_textf(out, "%zu", index);
    pp_html_raw(out, "\" data-frame=\"");
    pp_html_textf(out, "%.0f", number);
    pp_html_raw(out, "\">");
    pp_html_textf(out, "%.0f", number);
    pp_html_raw(out, "</td>");
    pp_html_put_fixed(out, pp_html_number(frame, "at_s"), 2);
    pp_html_put_time(out, pp_html_number(frame, "frame_time_ns"), unit);
    pp_html_put_time(out, pp_html_number(frame, "usual_ns"), unit);
    pp_html_raw(out, "<td><ul>");
    for (size_t i = 0; i < json_array_size(texts); i++)
        pp_html_element(out, "li", json_string_value(json_array_get(texts, i)));
    pp_html_raw(out, "</ul></td></tr>\n");
}

void
pp_html_put_slow(FILE *out, const json_t *data)
{
    static const char *const heads[] = {"frame", "at s", "frame time, ", "usually, ", "<because", NULL};
    const json_t *surfaces = list_of(data, "surfaces");
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(surfaces); i++) {
        const json_t *surface = json_array_get(surfaces, i), *slow = json_object_get(surface, "slow_frames");
        if (!json_array_size(slow))
            continue;
        const struct pp_time_unit *unit =
            pp_time_unit_for(pp_html_number(json_array_get(slow, 0), "frame_time_ns"));
        found++;
        pp_html_elementf(out, "p", "%s, %s", pp_html_string(surface, "surface"),
                         pp_html_string(surface, "slow_frames_title"));
        pp_html_begin_table(out, "Slow frames and their causes", heads, unit->name);
        for (size_t k = 0; k < json_array_size(slow); k++)
            put_slow_frame(out, i, json_array_get(slow, k), unit);
        pp_html_end_table(out);
    }
    if (!found)
        pp_html_element(out, "p", "No frame was much longer than the frames around it.");
}

/* Write the rows of a table of passes or label regions, the first of which costs most. */
static void
put_rows(FILE *out, const char *caption, const struct pp_columns *columns, const json_t *rows)
{
    double largest = pp_html_number(json_array_get(rows, 0), "gpu_ns_per_frame");
    const struct pp_time_unit *unit = pp_time_unit_for(isfinite(largest) ? largest : 0);
    pp_html_begin_columns(out, caption, NULL, columns, rows, unit);
    for (size_t i = 0; i < json_array_size(rows) && i < ROWS_MOST; i++) {
        pp_html_raw(out, "<tr>");
        pp_html_put_columns(out, columns, rows, json_array_get(rows, i), unit);
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

void
pp_html_put_passes(FILE *out, const json_t *data)
{
    const json_t *surfaces = list_of(data, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++) {
        const json_t *passes = json_object_get(json_array_get(surfaces, i), "passes");
        if (!json_array_size(passes))
            continue;
        put_rows(out, pp_html_string(json_array_get(surfaces, i), "surface"), &pp_pass_columns, passes);
        if (json_array_size(passes) > ROWS_MOST)
            pp_html_elementf(out, "p", PP_FORMAT_HTML_MORE, json_array_size(passes) - ROWS_MOST);
    }
    if (!json_array_size(json_object_get(json_array_get(surfaces, 0), "passes")))
        pp_html_element(out, "p", "No passes were measured: record with level pass or draw.");
}

void
pp_html_put_labels(FILE *out, const json_t *data)
{
    const json_t *labels = list_of(data, "labels");
    if (json_array_size(labels))
        put_rows(out, "Label regions by GPU time", &pp_label_columns, labels);
    else
        pp_html_element(out, "p", "The application named no label regions.");
}

void
pp_html_put_counters(FILE *out, const json_t *data)
{
    static const char *const heads[] = {"<counter", "mean of a frame", "<unit", "frames", NULL};
    const json_t *surfaces = list_of(data, "surfaces");
    char text[PP_FORMATTED_MAX];
    for (size_t i = 0; i < json_array_size(surfaces); i++) {
        const json_t *counters = json_object_get(json_array_get(surfaces, i), "counters");
        if (!json_array_size(counters))
            continue;
        pp_html_begin_table(out, pp_html_string(json_array_get(surfaces, i), "surface"), heads, NULL);
        for (size_t k = 0; k < json_array_size(counters); k++) {
            const json_t *counter = json_array_get(counters, k);
            pp_html_raw(out, "<tr>");
            pp_html_element(out, "td class=\"name\"", pp_html_string(counter, "name"));
            pp_html_element(out, "td class=\"n\"", pp_format_figure(text, pp_html_number(counter, "mean")));
            pp_html_element(out, "td", pp_html_string(counter, "unit"));
            pp_html_put_fixed(out, pp_html_number(counter, "frames"), 0);
            pp_html_raw(out, "</tr>\n");
        }
        pp_html_end_table(out);
    }
}
