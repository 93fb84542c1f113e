/** @file
 * See diff_cells.h. */
#include "cli/print/diff_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare/limit_check.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

const char *
pp_diff_cell_frame(const char *name)
{
    static const struct {
        const char *name, *title;
    } of[] = {
        {"fps", "FPS"},
        {"low_1_percent_fps", "1% low, FPS"},
        {"frame_time", PP_TEXT_TIME_FRAME},
        {"gpu_time", PP_TEXT_BY_GPU_TIME},
        {"gpu_busy", PP_TEXT_TIME_GPU_BUSY},
        {"cpu_busy", PP_TEXT_TIME_CPU_BUSY},
        {"draws", "draws"},
        {"dispatches", "dispatches"},
        {"copies", "copies"},
        {"passes", "passes new or gone"},
        {"slow_frames", "slow frames a minute"},
        {"pipelines_created", "pipelines created"},
        {"pipeline_create", "creation time"},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(of); i++)
        if (strcmp(name, of[i].name) == 0)
            return of[i].title;
    return name;
}

const char *
pp_diff_cell_title(char *text, size_t size, const struct pp_diff_row *row)
{
    if (row->kind == PP_DIFF_FRAME)
        snprintf(text, size, "%s%s%s", pp_diff_cell_frame(row->name), row->stat == PP_DIFF_TOTAL ? "" : " ",
                 row->stat == PP_DIFF_TOTAL ? "" : pp_diff_stat_name(row->stat));
    else if (row->kind == PP_DIFF_REST)
        snprintf(text, size, "%s", "overlaps and gaps");
    else
        pp_format_unescaped(text, size, row->name);
    return text;
}

const char *
pp_diff_cell_table(enum pp_diff_kind kind)
{
    static const char *const title[PP_DIFF_KINDS] = {[PP_DIFF_FRAME] = "frames",
                                                     [PP_DIFF_PASS] = "passes",
                                                     [PP_DIFF_REST] = "passes",
                                                     [PP_DIFF_LABEL] = "label regions",
                                                     [PP_DIFF_DRAWS] = "draws by program",
                                                     [PP_DIFF_COUNTER] = "counters",
                                                     [PP_DIFF_METRIC] = "metrics"};
    return title[kind];
}

const char *
pp_diff_cell_value(char text[PP_FORMATTED_MAX], enum pp_diff_unit unit, double value)
{
    char less[PP_FORMATTED_MAX];
    if (!isfinite(value))
        snprintf(text, PP_FORMATTED_MAX, "-");
    else if (unit == PP_DIFF_NS)
        snprintf(text, PP_FORMATTED_MAX, "%s%.40s", value < 0 ? "-" : "",
                 pp_format_duration(less, fabs(value)));
    else if (unit == PP_DIFF_COUNT)
        pp_format_figure(text, value);
    else
        pp_format_fixed(text, value, 1);
    return text;
}

const char *
pp_diff_cell_percent(char text[PP_FORMATTED_MAX], double percent)
{
    if (!isfinite(percent))
        return "";
    if (fabs(percent) >= 9999.5)
        snprintf(text, PP_FORMATTED_MAX, "x%.3g", percent / 100 + 1);
    else
        snprintf(text, PP_FORMATTED_MAX, "%+.*f", fabs(percent) >= 99.95 ? 0 : 1,
                 fabs(percent) < 0.05 ? 0.0 : percent); /* no "-0.0" */
    return text;
}

const char *
pp_diff_cell_sign(const char *percent)
{
    return *percent == '+' || *percent == '-' ? " %" : "";
}

static const char *
range(char text[PP_DIFF_CELL_MAX], double low_percent, double high_percent)
{
    char low[PP_FORMATTED_MAX], high[PP_FORMATTED_MAX];
    text[0] = '\0';
    if (isfinite(low_percent) && isfinite(high_percent))
        snprintf(text, PP_DIFF_CELL_MAX, "%.40s .. %.40s", pp_diff_cell_percent(low, low_percent),
                 pp_diff_cell_percent(high, high_percent));
    return text;
}

const char *
pp_diff_cell_range(char text[PP_DIFF_CELL_MAX], const struct pp_diff_row *row)
{
    return range(text, row->low_percent, row->high_percent);
}

const char *
pp_diff_cell_verdict(char text[PP_FORMATTED_MAX], const struct pp_diff_row *row)
{
    static const char *const word[PP_DIFF_VERDICTS] = {
        [PP_DIFF_FASTER] = "faster",    [PP_DIFF_SLOWER] = "slower",
        [PP_DIFF_SAME] = "same",        [PP_DIFF_UNCLEAR] = "unclear",
        [PP_DIFF_NEW] = "new",          [PP_DIFF_GONE] = "gone",
        [PP_DIFF_FEW_RUNS] = "unclear", [PP_DIFF_EQUAL] = "same",
        [PP_DIFF_CHANGED] = "changed",  [PP_DIFF_MISSING] = "on one side only",
        [PP_DIFF_NO_VERDICT] = ""};
    bool claims = row->verdict == PP_DIFF_FASTER || row->verdict == PP_DIFF_SLOWER;
    char by[PP_FORMATTED_MAX];
    if (row->relative) {
        const char *percent = pp_diff_cell_percent(by, row->relative_percent);
        snprintf(text, PP_FORMATTED_MAX, "%s (relative %.20s%s)", word[row->verdict], percent,
                 pp_diff_cell_sign(percent));
        return text;
    }
    snprintf(text, PP_FORMATTED_MAX, "%s%s", word[row->verdict],
             claims && row->interval_of_frames ? "?" : "");
    if (row->verdict == PP_DIFF_UNCLEAR && row->runs_needed)
        pp_format_append(text, PP_FORMATTED_MAX, " (%zu%s)", row->runs_needed,
                         row->runs_needed >= PP_RUNS_NEEDED_MOST ? "+" : "");
    return text;
}

const char *
pp_diff_cell_limit(const struct pp_diff_row *row)
{
    return row->limit == PP_LIMIT_FAILED    ? "above limit"
           : row->limit == PP_LIMIT_UNCLEAR ? "perhaps above limit"
                                            : "";
}

/* Append what a pass changed relative to the others, and the smallest change that its runs show. */
static void
append_rest(char *text, size_t size, const struct pp_diff_row *row)
{
    char by[PP_FORMATTED_MAX], interval[PP_DIFF_CELL_MAX];
    double visible = row->relative ? row->relative_visible_percent : row->visible_percent;
    if (row->relative) {
        const char *percent = pp_diff_cell_percent(by, row->relative_percent);
        pp_format_append(text, size, ", relative to the other passes %s%s (%s)", percent,
                         pp_diff_cell_sign(percent),
                         range(interval, row->relative_low_percent, row->relative_high_percent));
    }
    if (isfinite(visible))
        pp_format_append(text, size, "; smallest visible change %.1f %%", visible);
}

/* "16.7 ms -> 17.9 ms". */
static void
from_to(char *text, size_t size, const struct pp_diff_row *row)
{
    char from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX];
    snprintf(text, size, "%s -> %s", pp_diff_cell_value(from, row->unit, row->old_value),
             pp_diff_cell_value(to, row->unit, row->new_value));
}

/* A difference with its sign and three digits, in the unit of a limit; whole numbers as they are. */
static const char *
signed_amount(char text[PP_FORMATTED_MAX], double difference, const struct pp_limit *limit)
{
    char number[PP_FORMATTED_MAX];
    double amount = fabs(difference / limit->unit_size);
    if (amount >= 99.95 || floor(amount) >= amount)
        pp_format_figure(number, amount);
    else
        pp_format_fixed(number, amount, amount >= 9.995 ? 1 : amount >= 0.9995 ? 2 : 3);
    snprintf(text, PP_FORMATTED_MAX, "%s%.40s", difference < 0 ? "-" : "+", number);
    return text;
}

const char *
pp_diff_cell_change_as(char *text, size_t size, const struct pp_diff_row *row, const struct pp_limit *limit)
{
    char by[PP_FORMATTED_MAX], low[PP_FORMATTED_MAX], high[PP_FORMATTED_MAX];
    const double percent = row->old_value / 100;
    if (limit->relative)
        return pp_diff_cell_change(text, size, row);
    from_to(text, size, row);
    if (isfinite(row->change))
        pp_format_append(text, size, ", %s%s%s", signed_amount(by, row->change, limit),
                         *limit->unit ? " " : "", limit->unit);
    if (isfinite(row->low_percent * percent) && isfinite(row->high_percent * percent))
        pp_format_append(text, size, " (%s .. %s)", signed_amount(low, row->low_percent * percent, limit),
                         signed_amount(high, row->high_percent * percent, limit));
    append_rest(text, size, row);
    return text;
}

const char *
pp_diff_cell_change(char *text, size_t size, const struct pp_diff_row *row)
{
    char by[PP_FORMATTED_MAX], interval[PP_DIFF_CELL_MAX];
    from_to(text, size, row);
    if (isfinite(row->percent)) {
        const char *percent = pp_diff_cell_percent(by, row->percent);
        pp_format_append(text, size, ", %s%s", percent, pp_diff_cell_sign(percent));
    }
    if (*pp_diff_cell_range(interval, row))
        pp_format_append(text, size, " (%s)", interval);
    append_rest(text, size, row);
    return text;
}

/* The rows that decide and whose runs show the smallest and the largest change last; NULL: none is known. */
struct visible_rows {
    const struct pp_diff_row *least, *most;
    double relative_least, relative_most; /* relative to the other passes; percent; NaN: not known */
};

static void
take_visible(struct visible_rows *rows, const struct pp_diff_row *row)
{
    if (!row->decides || !isfinite(row->visible_percent))
        return;
    rows->relative_least = fmin(rows->relative_least, row->relative_visible_percent); /* ignores NaN */
    rows->relative_most = fmax(rows->relative_most, row->relative_visible_percent);
    if (!rows->least || row->visible_percent < rows->least->visible_percent)
        rows->least = row;
    if (!rows->most || row->visible_percent > rows->most->visible_percent)
        rows->most = row;
}

const char *
pp_diff_cell_visible(char text[PP_DIFF_VISIBLE_MOST], const struct pp_diff *diff)
{
    struct visible_rows passes = {.relative_least = (double)NAN, .relative_most = (double)NAN};
    char title[256], name[128];
    text[0] = '\0';
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++) {
            const struct pp_diff_row *row = &diff->part[p].row[i];
            if (row->kind == PP_DIFF_PASS)
                take_visible(&passes, row);
            else if (p == 0 && row->kind == PP_DIFF_FRAME && row->decides && isfinite(row->visible_percent))
                pp_format_append(text, PP_DIFF_VISIBLE_MOST, "%s%s %.1f %%",
                                 *text ? ", "
                                       : "Smallest change that these runs show (in 80 of 100 comparisons): ",
                                 pp_diff_cell_title(title, sizeof(title), row), row->visible_percent);
        }
    if (passes.least && *text)
        pp_format_append(text, PP_DIFF_VISIBLE_MOST, ", passes %.1f %%", passes.least->visible_percent);
    if (passes.least && *text && passes.most != passes.least)
        pp_format_append(
            text, PP_DIFF_VISIBLE_MOST, " to %.1f %% (%s)", passes.most->visible_percent,
            pp_format_name(name, sizeof(name), pp_diff_cell_title(title, sizeof(title), passes.most), 40));
    if (*text && isfinite(passes.relative_most) && passes.relative_most > passes.relative_least)
        pp_format_append(text, PP_DIFF_VISIBLE_MOST, "; of one pass relative to the others %.1f to %.1f %%",
                         passes.relative_least, passes.relative_most);
    else if (*text && isfinite(passes.relative_most))
        pp_format_append(text, PP_DIFF_VISIBLE_MOST, "; of one pass relative to the others %.1f %%",
                         passes.relative_most);
    return text;
}

const char *
pp_diff_cell_tags(const struct pp_diff_side *side, char *text, size_t size)
{
    const char *key = NULL;
    json_t *value = NULL;
    size_t used = 0;
    text[0] = '\0';
    json_object_foreach((json_t *)(uintptr_t)side->run[0].tags, key, value)
    {
        bool same = true;
        for (size_t i = 1; i < side->runs; i++)
            same = same && json_equal(value, json_object_get(side->run[i].tags, key));
        int written = snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", key,
                               same && json_is_string(value) ? json_string_value(value) : "...");
        used += written > 0 ? (size_t)written : 0;
        if (used >= size) /* cut off */
            break;
    }
    return text;
}
