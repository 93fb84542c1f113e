/** @file
 * See html_page.h. The page without its session is page.html. */
#include "cli/html/html_page.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/pass_table.h"
#include "cli/analysis/summary.h"
#include "cli/html/html_out.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Write each event that is missing, by reason. */
static void
put_events(FILE *out, const json_t *missing)
{
    static const char *const heads[] = {"<not measured", "events", "<why", NULL};
    pp_html_begin_table(out, "Events that were not measured", heads, NULL);
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *row = json_array_get(missing, i);
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "td class=\"name\"", pp_html_string(row, "event"));
        pp_html_put_fixed(out, pp_html_number(row, "events"), 0);
        pp_html_element(out, "td", pp_html_string(row, "reason"));
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

/* Write which cells of the files are empty. */
static void
put_empty_cells(FILE *out, const json_t *empty)
{
    static const char *const heads[] = {"<file", "<columns", "<why cells are empty", NULL};
    if (!json_array_size(empty))
        return;
    pp_html_begin_table(out, "Empty cells of the session's files", heads, NULL);
    for (size_t i = 0; i < json_array_size(empty); i++) {
        const json_t *row = json_array_get(empty, i), *columns = json_object_get(row, "columns");
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "td class=\"name\"", pp_html_string(row, "file"));
        pp_html_raw(out, "<td class=\"name\">");
        for (size_t k = 0; k < json_array_size(columns); k++)
            pp_html_textf(out, k ? ", %s" : "%s", json_string_value(json_array_get(columns, k)));
        pp_html_raw(out, "</td>");
        pp_html_element(out, "td", pp_html_string(row, "reason"));
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

/* Write what was lost. */
static void
put_losses(FILE *out, const json_t *losses)
{
    size_t lost = json_array_size(losses);
    if (!lost) {
        pp_html_element(out, "p", "Nothing was lost.");
        return;
    }
    pp_html_raw(out, "<ul class=\"warning\">");
    for (size_t i = 0; i < lost; i++)
        pp_html_element(out, "li", json_string_value(json_array_get(losses, i)));
    pp_html_raw(out, "</ul>");
}

/* Write what was not measured, with the reasons, what was lost, and what measuring cost. */
static void
html_put_missing(FILE *out, const json_t *data)
{
    const json_t *missing = pp_html_value(data, "report.not_measured");
    if (json_array_size(missing))
        put_events(out, missing);
    else
        pp_html_element(out, "p", "All events that were asked for were measured.");
    put_losses(out, pp_html_value(data, "report.losses"));
    put_empty_cells(out, json_object_get(data, "empty_cells"));
}

/* Write a device with its driver and what measuring changed. */
static void
put_device(FILE *out, const json_t *device)
{
    const json_t *notes = json_object_get(device, "notes");
    pp_html_put_fact(out, "GPU", pp_html_string(device, "name"));
    pp_html_put_fact(out, "driver", pp_html_string(device, "driver"));
    pp_html_put_fact(out, "API", pp_html_string(device, "api_version"));
    for (size_t i = 0; i < json_array_size(notes); i++)
        pp_html_put_fact(out, "note", json_string_value(json_array_get(notes, i)));
}

/* Write machine, driver and options. */
static void
html_put_machine(FILE *out, const json_t *data)
{
    static const char *const fact[][2] = {
        {"session", "report.session"},         {"executable", "report.program.executable"},
        {"start", "report.program.start"},     {"ended", "report.ended"},
        {"recorded by", "report.recorded_by"}, {"host", "report.host.name"},
        {"kernel", "report.host.kernel"},      {"system", "report.host.os"},
        {"processor", "report.host.cpu"},      {"level", "report.options.level"},
        {"events", "report.options.events"},   {"frame on", "report.options.frame_on"}};
    const json_t *devices = json_object_get(data, "devices");
    pp_html_raw(out, "<dl class=\"facts\">");
    for (size_t i = 0; i < PP_ARRAY_SIZE(fact); i++)
        pp_html_put_fact(out, fact[i][0], pp_html_string(data, fact[i][1]));
    for (size_t i = 0; i < json_array_size(devices); i++)
        put_device(out, json_array_get(devices, i));
    if (json_is_true(pp_html_value(data, "report.options.serialize")))
        pp_html_put_fact(out, "serialize",
                         "Passes ran one after another (--serialize): frame times are not those of the "
                         "application alone.");
    pp_html_raw(out, "</dl>");
}

#define WIDTH   1000U
#define HEIGHT  160U
#define COLUMNS 500U /* most columns of the picture: each shows the longest of its frames */
#define TOP     1.1  /* of the picture, as a part of the largest value that is shown whole */

/* The longest frame of each column. */
struct columns {
    size_t len;
    double time[COLUMNS]; /* 0: no frame */
    char verdict[COLUMNS];
};

static void
fill_columns(struct columns *ret, const json_t *frames)
{
    const json_t *time = json_object_get(frames, "frame_time_ns"), *at = json_object_get(frames, "frame");
    const char *verdict = pp_html_string(frames, "verdict");
    size_t len = json_array_size(time);
    double first = json_number_value(json_array_get(at, 0));
    double range = len ? json_number_value(json_array_get(at, len - 1)) - first + 1 : 1;
    ret->len = range < COLUMNS ? (size_t)range : COLUMNS;
    for (size_t i = 0; i < len; i++) {
        size_t column =
            (size_t)((json_number_value(json_array_get(at, i)) - first) * (double)ret->len / range);
        double value = json_number_value(json_array_get(time, i));
        if (column < ret->len && value > ret->time[column]) {
            ret->time[column] = value;
            ret->verdict[column] = verdict[i];
        }
    }
}

static void
put_line(FILE *out, double ns, double most)
{
    char text[PP_FORMATTED_MAX];
    double y = HEIGHT * (1 - ns / most);
    if (y < 0)
        return;
    snprintf(text, sizeof(text), "%.1f", y);
    pp_html_raw(out, "<line class=\"median\" x1=\"0\" x2=\"1000\" y1=\"");
    pp_html_text(out, text);
    pp_html_raw(out, "\" y2=\"");
    pp_html_text(out, text);
    pp_html_raw(out, "\"/>");
}

static void
put_picture(FILE *out, const json_t *surface, const json_t *frames)
{
    struct columns *columns = calloc(1, sizeof(*columns));
    double median = pp_html_number(surface, "times.frame_time.p50_ns"), most = 0;
    char word[PP_FORMATTED_MAX], worst[PP_FORMATTED_MAX], bar[160];
    if (!columns)
        return;
    fill_columns(columns, frames);
    for (size_t i = 0; i < columns->len; i++)
        most = fmax(most, columns->time[i]);
    most *= TOP;
    pp_html_raw(
        out,
        "<figure><svg class=\"strip\" role=\"img\" viewBox=\"0 0 1000 160\" preserveAspectRatio=\"none\" "
        "aria-label=\"");
    pp_html_textf(out, PP_FORMAT_HTML_STRIP, pp_html_string(surface, "surface"),
                  pp_html_number(frames, "frames"), pp_format_duration(word, median),
                  pp_format_duration(worst, most / TOP));
    pp_html_raw(out, "\">");
    double width = (double)WIDTH / (double)columns->len;
    for (size_t i = 0; i < columns->len && most > 0; i++) {
        double height = HEIGHT * columns->time[i] / most;
        if (!(columns->time[i] > 0))
            continue;
        snprintf(bar, sizeof(bar),
                 "<rect class=\"v%c\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
                 columns->verdict[i] == '-' ? 'n' : columns->verdict[i], (double)i * width, HEIGHT - height,
                 width, height);
        pp_html_raw(out, bar);
    }
    if (most > 0)
        put_line(out, median, most);
    pp_html_raw(out, "</svg>");
    pp_html_elementf(out, "figcaption", PP_FORMAT_HTML_STRIP, pp_html_string(surface, "surface"),
                     pp_html_number(frames, "frames"), pp_format_duration(word, median),
                     pp_format_duration(worst, most / TOP));
    pp_html_raw(out, "</figure>\n");
    free(columns);
}

/* Write a picture of the frame times of each surface, as SVG. */
static void
html_put_strip(FILE *out, const json_t *data)
{
    const json_t *surfaces = pp_html_value(data, "report.surfaces"),
                 *frames = json_object_get(data, "frames");
    for (size_t i = 0; i < json_array_size(frames); i++)
        if (json_array_size(json_object_get(json_array_get(frames, i), "frame_time_ns")))
            put_picture(out, json_array_get(surfaces, i), json_array_get(frames, i));
    if (!json_array_size(frames))
        pp_html_element(out, "p", PP_TEXT_HTML_NO_FPS);
}

#define ROWS_MOST 30U

/* A member of the report as an array. */
static json_t *
list_of(const json_t *data, const char *path)
{
    return pp_html_value(pp_html_value(data, "report"), path);
}

/* Write the name of the session's application. */
static void
html_put_title(FILE *out, const json_t *data)
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

/* Write what was run, when and on what. */
static void
html_put_run(FILE *out, const json_t *data)
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

/* Write the verdict of each surface: rates, times, what bounds the frames. */
static void
html_put_verdict(FILE *out, const json_t *data)
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

/* Write the slow frames, the most expensive passes and label regions, the counters. */
static void
html_put_slow(FILE *out, const json_t *data)
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

static void
html_put_passes(FILE *out, const json_t *data)
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

static void
html_put_labels(FILE *out, const json_t *data)
{
    const json_t *labels = list_of(data, "labels");
    if (json_array_size(labels))
        put_rows(out, "Label regions by GPU time", &pp_label_columns, labels);
    else
        pp_html_element(out, "p", "The application named no label regions.");
}

static void
html_put_counters(FILE *out, const json_t *data)
{
    const json_t *surfaces = list_of(data, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++) {
        const json_t *counters = json_object_get(json_array_get(surfaces, i), "counters");
        if (!json_array_size(counters))
            continue;
        pp_html_begin_columns(out, pp_html_string(json_array_get(surfaces, i), "surface"), NULL,
                              &pp_counter_columns, NULL, NULL);
        for (size_t k = 0; k < json_array_size(counters); k++) {
            pp_html_raw(out, "<tr>");
            pp_html_put_columns(out, &pp_counter_columns, NULL, json_array_get(counters, k), NULL);
            pp_html_raw(out, "</tr>\n");
        }
        pp_html_end_table(out);
    }
}

int
pp_html_report_write(FILE *out, const json_t *data)
{
    static const struct pp_html_place place[] = {
        {"title", html_put_title},    {"run", html_put_run},           {"verdict", html_put_verdict},
        {"strip", html_put_strip},    {"slow", html_put_slow},         {"passes", html_put_passes},
        {"labels", html_put_labels},  {"counters", html_put_counters}, {"missing", html_put_missing},
        {"machine", html_put_machine}};
    return pp_html_template_write(out, pp_html_page, place, PP_ARRAY_SIZE(place), data);
}
