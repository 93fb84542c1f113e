/** @file
 * See top.h. */
#include "cli/top/top.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "cli/text/format.h"
#include "pp_texts.h"

/* Lines above the table, its heading included, and the line of keys below it. */
#define HEAD_LINES  4U
#define FOOT_LINES  1U

#define LEAST_NAME  8U  /* columns of the application's name, and of a pass's name before its place */
#define FIGURES     33U /* columns of a row in front of its title */
#define BAR_COLUMNS 12U
#define LEAST_TITLE 24U /* columns of a title that has a bar after it */
#define LEAST_SLOTS 8U
#define EIGHTHS     8U

static const char *const level[] = {
    [PP_SAVED_FRAME] = "frame", [PP_SAVED_PASS] = "pass", [PP_SAVED_DRAW] = "draw"};

size_t
pp_top_lines_rows(size_t lines)
{
    return lines > HEAD_LINES + FOOT_LINES ? lines - HEAD_LINES - FOOT_LINES : 0;
}

/* The first line: the application, its rate and frame times. */
static void
write_head(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *line)
{
    char name[4 * PP_TOP_COLUMNS_MAX + 4], rest[256] = "", fps[PP_FORMATTED_MAX];
    char p99[PP_FORMATTED_MAX], max[PP_FORMATTED_MAX];
    if (look->pid)
        pp_format_append(rest, sizeof(rest), " (pid %ld)", look->pid);
    if (view->frames)
        pp_format_append(rest, sizeof(rest), "  " PP_FORMAT_TOP_HEAD, pp_format_fixed(fps, view->fps, 1),
                         pp_format_fixed(p99, view->p99_ns / 1e6, 1),
                         pp_format_fixed(max, view->max_ns / 1e6, 1));
    if (view->frames && view->bound_by < PP_VERDICT_NONE)
        pp_format_append(rest, sizeof(rest), "  " PP_FORMAT_TOP_BOUND, pp_saved_verdict_name(view->bound_by),
                         view->bound_percent);
    else if (view->frames)
        pp_format_append(rest, sizeof(rest), "  %s", PP_TEXT_TOP_BOUND_NONE);
    size_t left = pp_format_left(look->columns, pp_format_width(rest), LEAST_NAME);
    snprintf(line->text, sizeof(line->text), "%s%s",
             pp_format_middle(name, sizeof(name), look->application, left), rest);
    line->style = PP_TOP_BOLD;
}

/* Write the row of bars: one for each of the last parts of the window, as high as its longest frame. */
static void
write_slots(const struct pp_live_view *view, size_t slots, bool utf8, char *text, size_t size)
{
    static const char *const block[EIGHTHS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                               "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const ascii[EIGHTHS] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double most = 0;
    text[0] = '\0';
    for (size_t i = PP_LIVE_SLOTS - slots; i < PP_LIVE_SLOTS; i++)
        most = fmax(most, view->slot_ns[i]);
    for (size_t i = PP_LIVE_SLOTS - slots; i < PP_LIVE_SLOTS; i++) {
        bool known = view->slot_ns[i] > 0;
        size_t height = known ? (size_t)ceil(view->slot_ns[i] / most * EIGHTHS) : 1;
        pp_format_append(text, size, "%s", !known ? " " : utf8 ? block[height - 1] : ascii[height - 1]);
    }
}

/* Write the levels of the frames: "pass", or "frame+pass". */
static const char *
write_levels(const struct pp_live_view *view, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        if (view->has_level[i])
            pp_format_append(text, size, "%s%s", *text ? "+" : "", level[i]);
    return text;
}

/* The second line: which frames the figures describe, and the row of bars. */
static void
write_window(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *line)
{
    char count[PP_FORMATTED_MAX], levels[32];
    if (!view->frames) {
        snprintf(line->text, sizeof(line->text), "%s", PP_TEXT_TOP_NO_FRAMES);
        return;
    }
    snprintf(line->text, sizeof(line->text), PP_FORMAT_TOP_WINDOW, view->window_ns / 1e9,
             pp_format_count(count, (double)view->frames, 0),
             pp_format_noun((double)view->frames, "frame", "frames"),
             write_levels(view, levels, sizeof(levels)));
    if (look->software)
        pp_format_append(line->text, sizeof(line->text), ", software driver");
    size_t left = pp_format_left(look->columns, pp_format_width(line->text) + 2, 0);
    size_t slots = left < PP_LIVE_SLOTS ? left : PP_LIVE_SLOTS;
    if (slots < LEAST_SLOTS)
        return;
    write_slots(view, slots, look->utf8, line->chart, sizeof(line->chart));
    line->chart_column = look->columns - slots;
}

/* The third line: what happened, what the figures leave out, and why rows have none. */
static void
write_notice(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *line)
{
    static const char *const rows[] = {[PP_LIVE_BY_PASS] = "passes",
                                       [PP_LIVE_BY_LABEL] = "label regions",
                                       [PP_LIVE_BY_PROGRAM] = "shader programs"};
    static const char *const why_none[] = {[PP_LIVE_BY_PASS] = PP_TEXT_TOP_UNTIMED_PASS,
                                           [PP_LIVE_BY_LABEL] = PP_TEXT_TOP_UNTIMED_LABEL,
                                           [PP_LIVE_BY_PROGRAM] = PP_TEXT_TOP_UNTIMED_PROGRAM};
    snprintf(line->text, sizeof(line->text), "%s", look->notice);
    line->style = *look->notice ? PP_TOP_WARNING : PP_TOP_PLAIN;
    const char *join = *look->notice ? "; " : "";
    if (view->grouped_frames && view->grouped_frames < view->frames)
        pp_format_append(line->text, sizeof(line->text), "%s" PP_FORMAT_TOP_SOME, join, rows[look->by],
                         view->grouped_frames, view->frames);
    else if (view->surfaces > 1)
        pp_format_append(line->text, sizeof(line->text), "%s" PP_FORMAT_TOP_SURFACES, join, view->surfaces);
    bool untimed = false;
    for (size_t i = 0; i < view->groups; i++)
        untimed |= isnan(view->group[i].frame_ns);
    if (untimed)
        pp_format_append(line->text, sizeof(line->text), "%s%s", *line->text ? "; " : "", why_none[look->by]);
}

/* The unit of the table's times. */
static const struct pp_time_unit *
unit_of(const struct pp_live_view *view)
{
    double most = 0;
    for (size_t i = 0; i < view->groups; i++)
        most = fmax(most, view->group[i].frame_ns);
    return pp_time_unit_for(most);
}

/* The heading of the table; the column by which it is sorted has a '*'. */
static void
write_heading(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *line)
{
    static const char *const by[] = {
        [PP_LIVE_BY_PASS] = "pass", [PP_LIVE_BY_LABEL] = "label", [PP_LIVE_BY_PROGRAM] = "shader program"};
    char time[16];
    snprintf(time, sizeof(time), "%s/frame%s", unit_of(view)->name,
             look->sort == PP_LIVE_SORT_TIME ? "*" : "");
    snprintf(line->text, sizeof(line->text), "%6s %9s %7s %7s  %s%s", "GPU %", time,
             look->sort == PP_LIVE_SORT_P95 ? "p95*" : "p95",
             look->sort == PP_LIVE_SORT_DRAWS ? "draws*" : "draws", by[look->by],
             look->sort == PP_LIVE_SORT_NAME ? "*" : "");
    size_t used = strlen(line->text); /* the reverse style goes on to the end of the line */
    if (used < look->columns && look->columns < sizeof(line->text))
        snprintf(line->text + used, sizeof(line->text) - used, "%*s", (int)(look->columns - used), "");
    line->style = PP_TOP_REVERSE;
}

/* Write a bar. @param text 4 * BAR_COLUMNS bytes at least. */
static void
write_bar(double percent, bool utf8, char *text, size_t size)
{
    static const char *const part[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                              "\u258c", "\u258b", "\u258a", "\u2589"};
    text[0] = '\0';
    if (!(percent > 0))
        return;
    size_t eighths = (size_t)(fmin(percent, 100) / 100 * BAR_COLUMNS * EIGHTHS + 0.5);
    if (!utf8)
        eighths = (eighths + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
    for (size_t i = 0; i < eighths / EIGHTHS; i++)
        pp_format_append(text, size, "%s", utf8 ? "\u2588" : "#");
    pp_format_append(text, size, "%s", part[eighths % EIGHTHS]);
}

/* A row of the table. */
static void
write_row(const struct pp_live_group *group, const struct pp_time_unit *unit, const struct pp_top_look *look,
          struct pp_top_line *line)
{
    char share[PP_FORMATTED_MAX], time[PP_FORMATTED_MAX], p95[PP_FORMATTED_MAX],
        draws[PP_FORMATTED_MAX] = "-";
    char title[4 * PP_TOP_COLUMNS_MAX + 4];
    size_t left = pp_format_left(look->columns, FIGURES, 1);
    bool bar = left >= LEAST_TITLE + 2 + BAR_COLUMNS;
    if (bar)
        left -= 2 + BAR_COLUMNS;
    if (isfinite(group->draws))
        pp_format_count(draws, group->draws,
                        group->draws < 100 && group->draws != floor(group->draws) ? 1 : 0);
    snprintf(line->text, sizeof(line->text), "%6s %9s %7s %7s  %s",
             pp_format_fixed(share, group->share_percent, 1), pp_format_time(time, group->frame_ns, unit),
             pp_format_time(p95, group->p95_ns, unit), draws,
             pp_format_words(title, sizeof(title), group->title,
                             pp_format_left(left, strlen(group->which), LEAST_NAME)));
    pp_format_append(line->text, sizeof(line->text), "%s", group->which);
    if (bar)
        write_bar(group->share_percent, look->utf8, line->chart, sizeof(line->chart));
    line->chart_column = look->columns - BAR_COLUMNS;
}

/* Why the table is empty. */
static const char *
no_rows(const struct pp_live_view *view, enum pp_live_by by)
{
    if (!view->frames)
        return "";
    if (by == PP_LIVE_BY_PROGRAM)
        return PP_TEXT_TOP_NONE_PROGRAM;
    return by == PP_LIVE_BY_LABEL ? PP_TEXT_TOP_NONE_LABEL : PP_TEXT_TOP_NONE_PASS;
}

/* The table. @param line As many as it has. @param n Lines. */
static void
write_table(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *line,
            size_t n)
{
    const struct pp_time_unit *unit = unit_of(view);
    size_t first = look->scroll < view->groups ? look->scroll : view->groups;
    size_t shown = view->groups - first;
    if (shown > n)
        shown = n ? n - 1 : 0;
    for (size_t i = 0; i < shown; i++)
        write_row(&view->group[first + i], unit, look, &line[i]);
    size_t more = view->groups - first - shown;
    if (n && more)
        snprintf(line[shown].text, sizeof(line->text), PP_FORMAT_TOP_MORE, more);
    if (n && !view->groups)
        snprintf(line[0].text, sizeof(line->text), "%s", no_rows(view, look->by));
}

/* The help, a line of the text for each line. */
static void
write_help(struct pp_top_line *line, size_t n)
{
    const char *text = PP_TEXT_TOP_HELP;
    for (size_t i = 0; i < n && *text; i++) {
        size_t len = strcspn(text, "\n");
        snprintf(line[i].text, sizeof(line->text), "%.*s", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

/* Make a line fit the screen and its characters. */
static void
fit(struct pp_top_line *line, const struct pp_top_look *look)
{
    char text[sizeof(line->text)];
    size_t len = 0;
    for (const char *c = line->text; *c; c++) {
        unsigned byte = (unsigned char)*c;
        if (look->utf8 || byte < 0x80)
            text[len++] = *c;
        else if (byte >= 0xC0) /* the first byte of a character */
            text[len++] = '?';
    }
    text[len] = '\0';
    pp_format_name(line->text, sizeof(line->text), text, look->columns);
    if (line->chart_column > look->columns)
        line->chart[0] = '\0';
}

size_t
pp_top_lines_make(const struct pp_live_view *view, const struct pp_top_look *look, struct pp_top_line *ret)
{
    struct pp_top_look bounded = *look;
    bounded.columns = look->columns < PP_TOP_COLUMNS_MAX ? look->columns : PP_TOP_COLUMNS_MAX;
    size_t n = look->lines < PP_TOP_LINES_MAX ? look->lines : PP_TOP_LINES_MAX;
    struct pp_top_line head[HEAD_LINES];
    memset(head, 0, sizeof(head));
    memset(ret, 0, n * sizeof(*ret));
    write_head(view, &bounded, &head[0]);
    write_window(view, &bounded, &head[1]);
    write_notice(view, &bounded, &head[2]);
    write_heading(view, &bounded, &head[3]);
    size_t rows = pp_top_lines_rows(n);
    for (size_t i = 0; i < HEAD_LINES && i < n; i++)
        ret[i] = head[i];
    if (look->help && rows)
        write_help(ret + HEAD_LINES, rows);
    else if (rows)
        write_table(view, &bounded, ret + HEAD_LINES, rows);
    if (n > HEAD_LINES) {
        snprintf(ret[n - 1].text, sizeof(ret->text), "%s", PP_TEXT_TOP_KEYS);
        ret[n - 1].style = PP_TOP_BOLD;
    }
    for (size_t i = 0; i < n; i++)
        fit(&ret[i], &bounded);
    return n;
}
