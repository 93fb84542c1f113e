/** @file
 * See html_strip.h. Attributes hold the
 * look, because the page's policy forbids styles in elements; classes take colours from page.css. */
#include <math.h>
#include <stdlib.h>

#include "cli/html/html_figures.h"
#include "cli/html/html_out.h"
#include "cli/html/html_strip.h"
#include "pp_texts.h"

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

void
pp_html_put_strip(FILE *out, const json_t *data)
{
    const json_t *surfaces = pp_html_value(data, "report.surfaces"),
                 *frames = json_object_get(data, "frames");
    for (size_t i = 0; i < json_array_size(frames); i++)
        if (json_array_size(json_object_get(json_array_get(frames, i), "frame_time_ns")))
            put_picture(out, json_array_get(surfaces, i), json_array_get(frames, i));
    if (!json_array_size(frames))
        pp_html_element(out, "p", PP_TEXT_HTML_NO_FPS);
}
