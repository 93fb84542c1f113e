/** @file
 * See diff_json.h. */
#include "cli/json/diff_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/print/diff_cells.h"
#include "cli/text/json_values.h"
#include "counters/util/array_size.h"

#define NAME_SIZE 2048 /* bytes of the name of a row */

/* A row that is written. */
struct written {
    struct pp_diff_row row;       /* a copy */
    const char *figure, *perhaps; /* NULL: null */
    json_t *counts;
    const char *surface; /* from here on only of the rows of limits */
    double worse;
    unsigned state;
};

/* docs/formats/diff.schema.json says what they are. */
#define ROW struct written
/* All rows, and those of limits. */
#define IN_BOTH (PP_IN_JSON | PP_IN_LIMITS)

/* `values` of choices are in the order of their enum. */
_Static_assert(PP_DIFF_FRAME == 0 && PP_DIFF_METRIC == 6 && PP_DIFF_KINDS == 7, "kinds");
_Static_assert(PP_DIFF_NS == 0 && PP_DIFF_COUNT == 2 && PP_DIFF_PER_MINUTE == 3, "units");
_Static_assert(PP_DIFF_P5 == 0 && PP_DIFF_TOTAL == 6 && PP_DIFF_STATS == 7, "statistics");
_Static_assert(PP_LIMIT_NOTHING == 0 && PP_LIMIT_FAILED == 3, "states of limits");

static const struct pp_table_column columns[] = {
    {PP_CELL(ROW, row.kind), .id = "kind", .in = IN_BOTH,
     .values = "frame|pass|rest|label|draws|counter|metric"},
    {PP_CELL(ROW, row.name), .id = "name", .in = IN_BOTH},
    {PP_CELL(ROW, row.id), .id = "id", .in = IN_BOTH},
    {PP_CELL(ROW, surface), .id = "surface", .in = PP_IN_LIMITS},
    {PP_CELL(ROW, row.unit), .id = "unit", .in = IN_BOTH, .values = "ns|fps||per_minute"},
    {PP_CELL(ROW, row.stat), .id = "stat", .in = IN_BOTH, .values = "p5|p50|mean|p95|p99|max|total"},
    {PP_CELL(ROW, row.old_value), .id = "old", .in = IN_BOTH},
    {PP_CELL(ROW, row.new_value), .id = "new", .in = IN_BOTH},
    {PP_CELL(ROW, worse), .id = "worse", .in = PP_IN_LIMITS},
    {PP_CELL(ROW, state), .id = "state", .in = PP_IN_LIMITS, .values = "nothing|passed|unclear|failed"},
    {PP_CELL(ROW, row.change), .id = "change", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.percent), .id = "percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.low_percent), .id = "low_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.high_percent), .id = "high_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.interval_of_frames), .id = "interval_of_frames", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.relative), .id = "relative", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.relative_percent), .id = "relative_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.relative_low_percent), .id = "relative_low_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.relative_high_percent), .id = "relative_high_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.relative_visible_percent), .id = "relative_visible_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.p), .id = "p", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.q), .id = "q", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.old_runs), .id = "old_runs", .in = PP_IN_JSON, .whole = true},
    {PP_CELL(ROW, row.new_runs), .id = "new_runs", .in = PP_IN_JSON, .whole = true},
    {PP_CELL(ROW, row.runs_needed), .id = "runs_needed", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.visible_percent), .id = "visible_percent", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.near_threshold), .id = "near_threshold", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.chosen), .id = "chosen", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.disturbed), .id = "disturbed", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.verdict), .id = "verdict", .in = PP_IN_JSON,
     .values = "faster|slower|same|unclear|new|gone|few_runs|equal|changed|missing|none"},
    {PP_CELL(ROW, row.decides), .id = "decides", .in = PP_IN_JSON},
    {PP_CELL(ROW, row.limit), .id = "limit", .in = PP_IN_JSON, .null = true,
     .values = "|passed|unclear|failed"},
    {PP_CELL(ROW, figure), .id = "figure", .in = PP_IN_JSON, .null = true},
    {PP_CELL(ROW, row.aligned), .id = "aligned", .in = PP_IN_JSON},
    {PP_CELL(ROW, perhaps), .id = "perhaps", .in = PP_IN_JSON, .null = true},
    {PP_CELL(ROW, counts), .id = "counts", .in = PP_IN_JSON, .schema = "counts", .whole = true},
};

const struct pp_columns pp_diff_columns = {"rows", "row", columns, PP_ARRAY_SIZE(columns), sizeof(ROW)};

static json_t *
counts_json(const struct pp_diff_row *row)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < row->counts; i++) {
        json_t *count = json_object();
        pp_json_put_text(count, "name", row->count[i].name);
        pp_json_put_number(count, "old", row->count[i].old_value);
        pp_json_put_number(count, "new", row->count[i].new_value);
        pp_json_append(ret, count);
    }
    return ret;
}

/* Add the texts of a row, as `diff` prints them. */
static void
put_texts(json_t *object, const struct pp_diff_row *row)
{
    char title[NAME_SIZE], text[PP_FORMATTED_MAX], range[PP_DIFF_CELL_MAX], interval[PP_DIFF_CELL_MAX + 2];
    bool within = row->interval_of_frames && *pp_diff_cell_range(range, row);
    snprintf(interval, sizeof(interval), within ? "(%s)" : "%s", pp_diff_cell_range(range, row));
    pp_json_put_text(object, "title", pp_diff_cell_title(title, sizeof(title), row));
    pp_json_put_text(object, "table", pp_diff_cell_table(row->kind));
    pp_json_put_text(object, "old_text", pp_diff_cell_value(text, row->unit, row->old_value));
    pp_json_put_text(object, "new_text", pp_diff_cell_value(text, row->unit, row->new_value));
    pp_json_put_text(object, "change_text", pp_diff_cell_percent(text, row->percent));
    pp_json_put_text(object, "interval_text", interval);
    pp_json_put_text(object, "verdict_text", pp_diff_cell_verdict(text, row));
    pp_json_put_text(object, "limit_text", pp_diff_cell_limit(row));
}

static json_t *
row_json(const struct pp_diff_part *part, const struct pp_diff_row *row, bool texts)
{
    bool renamed = row->renamed != PP_DIFF_NO_ROW;
    char *figure = pp_limit_figure_of(row);
    const struct written written = {.row = *row,
                                    .figure = figure,
                                    .perhaps = renamed ? part->row[row->renamed].name : NULL,
                                    .counts = counts_json(row)};
    json_t *ret = pp_columns_json(&pp_diff_columns, &written, PP_IN_JSON);
    if (texts)
        put_texts(ret, row);
    json_decref(written.counts);
    free(figure);
    return ret;
}

static json_t *
part_json(const struct pp_diff_part *part, bool texts)
{
    json_t *ret = json_object(), *rows = json_array();
    pp_json_put_text(ret, "api", part->old_surface->api);
    pp_json_put_text(ret, "device", part->old_surface->device);
    pp_json_put_text(ret, "surface", part->old_surface->surface);
    pp_json_put_number(ret, "old_gpu_ns", part->old_gpu_ns);
    pp_json_put_number(ret, "new_gpu_ns", part->new_gpu_ns);
    for (size_t i = 0; i < part->len; i++)
        pp_json_append(rows, row_json(part, &part->row[i], texts));
    pp_json_put(ret, "rows", rows);
    return ret;
}

static json_t *
side_json(const struct pp_diff_side *side, bool texts)
{
    char frames[PP_FORMATTED_MAX];
    json_t *ret = json_array();
    for (size_t i = 0; i < side->runs; i++) {
        const struct pp_run_figures *run = &side->run[i];
        json_t *one = json_object();
        pp_json_put_text(one, "session", run->name);
        pp_json_put_text(one, "start", run->start);
        pp_json_put_text(one, "executable", run->executable);
        pp_json_put_text(one, "host", run->host);
        pp_json_put(one, "tags", json_is_object(run->tags) ? json_deep_copy(run->tags) : json_object());
        pp_json_put_number(one, "frames", run->surface[0].frames);
        if (texts)
            pp_json_put_text(one, "frames_text",
                             pp_format_count(frames, fmax(0, run->surface[0].time[PP_TIME_FRAME].frames), 0));
        pp_json_append(ret, one);
    }
    return ret;
}

static json_t *
how_json(const struct pp_diff *diff)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "stat", pp_diff_stat_name(diff->options.stat));
    pp_json_put_text(ret, "metric", diff->options.metric);
    pp_json_put_number(ret, "threshold_percent", 100 * diff->options.threshold);
    pp_json_put_number(ret, "equivalence_percent", 100 * diff->options.equivalence);
    pp_json_put_number(ret, "alpha", diff->options.alpha);
    pp_json_put_number(ret, "min_ns", diff->options.min_ns);
    pp_json_put_truth(ret, "pairs", diff->options.pairs);
    return ret;
}

static json_t *
finding_json(const struct pp_limit_finding *finding)
{
    const struct written written = {.row = *finding->row,
                                    .surface = finding->part->new_surface->surface,
                                    .worse = finding->worse,
                                    .state = finding->state};
    return pp_columns_json(&pp_diff_columns, &written, PP_IN_LIMITS);
}

/* The limits of --fail-above, and the rows that each is about. */
static json_t *
limits_json(const struct pp_limit_checks *checks)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < checks->limits; i++) {
        json_t *limit = json_object(), *rows = json_array();
        pp_json_put_text(limit, "limit", checks->limit[i].text);
        pp_json_put_truth(limit, "relative", checks->limit[i].relative);
        pp_json_put_number(limit, "above", checks->limit[i].most);
        pp_json_put_text(limit, "state", pp_limit_state_name(checks->state[i]));
        pp_json_put_text(limit, "note", checks->note[i]);
        for (size_t k = 0; k < checks->findings; k++)
            if (checks->finding[k].limit == &checks->limit[i])
                pp_json_append(rows, finding_json(&checks->finding[k]));
        pp_json_put(limit, "rows", rows);
        pp_json_append(ret, limit);
    }
    return ret;
}

json_t *
pp_diff_json_make(const struct pp_diff *diff, const struct pp_limit_checks *checks, bool texts)
{
    json_t *ret = json_object(), *notes = json_array(), *parts = json_array();
    pp_json_put_text(ret, "format", "passprobe-diff");
    pp_json_put_number(ret, "schema", PP_DIFF_JSON_SCHEMA);
    pp_json_put(ret, "old", side_json(diff->olds, texts));
    pp_json_put(ret, "new", side_json(diff->news, texts));
    pp_json_put(ret, "options", how_json(diff));
    pp_json_put_truth(ret, "comparable", !diff->incomparable);
    pp_json_put_truth(ret, "slower", pp_diff_slower(diff) != NULL);
    for (size_t i = 0; i < diff->notes; i++) {
        json_t *note = json_object();
        pp_json_put_text(note, "text", diff->note[i].text);
        pp_json_put_truth(note, "refuses", diff->note[i].refuses);
        pp_json_append(notes, note);
    }
    pp_json_put(ret, "notes", notes);
    for (size_t p = 0; p < diff->parts; p++)
        pp_json_append(parts, part_json(&diff->part[p], texts));
    pp_json_put(ret, "surfaces", parts);
    pp_json_put(ret, "limits", limits_json(checks));
    return ret;
}
